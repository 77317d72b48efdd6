#!/bin/bash
# The hot functions of the shell library beside the plain ones, in one bash, by turns.
#   s07-rounds.sh LIBRARY PLAIN DIR ROUNDS CALLS      prints a line per round: microseconds of one call
#     append (ours plain)  read of one value (ours plain)
# Each round ends with the command that commits what was handed in, and must find the last value there.
set -u
library=$1 plain=$2 dir=$3 rounds=$4 calls=$5

# The two libraries share names: each keeps its own under another.
. "$plain"
init_workflow_state "$dir"
plain_append() { echo "export $1=\"$2\"" >>"$STATE_FILE"; }
plain_load() { . "$STATE_FILE"; }
plain_file=$STATE_FILE
unset STATE_FILE
. "$library"

measure() {
  local begun=${EPOCHREALTIME/./} i call=$1
  for ((i = 0; i < calls; i++)); do "$call" "$i"; done
  echo -n " $((${EPOCHREALTIME/./} - begun))"
}
# One append before the clock starts: the first one in a shell looks for the workspace.
ours_append() { append_workflow_state "VALUE_$(($1 % 10))" "report $1 of a worker"; }
ours_read() { steadfold_get "VALUE_$(($1 % 10))" VALUE; }
seed_append() { STATE_FILE=$plain_file plain_append "VALUE_$(($1 % 10))" "report $1 of a worker"; }
seed_read() { STATE_FILE=$plain_file plain_load; }

ours_append 0 || exit 1
for ((round = 0; round < rounds; round++)); do
  : >"$plain_file"
  for ((k = 0; k < 10; k++)); do seed_append "$k"; done
  measure ours_append
  measure seed_append
  : >"$plain_file"
  for ((k = 0; k < 10; k++)); do seed_append "$k"; done
  measure ours_read
  measure seed_read
  echo
  last=$("$STEADFOLD_BIN" output get "VALUE_$(((calls - 1) % 10))") || exit 1
  [[ $last == *"report $((calls - 1)) of a worker"* ]] || { echo "committed: $last" >&2; exit 1; }
done
