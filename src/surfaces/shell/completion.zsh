#compdef steadfold
# zsh completion for steadfold
#
# Z1  Nothing that was typed, and no name of a session, is run or expanded: words go as arguments, and compadd quotes
#     what it inserts.
# Z2  It may lie in $fpath or be sourced.

_steadfold() {
  local line value
  local -a given values shown
  given=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
  # Of --flag=VALUE the value is offered.
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  for line in "${(@f)$(command steadfold complete -- "${given[@]}" </dev/null 2>/dev/null)}"; do
    [[ $line == *$'\t'* ]] || continue
    value=${line%%$'\t'*}
    values+=("$value")
    [[ $line == *$'\t' ]] && shown+=("$value") || shown+=("$value  -- ${line#*$'\t'}")
  done
  if (( $#values )); then
    compadd -l -d shown -a values
  else
    _files
  fi
}

if [[ ${funcstack[1]} == _steadfold ]]; then
  _steadfold "$@"
else
  compdef _steadfold steadfold
fi
