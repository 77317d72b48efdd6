/*
 * The parser for the commands that must start fast; even node's own parseArgs would cost a tenth of their time.
 *
 * H1. It understands a command line completely or not at all: help, unknown flags, missing words and every other
 *     error of usage are handed to the full parser, which reads the same table.
 * H2. What it understands, it understands as the full parser does.
 */
import { EngineError } from '../../../kernel/error.ts'
import type { World } from '../context/context.ts'
import type { HotApp } from '../context/hot-app.ts'
import { perform } from '../process/perform.ts'
import type { Call, Command, Flag } from '../syntax/command.ts'
import { flagsOf } from '../syntax/flags.ts'
import { inputOf, type Words } from '../syntax/words.ts'
import { mayBeReplaced } from './utf8.ts'

/** The exit status; undefined when the line is for the full parser. Nothing has been done then. */
export async function performHot<A extends HotApp>(
  app: A,
  table: readonly Command<A>[],
  argv: readonly string[],
  world: World,
): Promise<number | undefined> {
  try {
    const call = parseHot(table, argv)
    return call === undefined ? undefined : await perform(app, call, world)
  } catch (error) {
    if (error instanceof EngineError && error.code === 'USAGE') return undefined
    throw error
  }
}

/** H1. */
export function parseHot<A extends HotApp>(table: readonly Command<A>[], argv: readonly string[]): Call<A> | undefined {
  const two = `${argv[0] ?? ''} ${argv[1] ?? ''}`
  const command = table.find(({ name }) => name === two || name === argv[0])
  if (command === undefined || argv.includes('--help') || argv.includes('-h') || mayBeReplaced(argv)) return undefined
  const words = argv.slice(command.name === two ? 2 : 1)
  try {
    const understood = wordsOf(command, words)
    return understood && { command, input: inputOf(command, understood) }
  } catch {
    return undefined
  }
}

/** Undefined for everything that is not plain: combined letters, values that look like flags, flags that are not known. */
function wordsOf<A extends HotApp>(command: Command<A>, args: readonly string[]): Words | undefined {
  const flags = flagsOf(command)
  const words = { positionals: [] as string[], flags: {} as Record<string, Given> }
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? ''
    if (word === '--' && command.takesCommand === true) return undefined
    if (word === '--') return { ...words, positionals: [...words.positionals, ...args.slice(i + 1)] }
    if (word === '-' || !word.startsWith('-')) {
      words.positionals.push(word)
      continue
    }
    const taken = takeFlag(flags, word, args[i + 1], words.flags)
    if (taken === undefined) return undefined
    i += taken
  }
  return words
}

type Given = string | boolean | string[]

/** How many words its value took; undefined when it is not understood. */
function takeFlag(
  flags: readonly Flag[],
  word: string,
  next: string | undefined,
  given: Record<string, Given>,
): 0 | 1 | undefined {
  const cut = word.indexOf('=')
  const name = cut < 0 ? word : word.slice(0, cut)
  const flag = flags.find((each) => name === `--${each.name}` || (word.length === 2 && name === `-${each.short ?? ''}`))
  if (flag === undefined || (cut >= 0 && (flag.type === 'boolean' || !word.startsWith('--')))) return undefined
  if (flag.type === 'boolean') {
    switchTo(flag, flags, given)
    return 0
  }
  const value = cut < 0 ? next : word.slice(cut + 1)
  if (value === undefined || (cut < 0 && value.startsWith('-') && value !== '-')) return undefined
  const before = given[flag.name]
  given[flag.name] = flag.repeat !== true ? value : Array.isArray(before) ? [...before, value] : [value]
  return cut < 0 ? 1 : 0
}

/** Of --NAME and --no-NAME the last is meant. */
function switchTo({ field, off }: Flag, flags: readonly Flag[], given: Record<string, Given>): void {
  for (const each of flags) if (each.type === 'boolean' && each.field === field) given[each.name] = off !== true
}
