# Steadfold for bash, zsh and POSIX sh:  . "$(steadfold shell)"
#
#   shell ── one fact a value ──► .steadfold/spool/ ──► the next steadfold command commits it
#     ▲                                                            │
#     └──────────── load_workflow_state: the view as text ─────────┘
#
# H1  A value is data. It is never sourced and never part of a program; `eval` sees only names that were checked.
# H2  Setting and getting start no process.
# H3  A fact is appended to a file of this process and ends in its trailer; without it is unfinished. Its number is
#     never used again.
# H4  Facts of one shell are in order, and a subshell's stand where it was started.
# H5  Options, IFS, umask, traps and names of the caller stay as they are; what is ours is called _steadfold_….
# H6  Refusals have the exit status and the words of the steadfold command.
# shellcheck shell=sh

# The command that belongs to this file; `steadfold shell --print` fills it in.
_steadfold_command=
_steadfold_proc=/proc
_steadfold_letters=ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_
_steadfold_digits=0123456789
_steadfold_line='
'
_steadfold_root='' _steadfold_found='' _steadfold_session='' _steadfold_named='' _steadfold_carrier=''
_steadfold_context=none _steadfold_machine='' _steadfold_pid='' _steadfold_stem='' _steadfold_count=100000000 _steadfold_keys=' ' _steadfold_end=''

STATE_INITIALIZE=initialize STATE_RESEARCH=research STATE_PLAN=plan STATE_IMPLEMENT=implement
STATE_TEST=test STATE_DEBUG=debug STATE_DOCUMENT=document STATE_COMPLETE=complete

# H2: what prints has to be built in; a program is given no more than 128 KiB at once. Without the line's end zsh would
# not tell that a long value could not be written.
case ${KSH_VERSION-} in
  *' KSH '*) _steadfold_print() { print -r -- "$1"; } ;;
  *) _steadfold_print() { printf '%s\n' "$1"; } ;;
esac

# ---- values -------------------------------------------------------------------------------------------------------

# steadfold_set NAME VALUE: hands the value in; the next command commits it.
steadfold_set() {
  case $# in 2) _steadfold_hand_in "$1" "$2" ;; *) _steadfold_usage 'steadfold_set NAME VALUE' ;; esac
}

# steadfold_get NAME [VARIABLE]: prints the value, or puts it into the variable byte for byte.
steadfold_get() {
  case $# in 1 | 2) ;; *) _steadfold_usage 'steadfold_get NAME [VARIABLE]' || return ;; esac
  case $1 in
    [!$_steadfold_letters]* | *[!$_steadfold_letters$_steadfold_digits]* | '' | *proto* | constructor | ?????????????????????????????????????????????????????????????????*) _steadfold_variable "$1" || return ;;
    *) _steadfold_var=_steadfold_v_$1 ;;
  esac
  case ${STATE_FILE-}:${STEADFOLD_DIR-}:${STEADFOLD_SESSION-} in "$_steadfold_carrier:$_steadfold_found:$_steadfold_named") ;; *) _steadfold_find make || return ;; esac
  eval "_steadfold_known=\${$_steadfold_var+y} _steadfold_value=\${$_steadfold_var-}"
  case $_steadfold_known in '') _steadfold_ask "$1" || return ;; esac
  case $# in 1) _steadfold_print "$_steadfold_value" ;; *) _steadfold_put_into "$2" ;; esac
}

_steadfold_put_into() {
  case $1 in
    '' | [!$_steadfold_letters]* | *[!$_steadfold_letters$_steadfold_digits]*) _steadfold_usage 'steadfold_get NAME [VARIABLE]' ;;
    *) eval "$1=\$_steadfold_value" ;;
  esac
}

# NAME: what is not known here may be known to the log.
_steadfold_ask() {
  _steadfold_find && _steadfold_view || return
  _steadfold_variable "$1"
  eval "_steadfold_known=\${$_steadfold_var+y} _steadfold_value=\${$_steadfold_var-}"
  [ -n "$_steadfold_known" ] || _steadfold_fail 3 "there is no output named \"$1\"" 'steadfold output list'
}

