/** Verbs that mean the same, as others call a command that has another name here; the likeliest first. */
const SAME: readonly (readonly string[])[] = [
  ['create', 'add', 'register', 'open', 'define', 'new', 'make'],
  ['remove', 'delete', 'archive', 'rm', 'del', 'unset'],
  ['update', 'set', 'configure', 'edit', 'change'],
  ['list', 'ls'],
  ['show', 'get', 'status', 'info', 'view', 'cat', 'describe'],
  ['send', 'post', 'say', 'tell'],
  ['acquire', 'claim', 'take', 'get', 'grab'],
  ['release', 'return', 'free', 'unlock'],
  ['done', 'complete', 'finish', 'close'],
  ['terminate', 'stop', 'cancel', 'end', 'kill', 'abort'],
]

/** Those of `verbs` that mean what `word` does. */
export const sameVerbs = (word: string, verbs: readonly string[]): readonly string[] =>
  SAME.filter((group) => group.includes(word)).flatMap((group) => group.filter((verb) => verbs.includes(verb)))
