#!/bin/sh
# Hangs in its first turn: time passes the turn on, and what it says then is posted as late.
me=sleeper nap=2
steadfold turn join room --timeout-ms 1500 --as agent:$me
while turn=$(steadfold wait --turn $me --timeout 30s); do
  sleep $nap
  steadfold turn say room "Answer after $nap s. TURN_COMPLETE" --token "${turn#* }" --as agent:$me || break
  nap=0
done
