#!/bin/sh
# Three bots take turns in one channel: one dies, one hangs, one talks in circles. None of them stops the others.
here=$(dirname "$0")
STEADFOLD_SESSION=channel-bots-$$
export STEADFOLD_SESSION
exec 2>&1
[ -d .steadfold ] || steadfold init
steadfold session create "$STEADFOLD_SESSION"
steadfold channel create room --max-repeats 3

sh "$here/mortal.sh" & mortal=$!
steadfold wait --path turns.channels.room.seats.mortal --timeout 1m
sh "$here/sleeper.sh" & sleeper=$!
steadfold wait --path turns.channels.room.seats.sleeper --timeout 1m
sh "$here/looper.sh" & looper=$!
steadfold wait --path turns.channels.room.seats.looper --timeout 1m
steadfold turn say room "Which hash for passwords?" --as human:ana

wait $mortal
echo "the mortal bot is dead; its turn would last for a minute"
sleep 2
steadfold recover "$STEADFOLD_SESSION"
steadfold wait --path turns.channels.room.hold.kind --equals guard --timeout 2m
status=$?
kill $sleeper $looper 2>/dev/null
wait

echo; steadfold turn messages room
echo; steadfold turn history room
echo; steadfold turn watch room --once
echo; steadfold channel list --stopped
exit $status