# steadfold_output NAME VALUE: a result of the running step, or a plain value where no step is running.
# One call is one write up to 4,000 bytes; larger values want one writer at a time.
steadfold_output() {
  if [ "$#" -ne 2 ]; then _steadfold_usage 'steadfold_output NAME VALUE' || return; fi
  if [ -z "${STEADFOLD_OUTPUT:-}" ]; then steadfold_set "$@"; return; fi
  _steadfold_check "$1" || return
  _steadfold_is_same || _steadfold_enter || return
  _steadfold_count=$((_steadfold_count + 1)) _steadfold_free=END-$_steadfold_stem-$_steadfold_count
  _steadfold_print "$1<<$_steadfold_free$_steadfold_line$2$_steadfold_line$_steadfold_free" >>"$STEADFOLD_OUTPUT" ||
    _steadfold_fail 8 "cannot write $STEADFOLD_OUTPUT"
}

# ---- workflow state -----------------------------------------------------------------------------------------------

# init_workflow_state [ID]: makes the session ID, or takes it up again, and prints the name of its STATE_FILE.
init_workflow_state() {
  if ! _steadfold_find make || [ -z "$_steadfold_root" ]; then
    _steadfold_run init >/dev/null && _steadfold_search || return
  fi
  _steadfold_former=$_steadfold_session _steadfold_session=
  _steadfold_session=$(_steadfold_run session create "${1:-$$}" --if-missing) || _steadfold_stay "$_steadfold_former" || return
  WORKFLOW_ID=${1:-$$}
  case $_steadfold_former in '' | "$_steadfold_session" | "$WORKFLOW_ID") ;; *) _steadfold_forget_all ;; esac
  export WORKFLOW_ID
  _steadfold_carry && printf '%s\n' "$STATE_FILE"
}

# SESSION: after a refusal, back to what was; with the status of the refusal.
_steadfold_stay() {
  _steadfold_status=$? _steadfold_session=$1
  return "$_steadfold_status"
}

# load_workflow_state [ID]: every value becomes a variable. A session that was missing is made; then the answer is 1.
load_workflow_state() {
  _steadfold_find make || return
  _steadfold_before=$_steadfold_session
  case ${1:-} in ?*) _steadfold_turn_to "$1" ;; esac
  _steadfold_status=0 _steadfold_give=all
  if [ -n "$_steadfold_root" ]; then _steadfold_view ${1:+try} || _steadfold_status=$?; else _steadfold_status=3; fi
  _steadfold_give=
  case $_steadfold_status:${1:-} in
    0:*) ;;
    3:?*) init_workflow_state "$1" >/dev/null || _steadfold_stay "$_steadfold_before" || return; return 1 ;;
    *) return "$_steadfold_status" ;;
  esac
  case ${1:-} in ?*) WORKFLOW_ID=$1; export WORKFLOW_ID ;; esac
  _steadfold_carry
}

# append_workflow_state NAME [VALUE]
append_workflow_state() {
  _steadfold_hand_in "${1-}" "${2-}"
}

# save_json_checkpoint NAME JSON: durable when it returns.
save_json_checkpoint() {
  if [ "$#" -ne 2 ]; then _steadfold_usage 'save_json_checkpoint NAME JSON' || return; fi
  _steadfold_check "$1" && _steadfold_find || return
  _steadfold_print "$2" | _steadfold_run shell --save "$1" >/dev/null
}

# load_json_checkpoint NAME: prints the JSON, {} when there is none.
load_json_checkpoint() {
  if [ "$#" -ne 1 ]; then _steadfold_usage 'load_json_checkpoint NAME' || return; fi
  _steadfold_check "$1" && _steadfold_find || return
  _steadfold_try state get "\$.data.checkpoints['$1']" --raw ||
    case $_steadfold_status in 3) printf '{}\n' ;; *) return "$_steadfold_status" ;; esac
}

# ---- state machine ------------------------------------------------------------------------------------------------

# sm_init DESCRIPTION [COMMAND [SCOPE [COMPLEXITY [TOPICS]]]]: starts the workflow in the scope that is named or that the
# description asks for, or takes it up again; the last two are values. A table of transitions that the script has in
# STATE_TRANSITIONS (bash) is its workflow.
sm_init() {
  case $# in [1-5]) ;; *) _steadfold_usage 'sm_init DESCRIPTION [COMMAND [SCOPE [COMPLEXITY [TOPICS]]]]' || return ;; esac
  _steadfold_hand_in WORKFLOW_DESCRIPTION "$1" && _steadfold_hand_in COMMAND_NAME "${2-}" || return
  case ${4-} in ?*) export "RESEARCH_COMPLEXITY=$4" && _steadfold_hand_in RESEARCH_COMPLEXITY "$4" || return ;; esac
  case ${5-} in ?*) export "RESEARCH_TOPICS_JSON=$5" && _steadfold_hand_in RESEARCH_TOPICS_JSON "$5" || return ;; esac
  set -- "--start=$1" "${3-}"
  case $2 in '') set -- "$1" ;; *) set -- "$1" "--scope=$2" ;; esac
  _steadfold_table
  case $_steadfold_text in '') ;; *) set -- "$@" "--table=$_steadfold_text" ;; esac
  _steadfold_view "$@"
}

