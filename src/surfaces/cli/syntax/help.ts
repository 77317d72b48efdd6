/*
 * Help, from the table. The long form begins with examples.
 */
import type { App } from '../context/app.ts'
import type { Paint } from '../show/paint.ts'
import { columns, padEnd } from '../show/text.ts'
import type { Command, Flag } from './command.ts'
import { EVERYWHERE, flagsOf } from './flags.ts'

interface Look {
  readonly paint: Paint
  readonly width: number
}

/** Every command of the overview, in the order in which somebody meets them. */
const GROUPS: readonly (readonly [title: string, words: readonly string[]])[] = [
  ['Begin', ['init', 'doctor', 'demo', 'session']],
  ['Work', ['run', 'once', 'workflow', 'step', 'output', 'state', 'supervise', 'runner']],
  ['Look', ['status', 'inbox', 'watch', 'ui', 'log', 'tail', 'diff', 'show', 'blame', 'stats', 'sql', 'wait']],
  ['Plan', ['task', 'dependency', 'epic', 'sprint', 'project', 'budget']],
  ['Team', ['agent', 'pool', 'team', 'lock', 'handoff', 'message', 'channel', 'turn', 'chat', 'consent', 'activity']],
  ['Agent programs', ['install', 'uninstall', 'prime', 'statusline', 'hook', 'mcp', 'rescue']],
  ['Move', ['import', 'bundle', 'teleport', 'push', 'pull', 'remote', 'workspace', 'key']],
  ['Care', ['health', 'recover', 'verify', 'repair', 'gc', 'redact']],
  ['Use from elsewhere', ['shell', 'serve', 'completion', 'schema', 'version', 'help']],
]

const FIRST = [
  'init && steadfold session create build-auth',
  'run review.workflow.yaml',
  'state set data.topic auth',
  'status',
]

export function overview(commands: readonly Command<App>[], { paint, width }: Look): string {
  const shown = commands.filter(({ hidden }) => hidden !== true)
  const wide = Math.max(...GROUPS.flatMap(([, words]) => words.map(({ length }) => length)))
  const lines = GROUPS.flatMap(([title, words]) => [
    '',
    paint.bold(title),
    ...words.map((word) => overviewLine(shown, word, { paint, width, wide })),
  ])
  return [
    ...exampleLines(FIRST, paint),
    ...lines,
    '',
    `${paint.dim('steadfold COMMAND --help says more; every command takes --json and --dir')}`,
  ].join('\n')
}

function overviewLine(
  commands: readonly Command<App>[],
  word: string,
  { paint, width, wide }: Look & { readonly wide: number },
): string {
  const alone = commands.find(({ name }) => name === word)
  const head = `  ${padEnd(word, wide)}  `
  if (alone !== undefined) return `${head}${paint.dim(alone.summary)}`
  const verbs = commands
    .filter(({ name }) => name.startsWith(`${word} `))
    .map(({ name }) => name.slice(word.length + 1))
  return wrap(verbs, width - head.length)
    .map((line, i) => (i === 0 ? head : ' '.repeat(head.length)) + line)
    .join('\n')
}

function wrap(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length + 1 <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** A sentence in lines that begin with blanks; nothing where there is none. */
const said = (text: string, indent: number, width: number): readonly string[] =>
  text === '' ? [] : wrap(text.split(' '), width - indent).map((line) => ' '.repeat(indent) + line)

/** The verbs of one noun. */
export function nounHelp(noun: string, commands: readonly Command<App>[], { paint, width }: Look): string {
  const verbs = commands.filter(({ name, hidden }) => name.startsWith(`${noun} `) && hidden !== true)
  const examples = verbs.slice(0, 3).flatMap(({ examples }) => examples.slice(0, 1))
  const rows = verbs.map((command) => [usageOf(command), command.summary])
  const lines = columns(rows, { indent: '  ' })
  const fits = lines.every((line) => line.length <= width)
  const stacked = verbs.flatMap((command) => [
    `  ${usageOf(command)}`,
    ...said(command.summary, 6, width).map(paint.dim),
  ])
  return [
    ...exampleLines(examples, paint),
    '',
    paint.bold(`steadfold ${noun}`),
    ...(fits ? lines : stacked),
    '',
    paint.dim(`steadfold ${noun} VERB --help says more`),
  ].join('\n')
}

export function commandHelp(command: Command<App>, { paint, width }: Look): string {
  const own = flagsOf({ flags: command.flags, shares: [] }).filter((flag) => !EVERYWHERE.includes(flag))
  const shared = flagsOf(command).filter((flag) => !own.includes(flag))
  const parameters = command.parameters.map(({ name, summary }) => [name, summary])
  const section = (title: string, rows: readonly (readonly string[])[]) =>
    rows.length === 0 ? [] : ['', paint.bold(title), ...folded(rows, width)]
  return [
    ...exampleLines(command.examples, paint),
    '',
    `${paint.bold(`steadfold ${usageOf(command)}`)}`,
    ...said(command.summary, 2, width),
    ...said(command.notes ?? '', 2, width).map(paint.dim),
    ...section('Words', parameters),
    ...section('Flags', own.map(flagRow)),
    ...section('Also', shared.map(flagRow)),
  ].join('\n')
}

const exampleLines = (examples: readonly string[], paint: Paint): string[] => [
  'Examples',
  ...examples.map((line) => `  ${paint.dim('$')} ${withProgram(line)}`),
]

/** `date | state set …` begins with another program; `… | jq` ends with one. */
export const withProgram = (line: string): string =>
  line.includes(' | ') && !/ \| (?:jq|dot) /.test(line) ? line.replace(' | ', ' | steadfold ') : `steadfold ${line}`

export function usageOf({
  name,
  parameters,
  takesCommand,
}: Pick<Command<App>, 'name' | 'parameters' | 'takesCommand'>): string {
  const words = parameters.map(
    ({ name: word, required, rest }) => `${required ? word : `[${word}]`}${rest === true ? '…' : ''}`,
  )
  return [name, ...words, ...(takesCommand === true ? ['[-- CMD…]'] : [])].join(' ')
}

function flagRow({ name, short, value, type, choices, summary, repeat }: Flag): readonly string[] {
  const taken = type === 'boolean' ? '' : ` ${value ?? 'VALUE'}`
  const isSaid = choices === undefined || choices.every((choice) => summary.includes(choice))
  const many = repeat === true ? '; may be repeated' : ''
  return [
    `${short === undefined ? '    ' : `-${short}, `}--${name}${taken}`,
    `${summary}${isSaid ? '' : ` (${choices.join(', ')})`}${many}`,
  ]
}

/** Two columns; a long second one goes on below itself. */
function folded(rows: readonly (readonly string[])[], width: number): readonly string[] {
  const first = Math.max(...rows.map(([name = '']) => name.length))
  return rows.flatMap(([name = '', text = '']) =>
    wrap(text.split(' '), Math.max(20, width - first - 4)).map(
      (line, i) => `  ${padEnd(i === 0 ? name : '', first)}  ${line}`,
    ),
  )
}
