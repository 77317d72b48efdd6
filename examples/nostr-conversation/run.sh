#!/bin/sh
# Two machines, ana and bo, each with a store and a key of its own, hold one conversation over a Nostr relay. In the
# middle bo's listener is killed with -9, both go on talking apart, and it comes back. At the end both stores have the same
# hash: a conversation is what was said, whatever way it came.
#   sh run.sh RELAY [FOLDER]      such as ws://127.0.0.1:7777
set -eu

relay=${1:?usage: sh run.sh RELAY [FOLDER]}
root=${2:-$(mktemp -d)}
messages=${MESSAGES:-4}

as() {
  who=$1
  shift
  STEADFOLD_DIR="$root/$who" STEADFOLD_NOSTR_KEY="$root/$who.key" steadfold "$@"
}

# Takes in what the other says, and publishes what is said here, until it is stopped.
listen() {
  (
    export STEADFOLD_DIR="$root/$1" STEADFOLD_NOSTR_KEY="$root/$1.key"
    exec steadfold chat sync --relay "$relay" --live 2>>"$root/$1.sync"
  ) &
}

hash_of() { as "$1" chat hash "$id" --json | sed -n 's/.*"hash":"\([0-9a-f]*\)".*/\1/p'; }

for who in ana bo; do
  mkdir -p "$root/$who"
  as "$who" init >/dev/null
  as "$who" session create talk >/dev/null
  as "$who" chat key "$root/$who.key" >/dev/null
done

id=$(as ana chat open 'Log in with a key' --signed --json | sed -n 's/.*"conversation":"\([0-9a-f]*\)".*/\1/p')
as ana chat sync --relay "$relay" >/dev/null
as bo chat sync --relay "$relay" --join "$id" >/dev/null

listen ana
ana=$!
listen bo
bo=$!
trap 'kill "$ana" "$bo" 2>/dev/null || true' EXIT

talk() {
  n=0
  while [ "$n" -lt "$messages" ]; do
    n=$((n + 1))
    as ana chat post "$id" "ana, $1 $n" --signed >/dev/null
    as bo chat post "$id" "bo, $1 $n" --signed >/dev/null
  done
}

talk 'together'
kill -9 "$bo"
echo 'killed bo'
talk 'apart'
listen bo
bo=$!
talk 'together again'

tries=0
until [ "$(hash_of ana)" = "$(hash_of bo)" ]; do
  tries=$((tries + 1))
  if [ "$tries" -gt 120 ]; then
    echo 'the two stores do not come together' >&2
    exit 1
  fi
  sleep 0.5
done

echo "ana $(hash_of ana)"
echo "bo  $(hash_of bo)"
as bo chat show "$id" --last 6