_steadfold_table() {
  _steadfold_text=''
  [ "${BASH_VERSINFO:-0}" -ge 4 ] || return 0
  case $(declare -p STATE_TRANSITIONS 2>/dev/null) in 'declare -A'*) ;; *) return 0 ;; esac
  # shellcheck disable=SC2016 # other shells cannot read it
  eval 'for _steadfold_key in "${!STATE_TRANSITIONS[@]}"; do
    _steadfold_text=$_steadfold_text$_steadfold_key=${STATE_TRANSITIONS[$_steadfold_key]}$_steadfold_line
  done'
}

# detect_workflow_scope DESCRIPTION
detect_workflow_scope() {
  if [ "$#" -ne 1 ]; then _steadfold_usage 'detect_workflow_scope DESCRIPTION' || return; fi
  _steadfold_find && _steadfold_run workflow detect-scope "$1"
}

# sm_transition STATE. Where a scope ends before the workflow does, going on to its end says that the work is done.
sm_transition() {
  if [ "$#" -ne 1 ]; then _steadfold_usage 'sm_transition STATE' || return; fi
  _steadfold_find || return
  case $1:${CURRENT_STATE:-} in
    "$_steadfold_end:${TERMINAL_STATE:-none}")
      if [ "$1" != "$CURRENT_STATE" ]; then
        _steadfold_run workflow complete >/dev/null || return
        printf 'note: %s ends in %s, and its work is done\n' "${WORKFLOW_SCOPE:-this scope}" "$CURRENT_STATE" >&2
        return 0
      fi
      ;;
  esac
  _steadfold_run workflow transition "$1" >/dev/null || return
  CURRENT_STATE=$1
  export CURRENT_STATE
}

sm_current_state() {
  [ -n "${CURRENT_STATE:-}" ] || { _steadfold_find && _steadfold_view || return; }
  printf '%s\n' "${CURRENT_STATE:-}"
}

sm_is_complete() {
  [ -n "${CURRENT_STATE:-}" ] && [ -n "${TERMINAL_STATE:-}" ] || { _steadfold_find && _steadfold_view || return; }
  [ -n "${CURRENT_STATE:-}" ] && [ "$CURRENT_STATE" = "${TERMINAL_STATE:-}" ]
}

# sm_execute: calls execute_<state>_phase, with _ for each -, which not every shell lets the name of a function hold.
sm_execute() {
  [ -n "${CURRENT_STATE:-}" ] || { _steadfold_find && _steadfold_view || return; }
  _steadfold_rest=${CURRENT_STATE:-}
  while :; do
    case $_steadfold_rest in *-*) _steadfold_rest=${_steadfold_rest%%-*}_${_steadfold_rest#*-} ;; *) break ;; esac
  done
  _steadfold_is_variable "$_steadfold_rest" || { _steadfold_fail 4 'no workflow has been started' 'sm_init DESCRIPTION COMMAND' || return; }
  "execute_${_steadfold_rest}_phase" "$@"
}

# ---- facts --------------------------------------------------------------------------------------------------------

