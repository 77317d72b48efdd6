/** Supervisors: plans from words or a file, reports from files. */
import * as path from 'node:path'
import { EngineError } from '../../../kernel/error.ts'
import { membersOf } from '../../../kernel/json/members.ts'
import { written } from '../answer/answer.ts'
import type { Context } from '../context/context.ts'
import { listOf, needed, numberOf, textOf, usage, type Input } from '../context/input.ts'
import { count, plain } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import type { Command, Flag } from '../syntax/command.ts'
import { jsonIn, readText } from '../syntax/value.ts'
import { superviseViews } from './supervise-view.ts'

const SUPERVISOR: Flag = {
  name: 'supervisor',
  field: 'supervisor',
  type: 'text',
  value: 'ID',
  summary: 'which; the only running one when left out',
}

const of = (name: string, value: string, summary: string): Flag => ({
  name,
  field: name,
  type: 'text',
  value,
  repeat: true,
  summary,
})

const start: Command = {
  name: 'supervise start',
  summary: 'plan the work of a supervisor: who does what, behind whom, on which files',
  examples: [
    'supervise start research authentication sessions passwords',
    'supervise start implementation api page tests --needs page:api --needs tests:api,page --files "api:src/api/**"',
    'supervise start testing unit run judge --stage unit:generation --stage run:execution --stage judge:validation',
    'supervise start implementation --file plan.json --min-success 1',
  ],
  notes:
    'research works all at once; implementation in waves by needs; testing in stages: generation, execution, validation. A cycle, or two that may be at work at the same time on one file, is refused.',
  parameters: [
    {
      name: 'KIND',
      field: 'kind',
      type: 'text',
      required: true,
      choices: ['research', 'implementation', 'testing'],
      summary: 'research, implementation or testing',
    },
    { name: 'WORKER', field: 'workers', type: 'text', required: false, rest: true, summary: 'a worker by its name' },
  ],
  flags: [
    {
      name: 'file',
      short: 'f',
      field: 'file',
      type: 'text',
      value: 'FILE',
      summary: 'workers as a JSON list of {id, topic, needs, files, stage}; - is stdin',
    },
    of('needs', 'WORKER:OTHER,OTHER', 'who waits for whom'),
    of('files', 'WORKER:PATH,PATH', 'what a worker will change'),
    of('stage', 'WORKER:STAGE', 'for testing'),
    of('topic', 'WORKER:TEXT', 'what a worker looks into, when its name does not say it'),
    { name: 'id', field: 'id', type: 'text', value: 'ID', summary: 'name of the supervisor; its kind when left out' },
    {
      name: 'min-success',
      field: 'min_success',
      type: 'number',
      value: 'SHARE',
      summary: 'share of the workers that must succeed; 0.5 when left out',
    },
  ],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const { options } = context
    const workers = plannedIn(context, input)
    const session = await context.session('write')
    const [kind, id, min_success] = [needed(input, 'kind'), textOf(input, 'id'), numberOf(input, 'min_success')]
    const answer = await session.run('supervise.start', { kind, workers, id, min_success }, options)
    return written(context, answer, ([event]) => {
      const { supervisor, waves } = membersOf(event?.data)
      const parts = Array.isArray(waves) ? waves.length : 0
      const noun = kind === 'testing' ? 'stage' : 'wave'
      return `${plain(String(supervisor))}: ${count(workers.length, 'worker')} in ${count(parts, noun)}`
    })
  },
}

type Planned = Record<string, unknown>

function plannedIn(context: Context, input: Input): readonly unknown[] {
  const file = textOf(input, 'file')
  const words = listOf(input, 'workers')
  if ((file === undefined) === (words.length === 0))
    throw usage('give the workers as words, or as a list in --file', 'steadfold supervise start --help')
  if (file !== undefined) return listIn(readText(context, file), file)
  const planned = new Map<string, Planned>(words.map((id) => [id, { id }]))
  if (planned.size < words.length) throw usage('a worker is named twice')
  for (const [flag, isList] of [
    ['needs', true],
    ['files', true],
    ['stage', false],
    ['topic', false],
  ] as const)
    for (const text of listOf(input, flag)) fill(planned, { flag, isList, text })
  return [...planned.values()]
}

/** `--needs page:api,db` */
function fill(
  planned: ReadonlyMap<string, Planned>,
  { flag, isList, text }: { readonly flag: string; readonly isList: boolean; readonly text: string },
): void {
  const [, id = '', value = ''] = /^([^:]*):(.+)$/s.exec(text) ?? []
  const worker = planned.get(id)
  if (worker === undefined)
    throw usage(`--${flag} takes WORKER:…, where WORKER is one of ${[...planned.keys()].join(', ')}; not "${text}"`)
  const before = worker[flag]
  worker[flag] = isList ? [...(Array.isArray(before) ? (before as string[]) : []), ...value.split(',')] : value
}

function listIn(text: string, file: string): readonly unknown[] {
  const value = jsonIn(text, file)
  if (Array.isArray(value)) return value
  throw new EngineError('INPUT_INVALID', `${file} holds no list of workers`, {
    hint: 'write [{"id": "api"}, {"id": "page", "needs": ["api"]}]',
  })
}

