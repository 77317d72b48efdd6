#!/usr/bin/env bash
# An orchestrator as scripts write it: eight states, a block of its own for each, values passed from block to block, and
# checkpoints as JSON. Every block is a process that knows nothing of the others; the session does.
#   bash eight-states.sh [WORKFLOW_ID]      stop it anywhere and run it again: it goes on in the state where it stood
set -euo pipefail

WORKFLOW_ID=${1:-coordinate_eight_states}
DESCRIPTION='Implement a word counter for this folder, with a plan, tests and a page about it'

execute_initialize_phase() {
  mkdir -p counter
  append_workflow_state TOPIC_PATH counter
  sm_transition "$STATE_RESEARCH"
}

# Two looks at the folder; what they find is known to later blocks.
execute_research_phase() {
  local files words
  files=$(find . -name '*.md' -not -path './.*' | wc -l | tr -d ' ')
  words=$(find . -name '*.md' -not -path './.*' -exec cat {} + | wc -w | tr -d ' ')
  append_workflow_state MARKDOWN_FILES "$files"
  append_workflow_state MARKDOWN_WORDS "$words"
  save_json_checkpoint research_metadata "{\"topics_researched\": 2, \"key_findings\": [\"$files files\", \"$words words\"]}"
  sm_transition "$STATE_PLAN"
}

# A value may hold anything: it comes back as it was and is never run.
execute_plan_phase() {
  append_workflow_state PLAN "1. count.sh prints the words of the files it is given
2. a test compares it with wc
3. \$(this is text) and \"so is this\""
  sm_transition "$STATE_IMPLEMENT"
}

# The first try has a mistake in it, for the debug state to find.
execute_implement_phase() {
  printf '%s\n' '#!/bin/sh' 'cat "$@" | wc -l | tr -d " "' >"$TOPIC_PATH/count.sh"
  sm_transition "$STATE_TEST"
}

execute_test_phase() {
  local wanted=5 got
  printf 'one two\nthree four five\n' >"$TOPIC_PATH/sample.txt"
  got=$(sh "$TOPIC_PATH/count.sh" "$TOPIC_PATH/sample.txt")
  append_workflow_state TEST_RUNS "$((${TEST_RUNS:-0} + 1))"
  if [ "$got" = "$wanted" ]; then
    append_workflow_state tests_passing true
    sm_transition "$STATE_DOCUMENT"
  else
    append_workflow_state tests_passing false
    append_workflow_state LAST_FAILURE "count.sh says $got where there are $wanted words"
    sm_transition "$STATE_DEBUG"
  fi
}

execute_debug_phase() {
  echo "  debug: $LAST_FAILURE"
  sed -i.bak 's/wc -l/wc -w/' "$TOPIC_PATH/count.sh"
  sm_transition "$STATE_TEST"
}

execute_document_phase() {
  local findings
  findings=$(load_json_checkpoint research_metadata)
  printf '# Word counter\n\n%s\n\nTested %s times. Research: %s\n' "$PLAN" "$TEST_RUNS" "$findings" >"$TOPIC_PATH/README.txt"
  sm_transition "$STATE_COMPLETE"
}

# One block: a new process, as a coding agent starts one for each of its commands.
block() {
  . "$(steadfold shell)"
  load_workflow_state "$WORKFLOW_ID" >/dev/null
  sm_execute
}
export -f block execute_{initialize,research,plan,implement,test,debug,document}_phase
export WORKFLOW_ID

. "$(steadfold shell)"
init_workflow_state "$WORKFLOW_ID" >/dev/null
sm_init "$DESCRIPTION" coordinate

until sm_is_complete; do
  echo "$(sm_current_state)"
  bash -euc block
  load_workflow_state "$WORKFLOW_ID" >/dev/null
done

echo complete
# What is not in the table is refused, whoever asks: exit 4.
if sm_transition "$STATE_PLAN" 2>/dev/null; then echo 'a finished workflow moved' >&2; exit 1; fi
sh "$TOPIC_PATH/count.sh" "$TOPIC_PATH/README.txt" >/dev/null
echo "$MARKDOWN_WORDS words in $MARKDOWN_FILES Markdown files; tested $TEST_RUNS times; see $TOPIC_PATH/README.txt"