# NAME VALUE: writes one fact (H3) and remembers it. A process has a file of its own: <start time>-<pid>-<random>, in a
# subshell its parent's name with the number of the parent's last fact and _<start time>-<pid> behind it (H4).
# A shell copies a function when it calls it: what is rare stands elsewhere.
_steadfold_hand_in() {
  case $1 in
    [!$_steadfold_letters]* | *[!$_steadfold_letters$_steadfold_digits]* | '' | *proto* | constructor | ?????????????????????????????????????????????????????????????????*) _steadfold_variable "$1" || return ;;
    *) _steadfold_var=_steadfold_v_$1 ;;
  esac
  case ${STATE_FILE-}:${STEADFOLD_DIR-}:${STEADFOLD_SESSION-} in "$_steadfold_context") ;; *) _steadfold_find || return ;; esac
  case ${BASHPID-none} in "$_steadfold_pid") ;; *) _steadfold_is_same || _steadfold_enter || return ;; esac
  _steadfold_count=$((_steadfold_count + 1)) _steadfold_until='' _steadfold_trailer='#end' _steadfold_at=${EPOCHREALTIME-}
  case $_steadfold_at in '') _steadfold_look_at_clock ;; esac
  case ${#2} in ???????*) _steadfold_is_short "$@" || return ;; esac
  case $2 in *'#end'*) _steadfold_own_trailer ;; esac
  _steadfold_file=$_steadfold_root/spool/$_steadfold_stem-$((_steadfold_count / 1000)).facts
  [ -e "$_steadfold_file" ] || _steadfold_make_file || return
  _steadfold_print "steadfold-fact 1
session: $_steadfold_session
actor: tool:shell
op: output.set
name: $1
n: $_steadfold_count
at: $_steadfold_at
$_steadfold_until
$2
$_steadfold_trailer" \
    >>"$_steadfold_file" || _steadfold_failed || return
  eval "_steadfold_known=\${$_steadfold_var+y} $_steadfold_var=\$2"
  case $_steadfold_known in '') _steadfold_keys=" $1$_steadfold_keys" ;; esac
}

# A new file, only for us. Where the system tells the umask, no process is needed.
_steadfold_make_file() {
  _steadfold_mask=
  if { { IFS= read -r _steadfold_mask && IFS= read -r _steadfold_mask; } <"$_steadfold_proc/self/status"; } 2>/dev/null; then
    case $_steadfold_mask in Umask:*) _steadfold_mask=${_steadfold_mask##*[!0-7]} ;; *) _steadfold_mask= ;; esac
  fi
  [ -n "$_steadfold_mask" ] || _steadfold_mask=$(umask)
  case $- in *C*) _steadfold_clobber='' ;; *) _steadfold_clobber=y; set -C ;; esac
  umask 077
  _steadfold_made=y
  true >"$_steadfold_file" || _steadfold_made=
  umask "$_steadfold_mask"
  case $_steadfold_clobber in y) set +C ;; esac
  case $_steadfold_made in '') _steadfold_failed ;; esac
}

# Without a clock of its own a shell can read the time since the machine started.
_steadfold_look_at_clock() {
  if { IFS=' ' read -r _steadfold_at _steadfold_rest <"$_steadfold_proc/uptime"; } 2>/dev/null; then
    _steadfold_at="up $_steadfold_at"
  else
    _steadfold_at=$(date +%s)
  fi
}

_steadfold_is_short() {
  [ "${#2}" -le 8000000 ] ||
    _steadfold_fail 4 "\"$1\" has ${#2} characters, more than the 8,000,000 of a value" 'keep it in a file and set its path'
}

_steadfold_own_trailer() {
  _steadfold_trailer="#end $_steadfold_stem-$_steadfold_count"
  _steadfold_until="until: $_steadfold_trailer$_steadfold_line"
}

# What was begun stays unfinished; the next fact gets another file.
_steadfold_failed() {
  _steadfold_pid='' _steadfold_stem=''
  _steadfold_denied "cannot write to $_steadfold_root/spool" ', then set the value again'
}

# Whether this is the process that numbered last: a subshell inherits every variable, but not the process.
if [ "${BASH_VERSINFO:-0}" -ge 4 ]; then
  _steadfold_is_same() { case $BASHPID in "$_steadfold_pid") ;; *) return 1 ;; esac; }
else
  _steadfold_is_same() {
    if [ -d "$_steadfold_proc/self" ]; then
      [ "$_steadfold_proc/self" -ef "$_steadfold_proc/${_steadfold_pid:-none}" ]
    else
      [ "$(exec sh -c 'printf %s "$PPID"')" = "$_steadfold_pid" ]
    fi
  }
fi

