/** What supervisors look like, and what they save. */
import { type Members, membersOf } from '../../../kernel/json/members.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import { duration } from '../../../kernel/text/duration.ts'
import type { Context } from '../context/context.ts'
import { textOf, type Input } from '../context/input.ts'
import { columns, count, cut, plain, plainLines, thousands } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import type { Command } from '../syntax/command.ts'

const WHICH = {
  name: 'SUPERVISOR',
  field: 'id',
  type: 'text',
  required: false,
  summary: 'a supervisor, or a state that run works off; the last one when left out',
} as const

const show: Command = {
  name: 'supervise show',
  summary: 'a supervisor: its workers, what they found, and what goes up; or the whole report of one worker',
  examples: [
    'supervise show',
    'supervise show implement',
    'supervise show research authentication',
    'supervise show --json',
  ],
  parameters: [
    WHICH,
    { name: 'WORKER', field: 'worker', type: 'text', required: false, summary: 'print its whole report' },
  ],
  flags: [],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const worker = textOf(input, 'worker')
    const data = await ask(context, 'supervise.show', { ...which(input), worker })
    return { data, text: () => (worker === undefined ? supervisorText(context, data) : workerText(context, data)) }
  },
}

const meter: Command = {
  name: 'supervise meter',
  summary: 'tokens of the reports against those handed on, counted; the critical path against the sum of durations',
  examples: ['supervise meter', 'supervise meter implement', 'supervise meter --model gpt-5 --json'],
  notes:
    'Tokens are counted as o200k_base does: exact for OpenAI models from GPT-4o on, an estimate for all others. Durations are measured.',
  parameters: [WHICH],
  flags: [
    { name: 'model', field: 'model', type: 'text', value: 'NAME', summary: 'say whether the count is exact for it' },
  ],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const data = await ask(context, 'supervise.meter', { ...which(input), model: textOf(input, 'model') })
    return { data, text: () => meterText(context, data) }
  },
}

export const superviseViews: readonly Command[] = [show, meter]

const which = (input: Input) => ({ supervisor: textOf(input, 'id') })

async function ask(context: Context, operation: string, input: object): Promise<Members> {
  const { session, at } = await context.sessionAt('read')
  return membersOf(accepted(await session.run(operation, input, { at })).value)
}

function supervisorText(context: Context, data: Members): string {
  const { paint, io } = context
  const { supervisor, kind, status, next } = data
  const total = membersOf(data['aggregate'])
  const workers = list(data['workers'])
  const byName = new Map(workers.map((worker) => [String(worker['id']), worker]))
  // Names of workers, by wave or stage.
  const groups = (Array.isArray(data['waves']) ? data['waves'] : []) as readonly (readonly string[])[]
  const rows = groups.flatMap((names, at) => {
    const group = groups.length === 1 ? '' : groupName(kind === 'testing', at, byName.get(names[0] ?? ''))
    return names.flatMap((name) => [byName.get(name) ?? []].flat().map((worker) => rowOf(worker, group)))
  })
  const tally = `${number(total['workers_succeeded'])} of ${count(workers.length, 'worker')} done`
  return [
    `${paint.bold(plain(String(supervisor)))}  ${String(kind)}  ${String(status)}  ${tally}`,
    ...columns(rows, { width: io.width, indent: '  ' }),
    ...findingLines(total, io.width),
    `${paint.dim('next')}  ${context.kept(String(next))}`,
  ].join('\n')
}

/** `wave 2`, or the name of the stage. */
function groupName(isStage: boolean, at: number, first: Members | undefined): string {
  return isStage ? plain(textAt(first?.['stage']) ?? '') || `stage ${at + 1}` : `wave ${at + 1}`
}

function rowOf(worker: Members, group: string): readonly string[] {
  const { status, reason, waits_for, report, duration_ms, attempts } = worker
  const { title } = membersOf(report)
  const said = textAt(reason) ?? textAt(waits_for) ?? textAt(title) ?? ''
  return [
    group,
    plain(String(worker['id'])),
    String(status),
    typeof duration_ms === 'number' ? duration(duration_ms) : '',
    number(attempts) > 1 ? count(number(attempts), 'attempt') : '',
    plain(said),
  ]
}

