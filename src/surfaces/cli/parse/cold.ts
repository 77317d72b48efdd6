/*
 * The parser for all commands: commander, which knows what to say about a line that is wrong.
 *
 * C1. It reads the same table as the hot parser and ends in the same Call.
 * C2. Errors of usage exit 64; with --json they are an object like every other error.
 */
import { Command as Program, CommanderError, Option } from 'commander'
import { exitStatus, type EngineError } from '../../../kernel/error.ts'
import type { App } from '../context/app.ts'
import { Context, type World } from '../context/context.ts'
import { usage } from '../context/input.ts'
import { asFailure, perform, sayError } from '../process/perform.ts'
import { stoppedStatus } from '../process/world.ts'
import type { Call, Command, Flag } from '../syntax/command.ts'
import { EVERYWHERE, flagsOf } from '../syntax/flags.ts'
import { sameVerbs } from '../syntax/same-verb.ts'
import { inputOf, type Words } from '../syntax/words.ts'
import type { Table } from '../table/table.ts'
import { assertUtf8 } from './utf8.ts'

export async function performCold(app: App, table: Table, argv: readonly string[], world: World): Promise<number> {
  try {
    assertUtf8(argv)
    const call = await parseCold(table, argv)
    const status = await perform(app, call, world)
    return stoppedStatus(world.signal) ?? status
  } catch (error) {
    const failure = await withHint(table, argv, asFailure(error))
    const own = argv.slice(0, end(argv))
    const input = {
      '--json': own.includes('--json'),
      '--dir': valueIn(own, '--dir'),
      '--session': valueIn(own, '--session', '-s'),
      '--as': valueIn(own, '--as'),
    }
    const wanted = wordsOf(own)
    const command = leaf(await table.around(wanted[0] ?? ''), wanted)?.name
    sayError(new Context(app, world, input, command), failure)
    return exitStatus(failure.code)
  }
}

/** Of a line that may not be understood. */
function valueIn(argv: readonly string[], flag: string, short = flag): string | undefined {
  const at = argv.findLastIndex((word) => word === flag || word === short || word.startsWith(`${flag}=`))
  return argv[at] === flag || argv[at] === short ? argv[at + 1] : argv[at]?.slice(flag.length + 1)
}

/** A line that does not fit its command is answered with that command's help. */
async function withHint(table: Table, argv: readonly string[], failure: EngineError): Promise<EngineError> {
  if (failure.code !== 'USAGE' || failure.hint !== undefined) return failure
  const wanted = wordsOf(argv.slice(0, end(argv)))
  const command = leaf(await table.around(wanted[0] ?? ''), wanted)
  return usage(failure.message, `steadfold ${command === undefined ? '' : `${command.name} `}--help`)
}

const end = (argv: readonly string[]): number => (argv.includes('--') ? argv.indexOf('--') : argv.length)

/** Throws USAGE. Help and version are commands, too. */
export async function parseCold(table: Table, argv: readonly string[]): Promise<Call<App>> {
  const own = argv.slice(0, end(argv))
  const wanted = wordsOf(own)
  const json = { '--json': own.includes('--json') }
  if (own.includes('--version') || own.includes('-V')) return { command: await table.builtin('version'), input: json }
  const isHelp = own.includes('--help') || own.includes('-h') || argv.length === 0 || wanted[0] === 'help'
  if (isHelp)
    return { command: await table.builtin('help'), input: { ...json, words: wanted.filter((word) => word !== 'help') } }
  const commands = await table.around(wanted[0] ?? '')
  const command = leaf(commands, wanted)
  if (command?.takesCommand !== true) return parsed(commands, argv)
  const behind = argv.slice(end(argv) + 1)
  return parsed(commands, own, end(argv) < argv.length ? behind : undefined)
}

/** The words that are no flags, nor values of the flags that every command has. */
function wordsOf(argv: readonly string[]): readonly string[] {
  const valued = new Set(EVERYWHERE.filter(({ type }) => type !== 'boolean').map(({ name }) => `--${name}`))
  return argv.filter((word, i) => !word.startsWith('-') && !valued.has(argv[i - 1] ?? ''))
}

const leaf = (
  commands: readonly Command<App>[],
  [first = '', second = '']: readonly string[],
): Command<App> | undefined =>
  commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first)

async function parsed(
  commands: readonly Command<App>[],
  argv: readonly string[],
  behind?: readonly string[],
): Promise<Call<App>> {
  let call: Call<App> | undefined
  const root = program('steadfold', EVERYWHERE)
  const nouns = new Map<string, Program>()
  for (const command of commands) {
    const [noun = '', verb] = command.name.split(' ')
    const parent = verb === undefined ? root : (nouns.get(noun) ?? nounOf(root, nouns, noun))
    parent.addCommand(
      leafOf(
        command,
        verb ?? noun,
        (words) => (call = { command, input: inputOf(command, withCommand(words, behind)) }),
      ),
    )
  }
  try {
    await root.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    throw error instanceof CommanderError ? asUsage(error, argv, commands) : error
  }
  return call ?? Promise.reject(noCommand())
}

const withCommand = (words: Words, command: readonly string[] | undefined): Words =>
  command === undefined ? words : { ...words, command }

