#!/bin/sh
# Work that is done once, in an ordinary script. Stop it anywhere and run it again: what is finished is not done twice.
#   sh once.sh [SESSION]      results are kept in the session; another session starts afresh
set -eu

session=${1:-once-example}
[ -d .steadfold ] || steadfold init >&2
steadfold session create "$session" --if-missing --goal 'Count the words of the documentation' >/dev/null
export STEADFOLD_SESSION="$session"

# The second time, the output that was kept comes back and nothing runs.
words=$(steadfold once inventory -- sh -c '
  find . -name "*.md" -type f ! -path "*/node_modules/*" ! -path "./.*" -exec cat {} + | wc -w | tr -d " "
')
echo "words in Markdown files: $words"

# A key says what the work depends on: when that changes, it is other work and runs.
steadfold once "grade-$words" -- sh -c '
  if [ "$1" -lt 500 ]; then echo "a short read"; else echo "about $(($1 / 230)) minutes to read"; fi
' sh "$words"

# Only a success is kept. A failure is exit 10 (64 to 78 wait for a person), and the next run tries again.
if steadfold once licence -- sh -c 'ls LICENSE* COPYING* 2>/dev/null | grep .'; then
  echo "the licence was found once and is not looked for again"
else
  echo "no licence yet: add one and run this again" >&2
fi
