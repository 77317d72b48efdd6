/*
 * A command line that runs a program with the Node on the PATH or, where an agent that a desktop or an editor started has none there,
 * with the one that is named.
 */

/** `$0` is the program, `$1` the folder of the other Node, the rest are words for the program. */
const FINDING_NODE = 'export PATH="$PATH:$1"; shift; exec node "$0" "$@"'

/** Words before those for the program. */
export const throughNode = (program: string, folder: string): readonly string[] => [
  'sh',
  '-c',
  FINDING_NODE,
  program,
  folder,
]

/** The words for a program of ours; undefined where the command line runs another. Earlier versions left the search to the agent. */
export function wordsForProgram(line: readonly unknown[]): readonly unknown[] | undefined {
  const [command, second, script, program] = line
  if (command === 'node') return isProgram(second) ? line.slice(2) : undefined
  return command === 'sh' && script === FINDING_NODE && isProgram(program) ? line.slice(5) : undefined
}

const isProgram = (word: unknown): boolean => /\.[cm]?js$/.test(String(word))
