#!/bin/sh
# Plays an agent CLI: says how it was called, replays a recorded stream, and dies as it is told.
#   FAKE_STREAM  file to replay     FAKE_HALF  bytes of it to write, no more
#   FAKE_DO      command to run before its end
#   FAKE_ERR     text for stderr    FAKE_END   exit status, `kill`, or `stay` until it is killed
{
  printf '%s\n' "${0##*/}" "$@"
} >"$FAKE_SEEN"
grep -ho 'activity.launched' "$STEADFOLD_DIR"/.steadfold/sessions/*/log/*.jsonl >>"$FAKE_SEEN"
if [ -n "${FAKE_HALF:-}" ]; then head -c "$FAKE_HALF" "$FAKE_STREAM"; else cat "${FAKE_STREAM:-/dev/null}"; fi
[ -z "${FAKE_ERR:-}" ] || printf '%s\n' "$FAKE_ERR" >&2
eval "${FAKE_DO:-}" >&2
case ${FAKE_END:-0} in
  kill) kill -9 $$ ;;
  stay) echo $$ >"$FAKE_SEEN.pid"; while :; do sleep 1; done ;;
  *) exit "${FAKE_END:-0}" ;;
esac
