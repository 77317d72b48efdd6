import type { Output } from '../../kernel/output-grammar.ts'

/*
 * Outputs as variables of a shell. The library itself never sources this; it is for other programs' scripts.
 *
 * X1. A value stands in single quotes, where a shell changes nothing.
 * X2. What is no variable, or means something to shells and programs, is left out and named.
 */
export interface Exports {
  readonly text: string
  /** Names that were left out. */
  readonly omitted: readonly string[]
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/
const MEANT = new Set(
  ('PATH IFS ENV HOME SHELL PWD OLDPWD UID EUID PPID GROUPS CDPATH TMPDIR OPTIND OPTARG OPTERR LINENO RANDOM SRANDOM ' +
    'SECONDS FUNCNAME DIRSTACK GLOBIGNORE EXECIGNORE FIGNORE POSIXLY_CORRECT TMOUT EDITOR VISUAL PAGER SHELLOPTS _').split(' '),
)
const MEANT_FAMILY =
  /^(PS\d|(BASH|EPOCH|HIST|LANG|LESS|MAIL)|(DYLD|GIT|JAVA|LC|LD|NODE|PROMPT|SSH|STEADFOLD|_steadfold|npm)_|PERL|PYTHON|RUBY)/

/** Whether a value may become the variable `name` of somebody's shell. */
export const isFreeVariable = (name: string): boolean => VARIABLE.test(name) && !MEANT.has(name) && !MEANT_FAMILY.test(name)

/** `export NAME='value'` lines (X1, X2). */
export function shellExports(outputs: readonly Output[]): Exports {
  const free = outputs.filter(({ name, value }) => isFreeVariable(name) && !value.includes('\0'))
  const omitted = outputs.filter((output) => !free.includes(output)).map(({ name }) => name)
  return { text: free.map(({ name, value }) => `export ${name}=${quoted(value)}\n`).join(''), omitted }
}

/** X1 */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