const TOLD: readonly Flag[] = [
  { name: 'title', field: 'title', type: 'text', value: 'TEXT', summary: 'instead of the title of the report' },
  { name: 'summary', field: 'summary', type: 'text', value: 'TEXT', summary: 'instead of its summary; 50 words' },
  {
    name: 'finding',
    field: 'finding',
    type: 'text',
    value: 'TEXT',
    repeat: true,
    summary: 'instead of its findings; may be given twice',
  },
  {
    name: 'metric',
    field: 'metric',
    type: 'text',
    value: 'NAME=N',
    repeat: true,
    summary: 'a number, such as files_modified=12',
  },
  {
    name: 'took',
    field: 'duration_ms',
    type: 'duration',
    value: 'TIME',
    summary: 'how long it took, when that is known',
  },
  { name: 'token', field: 'token', type: 'number', value: 'N', summary: 'as supervise begin answered' },
  SUPERVISOR,
]

const FILE_NOTE =
  'Title, summary (50 words) and two findings are taken from the Markdown by rule: see docs/explanation/supervision.md. The whole is kept as a blob.'

const report: Command = {
  name: 'supervise report',
  summary: 'hand in the report of a worker that is done',
  examples: [
    'supervise report authentication reports/authentication.md',
    'supervise report api --summary "the API is there" --metric files_modified=12 --took 25m',
    './judge.sh | supervise report judge - --supervisor testing',
  ],
  notes: FILE_NOTE,
  parameters: [
    { name: 'WORKER', field: 'worker', type: 'text', required: true, summary: 'who is done' },
    { name: 'FILE', field: 'file', type: 'text', required: false, summary: 'its report in Markdown; - is stdin' },
  ],
  flags: TOLD,
  shares: ['session', 'write'],
  run: async (context, input) => {
    const { options } = context
    const told = toldIn(context, input)
    const session = await context.session('write')
    return written(context, await session.run('supervise.report', told, options), saidOf)
  },
}

const fail: Command = {
  name: 'supervise fail',
  summary: 'say that a worker failed, and why; who needs it is skipped',
  examples: ['supervise fail sessions "timeout"', 'supervise fail api "2 tests fail" --report api.md'],
  parameters: [
    { name: 'WORKER', field: 'worker', type: 'text', required: true, summary: 'who failed' },
    { name: 'REASON', field: 'reason', type: 'text', required: true, summary: 'why' },
  ],
  flags: [
    { name: 'report', field: 'file', type: 'text', value: 'FILE', summary: 'what it wrote all the same; - is stdin' },
    ...TOLD,
  ],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const { options } = context
    const told = { ...toldIn(context, input), reason: needed(input, 'reason') }
    const session = await context.session('write')
    return written(context, await session.run('supervise.fail', told, options), saidOf)
  },
}

function toldIn(context: Context, input: Input): Readonly<Record<string, unknown>> {
  const file = textOf(input, 'file')
  const findings = listOf(input, 'finding')
  return {
    worker: needed(input, 'worker'),
    supervisor: textOf(input, 'supervisor'),
    token: numberOf(input, 'token'),
    duration_ms: numberOf(input, 'duration_ms'),
    title: textOf(input, 'title'),
    summary: textOf(input, 'summary'),
    ...(findings.length === 0 ? {} : { key_findings: findings }),
    metrics: Object.fromEntries(listOf(input, 'metric').map(metricOf)),
    ...(file === undefined ? {} : { text: readText(context, file) }),
    ...(file === undefined || file === '-' ? {} : { path: placeOf(context, file) }),
  }
}

function metricOf(text: string): readonly [name: string, value: number] {
  const [, name = '', value] = /^(\w+)=(-?\d+(?:\.\d+)?)$/.exec(text) ?? []
  if (value === undefined) throw usage(`--metric takes NAME=NUMBER, not "${text}"`)
  return [name, Number(value)]
}

/** Relative to the project where it lies inside. */
function placeOf(context: Context, file: string): string {
  const whole = path.resolve(context.cwd, file)
  const inside = path.relative(context.project, whole)
  return inside.startsWith('..') ? whole : inside
}

function saidOf(events: readonly { readonly type: string; readonly data: unknown }[]): string {
  // A narrow line is cut at its end: how it ended comes first.
  return [...events]
    .sort((a, b) => Number(b.type.endsWith('.ended')) - Number(a.type.endsWith('.ended')))
    .map(({ type, data }) => {
      const { worker, supervisor, status, reason, report: told } = membersOf(data)
      const who = plain(String(worker ?? supervisor))
      if (type === 'supervision.worker-reported') {
        const title = textAt(membersOf(told)['title'])
        return title === null ? `${who} is done` : `${who} is done: ${plain(title)}`
      }
      if (type === 'supervision.ended') return `${who} ended: ${String(status)}`
      return `${who} ${type.replace('supervision.worker-', '')}: ${plain(String(reason))}`
    })
    .join('; ')
}

export const superviseCommands: readonly Command[] = [start, report, fail, ...superviseViews]