_steadfold_enter() {
  if { IFS= read -r _steadfold_rest <"$_steadfold_proc/self/stat"; } 2>/dev/null; then
    _steadfold_pid=${_steadfold_rest%% *} _steadfold_rest=${_steadfold_rest##*) } _steadfold_field=3
    while [ "$_steadfold_field" -lt 22 ]; do
      _steadfold_rest=${_steadfold_rest#* } _steadfold_field=$((_steadfold_field + 1))
    done
    _steadfold_begun=${_steadfold_rest%% *}
  else
    _steadfold_pid=$(exec sh -c 'printf %s "$PPID"') _steadfold_begun=$(date +%s)
  fi
  # As many digits in every process; a start time is more than a shell of 32 bits can count.
  _steadfold_begun=000000000000$_steadfold_begun
  _steadfold_begun=1${_steadfold_begun#"${_steadfold_begun%????????????}"}-$((1000000000 + _steadfold_pid))
  if [ -n "$_steadfold_stem" ] && [ "${#_steadfold_stem}" -lt 150 ]; then
    _steadfold_stem=$_steadfold_stem-${_steadfold_count}_$_steadfold_begun
  else
    _steadfold_random || return
    _steadfold_stem=$_steadfold_begun-$_steadfold_value
  fi
  _steadfold_count=100000000
}

_steadfold_random() {
  if { IFS= read -r _steadfold_value <"$_steadfold_proc/sys/kernel/random/uuid"; } 2>/dev/null; then
    _steadfold_value=${_steadfold_value%%-*}
  else
    _steadfold_value=$(od -An -N4 -tx1 /dev/urandom | tr -cd 0-9a-f)
  fi
}

# ---- memory -------------------------------------------------------------------------------------------------------

# What is remembered is of one session.
_steadfold_turn_to() {
  case $_steadfold_session in '' | "$1") ;; *) _steadfold_forget_all ;; esac
  _steadfold_session=$1
}

_steadfold_forget_all() {
  _steadfold_kept=${_steadfold_var-}
  case $_steadfold_machine in y) unset CURRENT_STATE TERMINAL_STATE WORKFLOW_SCOPE ;; esac
  _steadfold_machine='' _steadfold_end=''
  while [ "$_steadfold_keys" != ' ' ]; do
    _steadfold_rest=${_steadfold_keys# }
    _steadfold_key=${_steadfold_rest%% *}
    _steadfold_keys=" ${_steadfold_rest#"$_steadfold_key "}"
    _steadfold_variable "$_steadfold_key"
    unset "$_steadfold_var"
  done
  _steadfold_var=$_steadfold_kept
}

# Checks NAME and puts the variable that holds its value into _steadfold_var. Where a name has more than a variable may,
# its parts are told apart by their lengths: a.b-c_d is 1_ad1_bh3_c_d.
_steadfold_variable() {
  case $1 in
    *[!$_steadfold_letters$_steadfold_digits.-]* | [!$_steadfold_letters]* | '' | *proto* | constructor | ?????????????????????????????????????????????????????????????????*) _steadfold_check "$1" || return ;;
  esac
  case $1 in *[.-]*) ;; *) _steadfold_var=_steadfold_v_$1; return ;; esac
  _steadfold_rest=$1 _steadfold_var=_steadfold_w_
  while :; do
    _steadfold_part=${_steadfold_rest%%[.-]*}
    _steadfold_var=$_steadfold_var${#_steadfold_part}_$_steadfold_part
    case $_steadfold_rest in
      "$_steadfold_part".*) _steadfold_var=${_steadfold_var}d _steadfold_rest=${_steadfold_rest#"$_steadfold_part".} ;;
      "$_steadfold_part"-*) _steadfold_var=${_steadfold_var}h _steadfold_rest=${_steadfold_rest#"$_steadfold_part"-} ;;
      *) return ;;
    esac
  done
}

# ---- reading the view ---------------------------------------------------------------------------------------------

# Asks the command for the state of the session, as text: a head of `word: value` lines, an empty line, outputs in the
# grammar of STEADFOLD_OUTPUT.
_steadfold_view() {
  case ${1-} in
    '') _steadfold_text=$(_steadfold_run shell --view) || return ;;
    try) _steadfold_text=$(_steadfold_try shell --view) || return ;;
    *) _steadfold_text=$(_steadfold_run shell "$@") || return ;;
  esac
  _steadfold_forget_all
  _steadfold_section=head
  while IFS= read -r _steadfold_rest; do
    "_steadfold_take_$_steadfold_section"
  done <<EOF_STEADFOLD
$_steadfold_text
EOF_STEADFOLD
}

