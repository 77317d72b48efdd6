#!/bin/sh
# Stands beside one command and outlives the runner: sh wrapper.sh FOLDER COMMAND [ARGUMENT]…
#
# A1 Whoever creates FOLDER/claim owns the attempt: this program, or a runner that gives the attempt up. The other does nothing.
# A2 A result appears whole or not at all, behind everything the command wrote: synced, then renamed. Its room on the disk is taken
#    before the command begins, so that it is told also where that fills the disk.
# A3 SIGTERM to the process group ends the command; this program stays to tell, whatever the group is told. What the command
#    leaves running ends with it.
# A4 Where there is FOLDER/until, the command ends at that second, with all that writes for it: SIGTERM, two seconds later SIGKILL.
#    Its runner moves it on.
# A5 A command that is told to stop before it begins never begins: FOLDER/stopped is there before the signal is sent.
# A6 A command is a program. What this shell has built in is none: after `exit` nobody would be left to tell.
#
# Only what every shell has built in stands between the claim and the command. A variable that this program sets is set for the
# command, too, where there is one of that name: so none has a name that is another's.
steadfold_work=$1
shift
steadfold_stat=
{ read -r steadfold_stat </proc/$$/stat; } 2>/dev/null
# Field 22 is the start time; the name of the program, in brackets, may hold anything.
steadfold_rest=${steadfold_stat##*) }
steadfold_i=0 steadfold_started=-
for steadfold_field in $steadfold_rest; do
  steadfold_i=$((steadfold_i + 1))
  if [ $steadfold_i -eq 20 ]; then
    steadfold_started=$steadfold_field
    break
  fi
done
set -C
if ! { printf '%s %s\n' "$$" "$steadfold_started" >"$steadfold_work/claim"; } 2>/dev/null; then
  # Begun and without a word, the claim is nobody else's, and the disk full: with the room of the result it is given up.
  [ -s "$steadfold_work/claim" ] || { : >|"$steadfold_work/result.tmp" && printf 'none\n' >|"$steadfold_work/claim"; } 2>/dev/null
  exit 0
fi
set +C
trap : TERM INT HUP QUIT PIPE ALRM USR1 USR2
# The command may have a PATH without what this program needs beside it and after it.
steadfold_tools=${PATH:+$PATH:}/usr/bin:/bin
# Of the command, also what is not in this group: in another of this session, as under `timeout`, or away from it and still writing
# for this attempt.
tell() {
  steadfold_found=$(grep -lzxF "STEADFOLD_OUTPUT=$steadfold_work/outputs" /proc/[0-9]*/environ 2>/dev/null)
  for steadfold_file in /proc/[0-9]*/stat; do
    { read -r steadfold_stat <"$steadfold_file"; } 2>/dev/null || continue
    steadfold_signal=$1
    # State, parent, group, session.
    set -- ${steadfold_stat##*) }
    case " $4 $steadfold_found" in " $$ "* | *"${steadfold_file%stat}environ"*)
      [ "$3" = $$ ] || kill -s "$steadfold_signal" "${steadfold_stat%% *}" 2>/dev/null
      ;;
    esac
    set -- "$steadfold_signal"
  done
  kill -s "$1" 0
}
if [ -f "$steadfold_work/until" ]; then
  (
    trap '' TERM INT HUP
    PATH=$steadfold_tools
    while read -r steadfold_until <"$steadfold_work/until" && [ "$(date +%s)" -lt "$steadfold_until" ]; do sleep 1; done
    # The first reason stays.
    set -C
    { printf 'interrupted\n' >"$steadfold_work/stopped"; } 2>/dev/null
    tell TERM
    sleep 2
    tell KILL
  ) &
fi
# Told here, or this shell would tell it with the path of this program.
unfit() {
  printf '%s: %s\n' "$1" "$3" >&2
  exit "$2"
}
# A program that is named in the first line of another, and is not there. Shells read binaries byte by byte: not their own.
script() {
  [ "$1" != /bin/sh ] && { IFS= read -r steadfold_line <"$1"; } 2>/dev/null || return
  case $steadfold_line in '#!'*) ;; *) return ;; esac
  set -f
  for steadfold_word in ${steadfold_line#'#!'}; do break; done
  [ -e "${steadfold_word:-/}" ] && return
  case $steadfold_word in *"$(printf '\r')") unfit "$1" 127 'its lines end with CR LF, and its interpreter is not found by that' ;; esac
  unfit "$1" 127 "its interpreter $steadfold_word is not there"
}
# A5: looked at where a signal that comes later ends what looks.
(
  [ -e "$steadfold_work/stopped" ] && exit 143
  case $1 in
    */*)
      [ -e "$1" ] || unfit "$1" 127 'not found'
      [ -f "$1" ] || unfit "$1" 126 'is no file'
      [ -x "$1" ] || unfit "$1" 126 'is not executable: chmod +x makes it so'
      script "$1"
      ;;
    *) command -v -- "$1" >/dev/null || unfit "$1" 127 'not found' ;;
  esac
  exec "$@"
)
steadfold_status=$?
trap '' TERM INT HUP QUIT PIPE ALRM USR1 USR2
PATH=$steadfold_tools
printf '%03d\n' "$steadfold_status" 1<>"$steadfold_work/result.tmp"
set -- "$steadfold_work/result.tmp"
for steadfold_file in outputs stdout stderr; do [ -s "$steadfold_work/$steadfold_file" ] && set -- "$@" "$steadfold_work/$steadfold_file"; done
sync "$@" 2>/dev/null
mv "$steadfold_work/result.tmp" "$steadfold_work/result" 2>/dev/null || printf '%s\n' "$steadfold_status" >"$steadfold_work/result"
kill -KILL 0