function findingLines({ key_findings, metrics }: Members, width: number): readonly string[] {
  const findings = Array.isArray(key_findings) ? key_findings.map((text) => plain(String(text))) : []
  const numbers = Object.entries(membersOf(metrics)).map(([name, value]) => `${name} ${String(value)}`)
  return [
    ...(findings.length === 0 ? [] : ['findings', ...findings.map((text) => cut(`  - ${text}`, width))]),
    ...(numbers.length === 0 ? [] : [`numbers  ${numbers.join('  ')}`]),
  ]
}

function workerText(context: Context, worker: Members): string {
  const text = textAt(worker['text'])
  if (text !== null) return plainLines(text).replace(/\n$/, '')
  const { summary, title } = membersOf(worker['report'])
  const said = [title, summary].flatMap((each) => textAt(each) ?? []).join('\n')
  if (said !== '') return plainLines(said)
  const reason = textAt(worker['reason'])
  return `${plain(String(worker['id']))} is ${String(worker['status'])} and has no report${reason === null ? '' : `: ${plain(reason)}`}`
}

function meterText({ paint, io }: Context, data: Members): string {
  const tokens = membersOf(data['tokens'])
  const rows = list(tokens['workers']).map((row) => [
    plain(String(row['worker'])),
    thousands(number(row['tokens_in'])),
    thousands(number(row['tokens_out'])),
  ])
  const sum = [
    'all',
    thousands(number(tokens['tokens_in'])),
    thousands(number(tokens['tokens_out'])),
    share(tokens['reduction']),
  ]
  const table =
    rows.length === 0
      ? ['no reports yet: nothing to count']
      : columns([['tokens', 'in', 'out'], ...rows, sum], { width: io.width, right: [1, 2] })
  return [
    paint.bold(plain(String(data['supervisor']))),
    ...table,
    ...missingLine(tokens),
    paint.dim(countedAs(tokens)),
    ...timeLines(data),
  ].join('\n')
}

/** A log may come from elsewhere without its texts. */
function missingLine({ missing }: Members): readonly string[] {
  if (!Array.isArray(missing) || missing.length === 0) return []
  return [
    `not counted, since the report is not kept in this session: ${missing.map((name) => plain(String(name))).join(', ')}`,
  ]
}

function countedAs({ encoding, model, estimate }: Members): string {
  if (textAt(model) === null)
    return `counted as ${String(encoding)}: exact for OpenAI models from GPT-4o on, an estimate for others`
  return `counted as ${String(encoding)}: ${estimate === true ? 'an estimate' : 'exact'} for ${plain(String(model))}`
}

function timeLines(data: Members): readonly string[] {
  const time = membersOf(data['time'])
  const { measured, of } = time
  if (measured === 0) return ['no durations yet']
  const path = Array.isArray(time['critical_path']) ? time['critical_path'].map((name) => plain(String(name))) : []
  const guessed = Array.isArray(time['from_ready']) ? time['from_ready'].length : 0
  return [
    `time     ${duration(number(time['sum_ms']))} one after the other, critical path ${duration(number(time['critical_path_ms']))} (${path.join(' → ')})${share(time['saved_share'])}`,
    ...(typeof time['elapsed_ms'] === 'number' ? [`elapsed  ${duration(time['elapsed_ms'])}`] : []),
    ...(number(measured) < number(of) ? [`${number(measured)} of ${count(number(of), 'worker')} measured`] : []),
    ...(guessed === 0
      ? []
      : [`${count(guessed, 'duration')} counted from when the worker could begin: nobody said when it did`]),
  ]
}

/** `  95.6% less`; what grew is said, too. */
function share(value: unknown): string {
  if (typeof value !== 'number') return ''
  return value < 0 ? `  ${(-value * 100).toFixed(1)}% more` : `  ${(value * 100).toFixed(1)}% less`
}

const list = (value: unknown): readonly Members[] => (Array.isArray(value) ? value.map(membersOf) : [])
const number = (value: unknown): number => (typeof value === 'number' ? value : 0)