_steadfold_take_head() {
  case $_steadfold_rest in
    '') _steadfold_section=output ;;
    'session: '*) _steadfold_session=${_steadfold_rest#*: } ;;
    'current: '*) CURRENT_STATE=${_steadfold_rest#*: } _steadfold_machine=y; export CURRENT_STATE ;;
    'terminal: '*) TERMINAL_STATE=${_steadfold_rest#*: }; export TERMINAL_STATE ;;
    'end: '*) _steadfold_end=${_steadfold_rest#*: } ;;
    'scope: '*) WORKFLOW_SCOPE=${_steadfold_rest#*: }; export WORKFLOW_SCOPE ;;
  esac
}

_steadfold_take_output() {
  _steadfold_name=${_steadfold_rest%%[=<]*}
  _steadfold_rest=${_steadfold_rest#"$_steadfold_name"}
  case $_steadfold_rest in
    '='*) _steadfold_store "${_steadfold_rest#=}" ;;
    '<<'*) _steadfold_take_block "${_steadfold_rest#<<}" && _steadfold_store "$_steadfold_text" ;;
  esac
}

# DELIMITER: the lines up to it. They are gathered by the hundred, because a long value is slow to add to.
_steadfold_take_block() {
  _steadfold_text='' _steadfold_few='' _steadfold_between='' _steadfold_field=0
  while IFS= read -r _steadfold_rest && [ "$_steadfold_rest" != "$1" ]; do
    _steadfold_few=$_steadfold_few$_steadfold_between$_steadfold_rest _steadfold_between=$_steadfold_line
    _steadfold_field=$((_steadfold_field + 1))
    if [ "$_steadfold_field" -eq 100 ]; then
      _steadfold_text=$_steadfold_text$_steadfold_few _steadfold_few='' _steadfold_field=0
    fi
  done
  _steadfold_text=$_steadfold_text$_steadfold_few
}

_steadfold_store() {
  _steadfold_variable "$_steadfold_name" 2>/dev/null || return 0
  eval "$_steadfold_var=\$1"
  _steadfold_keys=" $_steadfold_name$_steadfold_keys"
  [ -z "${_steadfold_give:-}" ] || _steadfold_offer "$_steadfold_name" "$1"
}

# A value becomes a variable of the caller unless the variable means something to shells or to programs.
_steadfold_offer() {
  _steadfold_is_variable "$1" || return 0
  case $_steadfold_machine$1 in yCURRENT_STATE | yTERMINAL_STATE | yWORKFLOW_SCOPE) return 0 ;; esac
  case $1 in
    PATH | IFS | ENV | HOME | SHELL | PWD | OLDPWD | UID | EUID | PPID | GROUPS | PS[0-9] | PROMPT_* | CDPATH | TMPDIR | \
      OPTIND | OPTARG | OPTERR | LINENO | RANDOM | SRANDOM | SECONDS | EPOCH* | FUNCNAME | DIRSTACK | HIST* | MAIL* | \
      GLOBIGNORE | EXECIGNORE | FIGNORE | POSIXLY_CORRECT | TMOUT | LC_* | LANG* | EDITOR | VISUAL | PAGER | LESS* | \
      BASH* | SHELLOPTS | LD_* | DYLD_* | GCONV_PATH | LOCPATH | NODE_* | PYTHON* | PERL* | RUBY* | JAVA_* | _JAVA_* | \
      GIT_* | SSH_* | npm_* | BROWSER | *_proxy | *_PROXY | _ | \
      STEADFOLD_* | _steadfold_*)
      printf 'note: $%s is not set from a value of the same name; read it with: steadfold_get %s\n' "$1" "$1" >&2
      return 0
      ;;
  esac
  # Programs cannot be started with a variable of 128 KiB in their environment.
  if [ "${#2}" -lt 32000 ]; then _steadfold_export "$1=$2" || :; else eval "$1=\$2"; fi
}

# Where a variable is read-only, `command` keeps other shells from ending; zsh looks for a program of that name.
case ${ZSH_VERSION+y} in
  y) _steadfold_export() { builtin export "$1"; } ;;
  *) _steadfold_export() { command export "$1"; } ;;
esac

# ---- where we are -------------------------------------------------------------------------------------------------

