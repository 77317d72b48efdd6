#!/bin/sh
# A session goes from a laptop to a desk and back, by file and by a folder that both reach; every command on the way is
# killed with -9 once and given again. DESK_CLOCK may hold variables that make the desk's clock another one.
top=$PWD
exec 2>&1
mkdir -p laptop/src desk/code shared

on() {
  HOME=$top/$1/home STEADFOLD_HOME=$top/$1/keys STEADFOLD_DEVICE=$1
  export HOME STEADFOLD_HOME STEADFOLD_DEVICE
  unset STEADFOLD_SESSION STEADFOLD_DIR
  case $1 in laptop) cd "$top/laptop/src" ;; desk) cd "$top/desk/code"; export ${DESK_CLOCK:-A=B} ;; esac
}
at() { side=$1; shift; (on "$side"; exec steadfold "$@"); }

# Killed after a moment, wherever it is then; what counts is the second time. Exit 6: the first time was enough.
killed() {
  side=$1; shift
  (on "$side"; exec steadfold "$@" >/dev/null 2>&1) & pid=$!
  sleep "0.$((RUN % 4 + 1))"; RUN=$((RUN + 1))
  kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
  echo "\$ $side: steadfold $*"
  at "$side" "$@"; status=$?
  [ $status = 0 ] || [ $status = 6 ] || exit $status
}
RUN=0

for side in laptop desk; do at $side init && at $side key create $side; done >/dev/null
at laptop key trust "$(at desk key list | sed 's/^own *//')"
at desk key trust "$(at laptop key list | sed 's/^own *//')"

at laptop session create auth
export PAID="$top/paid"
plan() { at "$1" once plan -- sh -c 'echo "argon2, then routes"; echo once >> "$PAID"'; }
plan laptop

echo; echo "by file"
killed laptop teleport send auth --recipient desk --out "$top/auth.steadfold" --force
at laptop state set data.lost 1; [ $? = 6 ] || exit 1
killed desk teleport receive "$top/auth.steadfold"
plan desk || exit 1
at desk state set data.from desk || exit 1
at laptop state set data.lost 1; [ $? = 6 ] || exit 1
killed desk teleport send auth --recipient laptop --out "$top/back.steadfold" --force
killed laptop teleport receive "$top/back.steadfold"
at laptop state set data.back true || exit 1

echo; echo "by a place that both reach"
place=${PLACE:-$top/shared}
at laptop remote add origin "$place" --recipient desk
at desk remote add origin "$place" --recipient laptop
killed laptop push auth
killed laptop teleport send auth --remote origin
killed desk teleport receive auth --remote origin
at desk state set data.from "desk again" || exit 1
killed desk teleport send auth --remote origin
killed laptop teleport receive auth --remote origin
killed laptop push auth
killed desk pull auth

echo; echo "one owner, one history"
at laptop state set data.done true || exit 1
at desk state set data.done true; [ $? = 6 ] || exit 1
echo "the plan was paid for $(wc -l < "$PAID" | tr -d ' ') time"
at laptop verify && at desk verify && at laptop log | tail -n 4
