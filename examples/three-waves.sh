#!/bin/sh
# An implementation in three waves whose server fails: what is done stays done, and only the rest runs again.
#   sh three-waves.sh [SESSION]
set -eu

workflow=$(dirname "$0")/three-waves.workflow.yaml
session=${1:-three-waves}
[ -d .steadfold ] || steadfold init >&2
steadfold session create "$session" --if-missing >/dev/null
export STEADFOLD_SESSION="$session"
steadfold workflow validate "$workflow"

echo '== the contract lacks a field: the server fails, and the tests that need it wait'
echo '{"fields": ["email"]}' >contract.json
status=0
steadfold run "$workflow" || status=$?
echo "exit $status"
steadfold supervise show implement

echo '== the contract is mended: the server and the tests run, the other three are kept'
echo '{"fields": ["email", "password"]}' >contract.json
steadfold run "$workflow"
steadfold supervise show implement

echo '== what the reports hold, and what is handed on; what took how long'
steadfold supervise meter implement