# Finds workspace and session once, and again when the caller names others. `make`: a workspace may be missing.
_steadfold_find() {
  if [ "${STATE_FILE:-}" != "$_steadfold_carrier" ]; then _steadfold_take_up; fi
  if [ -z "$_steadfold_root" ] || [ "${STEADFOLD_DIR:-}" != "$_steadfold_found" ]; then
    [ -z "$_steadfold_root" ] || { _steadfold_forget_all && _steadfold_session=; }
    _steadfold_search || [ "${1:-}" = make ] ||
      { _steadfold_fail 3 "there is no workspace in $_steadfold_base or above it" 'steadfold init' || return; }
  fi
  if [ "${STEADFOLD_SESSION:-}" != "$_steadfold_named" ]; then
    _steadfold_named=${STEADFOLD_SESSION:-}
    _steadfold_turn_to "$_steadfold_named"
  fi
  [ "${1:-}" != make ] || return 0
  _steadfold_spool || return
  _steadfold_context=${STATE_FILE-}:${STEADFOLD_DIR-}:${STEADFOLD_SESSION-}
}

# STATE_FILE carries workspace and session out of $(init_workflow_state).
_steadfold_take_up() {
  _steadfold_carrier=${STATE_FILE:-}
  case $_steadfold_carrier in */.steadfold/shell/*.sh) ;; *) return 0 ;; esac
  _steadfold_root=${_steadfold_carrier%/shell/*} _steadfold_found=${STEADFOLD_DIR:-}
  _steadfold_rest=${_steadfold_carrier##*/}
  _steadfold_turn_to "${_steadfold_rest%.sh}"
}

_steadfold_search() {
  _steadfold_found=${STEADFOLD_DIR:-}
  # As the command sees it: a link into a workspace leads into it.
  case $_steadfold_found in /*) _steadfold_base=$_steadfold_found ;; *) _steadfold_base=$(pwd -P 2>/dev/null) || _steadfold_base=$PWD ;; esac
  case $_steadfold_found in '' | /*) ;; *) _steadfold_base=$_steadfold_base/$_steadfold_found ;; esac
  case $_steadfold_base in */.steadfold | */.steadfold/) _steadfold_base=${_steadfold_base%/.steadfold*} ;; esac
  _steadfold_root=
  _steadfold_at=$_steadfold_base
  [ -d "$_steadfold_at/.steadfold" ] ||
    { [ -z "$_steadfold_found" ] && { _steadfold_upward .steadfold/. || { _steadfold_main_checkout && _steadfold_upward .steadfold/.; }; }; } || return
  _steadfold_root=$_steadfold_at/.steadfold
}

