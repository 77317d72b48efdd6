#!/bin/sh
# Dies in its first turn. It works under a lease of two seconds, which it does not renew any more: so recover knows.
me=mortal
steadfold turn join room --as agent:$me
while turn=$(steadfold wait --turn $me --timeout 30s); do
  steadfold agent register $me bot --ttl-ms 2000
  kill -9 $$
done
