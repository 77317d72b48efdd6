#!/bin/bash
# A workflow kept the plain way: values in a sourced file, the state machine in a JSON file, jq, and mv for atomicity.
# What shell orchestrators do without a store: no sync, no log, and one writer at a time or updates are lost.
#   . plain-workflow.sh              functions
#   plain-workflow.sh DIR STATE      one transition as a process of its own

init_workflow_state() {
  STATE_FILE=$1/workflow.sh CHECKPOINT=$1/checkpoint.json
  : >"$STATE_FILE"
  jq -n '{version: "2.0",
    state_machine: {current_state: "test", completed_states: ["initialize", "implement"], transition_table: {
      initialize: "research,implement", research: "plan,complete", plan: "implement,complete",
      implement: "test", test: "debug,document", debug: "test,complete", document: "complete", complete: ""}},
    phase_data: {research: {reports_created: ["report1.md", "report2.md"], duration_ms: 45000}},
    supervisor_state: {}, error_state: {last_error: null, retry_count: 0},
    metadata: {created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z"}}' >"$CHECKPOINT"
}

append_workflow_state() { echo "export $1=\"$2\"" >>"$STATE_FILE"; }

load_workflow_state() { . "$STATE_FILE"; }

save_checkpoint() {
  local next
  next=$(mktemp "$CHECKPOINT.XXXXXX") || return 1
  jq --arg state "$1" --arg note "$2" '.state_machine.current_state = $state | .metadata.note = $note
    | .state_machine.completed_states += (if $note == "post_transition" then [$state] else [] end)' "$CHECKPOINT" >"$next" &&
    mv "$next" "$CHECKPOINT"
}

sm_transition() {
  local current allowed
  current=$(jq -r '.state_machine.current_state' "$CHECKPOINT") || return 1
  allowed=$(jq -r --arg state "$current" '.state_machine.transition_table[$state]' "$CHECKPOINT") || return 1
  case ",$allowed," in
    *",$1,"*) ;;
    *) echo "cannot go from $current to $1" >&2; return 1 ;;
  esac
  save_checkpoint "$current" pre_transition && save_checkpoint "$1" post_transition
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  STATE_FILE=$1/workflow.sh CHECKPOINT=$1/checkpoint.json
  sm_transition "$2"
fi
