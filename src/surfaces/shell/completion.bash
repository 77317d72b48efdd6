# bash completion for steadfold
#
# B1  Nothing that was typed, and no name of a session, is run or expanded: words go as arguments, and what is offered
#     is quoted for where it will stand.
# B2  It needs bash 3.2 and nothing else, and may be sourced again.
# shellcheck shell=bash

# A word as the shell would read it: `text`, the quote that is still open, and what stands before that.
_steadfold_read() {
  local raw=$1 char i
  text='' open='' before=''
  for ((i = 0; i < ${#raw}; i++)); do
    char=${raw:i:1}
    if [[ $char == "$open" ]]; then
      open='' before=''
    elif [[ $open == "'" ]]; then
      text+=$char
    elif [[ $char == \\ ]]; then
      i=$((i + 1))
      [[ $open == '"' && ${raw:i:1} != [\$\`\"\\] ]] && text+=$char
      text+=${raw:i:1}
    elif [[ -z $open && $char == [\'\"] ]]; then
      open=$char before=$text
    else
      text+=$char
    fi
  done
}

# `offer`: a value so that the shell reads it back as it is, where this quote is open.
_steadfold_quote() {
  local value=$1 open=$2 char i
  offer=''
  [[ -n $open ]] || printf -v offer %q "$value"
  for ((i = 0; i < ${#value} && ${#open} > 0; i++)); do
    char=${value:i:1}
    case $open$char in
      "''") offer+="'\\''" ;;
      '"!') offer+='"\!"' ;;
      '"'[\$\`\"\\]) offer+=\\$char ;;
      *) offer+=$char ;;
    esac
  done
}

_steadfold() {
  local words=() raw='' head='' kept='' piece gap line value text open before offer i
  local rest=${COMP_LINE:-}
  rest=${rest#"${rest%%[![:space:]]*}"}
  rest=${rest#"${COMP_WORDS[0]}"}
  COMPREPLY=()

  # bash takes words apart at = : and @; here they are whole again. `head` is what it took off the last one.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    gap=${rest%%[![:space:]]*}
    rest=${rest#"$gap"}
    if ((i > 1)) && [[ -z $gap && -n $piece && $rest == "$piece"* ]]; then
      head=$raw raw+=$piece
    else
      if ((i > 1)); then
        _steadfold_read "$raw"
        words+=("$text")
      fi
      head='' raw=$piece
    fi
    rest=${rest#"$piece"}
  done
  [[ $piece =~ ^[=:@]+$ ]] && head=$raw

  _steadfold_read "$head"
  head=$text
  _steadfold_read "$raw"
  words+=("$text")
  [[ -n $open ]] && head=$before
  # Of --flag=VALUE the value is offered.
  if [[ $text == --*=* ]]; then
    [[ $head == *=* ]] || kept=${text%%=*}=
    text=${text#*=} head=${head#*=}
  fi

  while IFS= read -r line; do
    value=${line%%$'\t'*}
    [[ $line == *$'\t'* && $value == "$text"* ]] || continue
    _steadfold_quote "${value#"$head"}" "$open"
    COMPREPLY+=("$kept$offer")
  done <<<"$(command steadfold complete -- "${words[@]}" </dev/null 2>/dev/null)"
}

complete -o default -F _steadfold steadfold
