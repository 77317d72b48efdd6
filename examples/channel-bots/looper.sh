#!/bin/sh
# Says the same in each of its turns: the guard stops the channel and asks a person.
me=looper
steadfold turn join room --as agent:$me
while turn=$(steadfold wait --turn $me --timeout 30s); do
  steadfold turn say room "Still thinking about it. TURN_COMPLETE" --token "${turn#* }" --as agent:$me || break
done