# NAME: the nearest folder upward that holds it; of a folder with a dot behind it.
_steadfold_upward() {
  until [ -e "$_steadfold_at/$1" ]; do
    [ -n "$_steadfold_at" ] || return
    _steadfold_at=${_steadfold_at%/*}
  done
}

# Where this folder of a worktree of git would be in the main checkout, when both know each other.
_steadfold_main_checkout() {
  _steadfold_at=$_steadfold_base
  _steadfold_upward .git && [ -f "$_steadfold_at/.git" ] || return
  IFS=' ' read -r _steadfold_word _steadfold_own <"$_steadfold_at/.git" && [ "$_steadfold_word" = gitdir: ] || return
  case $_steadfold_own in /*) ;; *) _steadfold_own=$_steadfold_at/$_steadfold_own ;; esac
  { IFS= read -r _steadfold_back <"$_steadfold_own/gitdir" && IFS= read -r _steadfold_common <"$_steadfold_own/commondir"; } 2>/dev/null || return
  case $_steadfold_back in /*) ;; *) _steadfold_back=$_steadfold_own/$_steadfold_back ;; esac
  case $_steadfold_common in /*) ;; *) _steadfold_common=$_steadfold_own/$_steadfold_common ;; esac
  [ "$_steadfold_back" -ef "$_steadfold_at/.git" ] || return
  _steadfold_at=$(CDPATH='' cd -P "$_steadfold_common/.." && pwd)${_steadfold_base#"$_steadfold_at"}
}

_steadfold_spool() {
  if [ -h "$_steadfold_root" ] || [ -h "$_steadfold_root/spool" ]; then
    _steadfold_fail 8 "$_steadfold_root/spool is a link, and links are not followed" || return
  fi
  _steadfold_folder "$_steadfold_root/spool"
}

# Makes a folder; others may make it at the same time.
_steadfold_folder() {
  [ -d "$1" ] || mkdir -m 700 "$1" 2>/dev/null || [ -d "$1" ] || _steadfold_denied "cannot make $1"
}

_steadfold_denied() {
  [ -d "$_steadfold_root" ] || { _steadfold_fail 3 "there is no $_steadfold_root any more" 'steadfold init' || return; }
  _steadfold_fail 8 "$1" "free space or mend the permissions${2-}"
}

# The file named by STATE_FILE holds no values: it names the session. CLAUDE_PROJECT_DIR is the folder of the workspace
# where nobody has said it.
_steadfold_carry() {
  [ -n "$_steadfold_root" ] || _steadfold_search || { _steadfold_fail 3 "there is no workspace in $_steadfold_base" || return; }
  _steadfold_folder "$_steadfold_root/shell" || return
  STATE_FILE=$_steadfold_root/shell/$_steadfold_session.sh CLAUDE_PROJECT_DIR=${CLAUDE_PROJECT_DIR:-${_steadfold_root%/*}}
  _steadfold_carrier=$STATE_FILE
  export STATE_FILE CLAUDE_PROJECT_DIR
  [ -e "$STATE_FILE" ] ||
    (umask 077 && printf '# Session %s. Its values are in the log: steadfold output list\n' "$_steadfold_session" >"$STATE_FILE")
}

# ---- the command --------------------------------------------------------------------------------------------------

# Certificates are for the network, which these commands do not use; reading them costs more than the command.
_steadfold_run() {
  _steadfold_program=${STEADFOLD_BIN:-${_steadfold_command:-steadfold}}
  if ! command -v "$_steadfold_program" >/dev/null 2>&1; then
    _steadfold_fail 8 "cannot find the command $_steadfold_program" 'put steadfold on the PATH, or its path into STEADFOLD_BIN' || return
  fi
  if [ -z "$_steadfold_root" ]; then
    NODE_EXTRA_CA_CERTS='' command "$_steadfold_program" "$@"
  elif [ -z "$_steadfold_session" ]; then
    NODE_EXTRA_CA_CERTS='' STEADFOLD_DIR=${_steadfold_root%/*} command "$_steadfold_program" "$@"
  else
    NODE_EXTRA_CA_CERTS='' STEADFOLD_DIR=${_steadfold_root%/*} STEADFOLD_SESSION=$_steadfold_session \
      command "$_steadfold_program" "$@"
  fi
}

# That something is not there is said by the status alone, 3.
_steadfold_try() {
  _steadfold_status=0
  { _steadfold_said=$(_steadfold_run "$@" 2>&1 >&3 3>&-) || _steadfold_status=$?; } 3>&1
  case $_steadfold_status:$_steadfold_said in 3:* | *:) ;; *) printf '%s\n' "$_steadfold_said" >&2 ;; esac
  return "$_steadfold_status"
}

_steadfold_fail() {
  printf 'error: %s\n' "$2" >&2
  [ -z "${3:-}" ] || printf 'next: %s\n' "$3" >&2
  return "$1"
}

_steadfold_usage() {
  _steadfold_fail 64 "usage: $1"
}

_steadfold_check() {
  _steadfold_is_name "$1" ||
    _steadfold_fail 4 "\"$1\" is no name for a value" 'a name is made of A-Z a-z 0-9 _ . - and begins with a letter or _'
}

_steadfold_is_name() {
  case $1 in
    '' | [!$_steadfold_letters]* | *[!$_steadfold_letters$_steadfold_digits.-]* | __proto__ | constructor | prototype) return 1 ;;
  esac
  [ "${#1}" -le 256 ]
}

_steadfold_is_variable() {
  case $1 in '' | [!$_steadfold_letters]* | *[!$_steadfold_letters$_steadfold_digits]*) return 1 ;; esac
}

# A step's own session counts more than the STATE_FILE of a script far above it.
if [ -n "${STEADFOLD_SESSION:-}" ]; then _steadfold_carrier=${STATE_FILE:-}; fi
# Only bash knows which file this is; the command stands beside it.
if [ -z "$_steadfold_command" ] && [ -n "${BASH_VERSINFO:-}" ]; then
  case ${BASH_SOURCE-} in */*) _steadfold_command=${BASH_SOURCE%/*}/steadfold.cjs ;; esac
  case $_steadfold_command in /*) ;; *) _steadfold_command=$PWD/$_steadfold_command ;; esac
  [ -x "$_steadfold_command" ] || _steadfold_command=
fi
