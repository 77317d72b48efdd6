import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatOutputs, type Output } from '../../kernel/text/output-grammar.ts'

/** What a shell is told of a session; absent where no workflow has been started. */
export interface ShellView {
  readonly session: string
  readonly current?: string | undefined
  readonly terminal?: string | undefined
  readonly scope?: string | undefined
  /** Of the workflow itself; a scope may end before it. */
  readonly end?: string | undefined
  readonly outputs: readonly Output[]
}

export interface ShellLibraryOptions {
  /** Path of the `steadfold` program that the functions start; otherwise the one beside the file or on the PATH. */
  readonly command?: string
}

const COMMAND_LINE = /^_steadfold_command=$/m

/** The file to be sourced. It lies beside this code, in the sources and in the package. */
export const shellLibraryPath = (): string => join(import.meta.dirname, 'steadfold.sh')

/** What the hook of an agent CLI was handed goes the way of those that start no Node. */
export function handIn(agent: string, event: Buffer, env: NodeJS.ProcessEnv): void {
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  spawnSync('sh', [join(import.meta.dirname, 'hook.sh'), agent], {
    input: event,
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
}

/** What bash or zsh is given to complete command lines. */
export const completionScript = (shell: 'bash' | 'zsh'): string =>
  readFileSync(join(import.meta.dirname, `completion.${shell}`), 'utf8')

/** The text of the shell library. */
export function shellLibrary({ command }: ShellLibraryOptions = {}): string {
  const text = readFileSync(shellLibraryPath(), 'utf8')
  return command === undefined ? text : text.replace(COMMAND_LINE, () => `_steadfold_command=${quoted(command)}`)
}

/**
 * What the functions of the library read: `word: value` lines, an empty line, outputs in their grammar. No shell can hold
 * a NUL; a value with one is left out rather than changed.
 */
export function shellView({ outputs, ...words }: ShellView): string {
  const head = Object.entries(words).flatMap(([word, value]) => (value === undefined ? [] : [`${word}: ${value}\n`]))
  return `${head.join('')}\n${formatOutputs(outputs.filter(({ value }) => !value.includes('\0')))}`
}

/** What the command `shell` hands out, for functions that start `program` where that is there. */
export const shellFiles = (program: string) => ({
  path: shellLibraryPath(),
  text: () => shellLibrary(existsSync(program) ? { command: program } : {}),
  view: shellView,
})

/** Inside single quotes a shell changes nothing. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
