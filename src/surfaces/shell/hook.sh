#!/bin/sh
# An agent CLI's hook without a start of Node: what comes on stdin goes into the spool, the next steadfold command
# commits it.
#
#   sh hook.sh claude|codex|gemini|opencode <event.json
#
# K1  It prints nothing and answers 0, whatever happens: no agent is stopped because its record could not be kept.
# K2  What comes in is data: copied into a file, never part of a program.
# K3  At most 1,000,000 bytes are kept. All is read, so that the agent's own write does not fail.
# K4  Where nobody takes facts in, at most 10,000 wait.
# K5  What could not be written whole goes again: no half of an event stays.
# shellcheck shell=sh
exec 2>/dev/null
set -C
umask 077

finish() {
  cat >/dev/null
  exit 0
}

agent=${1-}
case $agent in claude | codex | gemini | opencode) ;; *) finish ;; esac
session=${STEADFOLD_SESSION-}
case $session in
  *'
'*) finish ;;
esac

# The nearest folder upward from $1 that holds $2: sets at.
upward() {
  at=$1
  until [ -e "$at/$2" ]; do
    case $at in '' | [!/]*) return 1 ;; esac
    at=${at%/*}
  done
}

# Where a folder of a worktree of git would be in the main checkout, when both know each other: sets main.
main_checkout() {
  upward "$1" .git && here=$at || return 1
  [ -f "$here/.git" ] && read -r word own <"$here/.git" && [ "$word" = gitdir: ] || return 1
  case $own in /*) ;; *) own=$here/$own ;; esac
  read -r back <"$own/gitdir" && read -r common <"$own/commondir" || return 1
  case $back in /*) ;; *) back=$own/$back ;; esac
  case $common in /*) ;; *) common=$own/$common ;; esac
  [ "$back" -ef "$here/.git" ] && main=$(cd -P "$common/.." && pwd)${1#"$here"}
}

# Named: that folder, or none. Otherwise where one is, as a program sees it: a link into a workspace leads into it.
from=${STEADFOLD_DIR:-${CLAUDE_PROJECT_DIR:-${GEMINI_PROJECT_DIR-}}}
[ -n "$from" ] || { cd -P . || :; from=$PWD; }
from=${from%/} from=${from%/.steadfold}
sessions=.steadfold/sessions
if [ -n "${STEADFOLD_DIR-}" ]; then
  at=$from
  [ -e "$at/$sessions" ] || finish
else
  upward "$from" $sessions || { main_checkout "$from" && upward "$main" $sessions; } || finish
fi
root=$at
spool=$root/.steadfold/spool
[ ! -h "$spool" ] || finish
# Another hook may make it at the same time.
[ -d "$spool" ] || mkdir "$spool" || [ -d "$spool" ] || finish

set -- "$spool"/hook-*.fact
[ "$#" -lt 10000 ] || finish
read -r up _ </proc/uptime && at="up $up" || at=$(date +%s) up=$at
fact=$spool/hook-$up-$$.fact
# Inside, where the file is ours; half of an event would keep gc away from every session for a day.
{
  printf 'steadfold-fact 1\nsession: %s\nactor: tool:hook\nop: activity.record\nname: %s\nat: %s\n\n' \
    "$session" "$agent" "$at" &&
    head -c 1000000 &&
    printf '\n#end\n' || rm -f "$fact"
} >"$fact"
finish