function program(name: string, flags: readonly Flag[]): Program {
  const made = new Program(name).exitOverride().helpOption(false).helpCommand(false).enablePositionalOptions()
  made.configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
  for (const flag of flags) made.addOption(optionOf(flag))
  return made.hook('preSubcommand', (_, next) => late.get(next)?.())
}

/** Of one command the flags are needed: the one that the line turns out to be for. */
const late = new WeakMap<Program, () => void>()

function nounOf(root: Program, nouns: Map<string, Program>, noun: string): Program {
  const made = program(noun, EVERYWHERE)
  nouns.set(noun, made)
  root.addCommand(made)
  return made
}

function leafOf(command: Command<App>, word: string, take: (words: Words) => void): Program {
  const flags = flagsOf(command)
  const made = program(word, []).argument('[words...]')
  late.set(made, () => flags.forEach((flag) => made.addOption(optionOf(flag))))
  made.action((positionals: string[], _options: unknown, self: Program) =>
    take({ positionals, flags: given(self, flags) }),
  )
  return made
}

function optionOf({ name, short, type, value, repeat, summary }: Flag): Option {
  const long = type === 'boolean' ? `--${name}` : `--${name} <${value ?? 'value'}>`
  const option = new Option(short === undefined ? long : `-${short}, ${long}`, summary)
  return repeat === true
    ? option.argParser((word: string, before: readonly string[] | undefined) => [...(before ?? []), word])
    : option
}

/** What was given here or further left: `steadfold --json state get` and `steadfold state get --json` are the same. */
function given(self: Program, flags: readonly Flag[]): Words['flags'] {
  const values: Record<string, unknown> = self.optsWithGlobals()
  const pairs = flags.map((flag) => [flag.name, values[optionOf(flag).attributeName()]] as const)
  // Options are made from the flags: booleans, strings, or lists of strings where they repeat.
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined)) as Words['flags']
}

/** `error: unknown command 'stat'\n(Did you mean one of state, status?)` in our words. */
function asUsage(
  { message, code }: CommanderError,
  argv: readonly string[],
  commands: readonly Command<App>[],
): EngineError {
  const wanted = wordsOf(argv)
  const [noun = ''] = wanted
  if (code === 'commander.help') return needsVerb(noun, commands)
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n')
  const [, guess] = /\(Did you mean (?:one of )?(.*)\?\)/.exec(rest.join(' ')) ?? []
  const said = first.replaceAll(/'([^']*)'/g, '"$1"')
  const word = /"([^"]*)"/.exec(said)?.[1] ?? ''
  const elsewhere = ELSEWHERE[`${leaf(commands, wanted)?.name ?? ''} ${word}`]
  if (elsewhere !== undefined) return usage(said, elsewhere)
  const meant = byName(word, noun, commands) ?? begunBy(word, wanted, commands) ?? guess
  if (code === 'commander.unknownCommand' && noun !== word) return unknownVerb({ noun, word, meant }, commands)
  return usage(said, meant === undefined ? undefined : `did you mean ${meant}?`)
}

/** What others call it. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'log --follow': 'steadfold tail follows the log as it grows',
  'log -f': 'steadfold tail follows the log as it grows',
}

function unknownVerb(
  { noun, word, meant }: { readonly noun: string; readonly word: string; readonly meant: string | undefined },
  commands: readonly Command<App>[],
): EngineError {
  const help = `steadfold ${noun} --help`
  return usage(
    `unknown command "${noun} ${word}"; its verbs are ${verbsOf(noun, commands).join(', ')}`,
    meant === undefined ? help : `did you mean ${meant}? ${help} says more`,
  )
}

const noCommand = (): EngineError => usage('which command?', 'steadfold --help')

function needsVerb(noun: string, commands: readonly Command<App>[]): EngineError {
  if (noun === '') return noCommand()
  return usage(`${noun} needs a verb: ${verbsOf(noun, commands).join(', ')}`, `steadfold ${noun} --help`)
}

const verbsOf = (noun: string, commands: readonly Command<App>[]): readonly string[] =>
  commands
    .filter(({ name, hidden }) => name.startsWith(`${noun} `) && hidden !== true)
    .map(({ name }) => name.slice(noun.length + 1))

/** What a verb without its noun may belong to, and one that another name has here. */
function byName(word: string, noun: string, commands: readonly Command<App>[]): string | undefined {
  const shown = commands.filter(({ hidden }) => hidden !== true).map(({ name }) => name)
  const names =
    noun === word ? shown.filter((name) => name.endsWith(` ${word}`)) : sameVerbs(word, verbsOf(noun, commands))
  return names.length === 0 ? undefined : names.join(', ')
}

/** What a word that is too short may be the beginning of. */
function begunBy(word: string, wanted: readonly string[], commands: readonly Command<App>[]): string | undefined {
  const own = leaf(commands, wanted)
  const place = wanted[0] === word ? 0 : 1
  const names = word.startsWith('-')
    ? own === undefined
      ? []
      : flagsOf(own).map(({ name }) => `--${name}`)
    : commands.flatMap(({ name }) => {
        const words = name.split(' ')
        return place === 0 || words[0] === wanted[0] ? words.slice(place, place + 1) : []
      })
  const fits = [...new Set(names.filter((name) => word.length > 1 && name.startsWith(word)))]
  return fits.length === 0 ? undefined : fits.join(', ')
}
