import * as z from 'zod/mini'
import { isStorableKey } from '../../kernel/json/rules.ts'
import type { Event } from '../../kernel/log/commit.ts'
import { readOperation, writeOperation, type History } from '../../kernel/operation/operation.ts'
import { mayName } from '../../kernel/redact/placeholder.ts'
import { copyJson } from '../../kernel/state/edit.ts'
import { workersOf } from './course.ts'
import { decideBegin, decideFail, decideReport, decideRetry, decideStart, decideStop } from './decide.ts'
import { KINDS, type Report } from './events.ts'
import { describeReport, type Given } from './extract.ts'
import { handedOn, timeMeter, tokenMeter } from './meter.ts'
import { recordOf, supervisionOf, workerOf } from './supervision.ts'
import { aggregate, chosen, chosenWorker, showSupervisor, supervisorRows } from './views.ts'

const MOST_WORKERS = 1000
const MOST_TEXT = 8_000_000

const name = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(128),
    z.regex(/^[^\p{Cc},:]+$/u, 'must not hold commas, colons or control characters'),
    z.refine(mayName, 'is a name that nobody may have'),
  )
const line = z.string().check(z.minLength(1), z.maxLength(1000), z.regex(/^[^\p{Cc}]+$/u, 'must be one line'))
const path = line.check(
  z.refine((text) => !text.startsWith('/') && !text.split('/').includes('..'), 'must stay inside the project'),
)
const worker = z.pipe(
  z.strictObject({
    id: name,
    topic: z.optional(line),
    needs: z._default(z.array(name), []),
    files: z._default(z.array(path).check(z.maxLength(200)), []),
    stage: z._default(z.nullable(name), null),
  }),
  z.transform(({ id, topic = id, ...rest }) => ({ id, topic, ...rest })),
)
const token = z.optional(z.int().check(z.positive()))
const said = z.string().check(z.maxLength(100_000))
const kept = z.object({ sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)), bytes: z.int().check(z.minimum(0)) })
const metrics = z._default(
  z.record(z.string().check(z.regex(/^[A-Za-z_]\w{0,63}$/), z.refine(isStorableKey)), z.number()),
  {},
)

/** What a worker tells of its end. */
const told = {
  supervisor: z.optional(name),
  worker: name,
  token,
  /** The whole report. */
  text: z.optional(z.string().check(z.maxLength(MOST_TEXT))),
  path: z.optional(line),
  title: z.optional(said),
  summary: z.optional(said),
  key_findings: z.optional(z.array(said)),
  metrics,
  duration_ms: z.optional(z.number().check(z.nonnegative())),
  /** It was done elsewhere, and nobody knows how long it took. */
  untimed: z.optional(z.boolean()),
  /** Made of the members above. */
  report: z.optional(
    z.object({
      path: z.nullable(z.string()),
      kept: z.nullable(kept),
      title: z.string(),
      summary: z.string(),
      key_findings: z.array(z.string()),
      by_rule: z.array(z.enum(['title', 'summary', 'key_findings'])),
    }),
  ),
}

export const superviseOperations = [
  writeOperation({
    name: 'supervise.start',
    summary: 'Plan the work of a supervisor: who does what, behind whom, and on which files',
    input: () =>
      z.object({
        kind: z.enum(KINDS),
        workers: z.array(worker).check(z.minLength(1), z.maxLength(MOST_WORKERS)),
        id: z.optional(name),
        stages: z.optional(z.array(name).check(z.minLength(1), z.maxLength(100))),
        min_success: z._default(z.number().check(z.minimum(0), z.maximum(1)), 0.5),
      }),
    positional: ['kind', 'workers'],
    decide: decideStart,
    answer: (events) => events.find((event) => event.type === 'supervision.started')?.data,
  }),
  writeOperation({
    name: 'supervise.begin',
    summary: 'Say that a worker begins; the answer holds its token',
    input: () => z.object({ worker: name, supervisor: z.optional(name) }),
    positional: ['worker'],
    decide: decideBegin,
    answer: (events) => events.find((event) => event.type === 'supervision.worker-begun')?.data,
  }),
  writeOperation({
    name: 'supervise.report',
    summary: 'Hand in the report of a worker that is done',
    input: () => z.object(told),
    positional: ['worker'],
    prepare: describe,
    lasts: () => true,
    decide: decideReport,
    answer: outcome,
  }),
  writeOperation({
    name: 'supervise.fail',
    summary: 'Say that a worker failed, and why',
    input: () => z.object({ ...told, reason: line }),
    positional: ['worker', 'reason'],
    prepare: describe,
    lasts: () => true,
    decide: decideFail,
    answer: outcome,
  }),
  writeOperation({
    name: 'supervise.retry',
    summary: 'Let what failed or was skipped be done again; what is completed stays',
    input: () => z.object({ workers: z._default(z.array(name), []), supervisor: z.optional(name) }),
    positional: ['workers'],
    decide: decideRetry,
    answer: (events) => events.find((event) => event.type === 'supervision.retried')?.data,
  }),
  writeOperation({
    name: 'supervise.stop',
    summary: 'End a supervisor although workers are open',
    input: () => z.object({ supervisor: z.optional(name), reason: z._default(line, 'stopped') }),
    positional: ['supervisor'],
    decide: decideStop,
  }),
  readOperation({
    name: 'supervise.list',
    summary: 'All supervisors, also the states that run works off',
    input: () => z.object({}),
    read: supervisorRows,
  }),
  readOperation({
    name: 'supervise.show',
    summary: 'A supervisor, its workers, and what goes up to whoever asked; or one worker with its whole report',
    input: () => z.object({ supervisor: z.optional(name), worker: z.optional(name) }),
    positional: ['supervisor', 'worker'],
    look: async ({ state, texts }, { supervisor, worker: id }) => {
      if (id === undefined) return copyJson(showSupervisor(state, supervisor))
      const found = copyJson(chosenWorker(chosen(state, supervisor).record, id))
      const sha256 = found.report?.kept?.sha256
      return { ...found, text: sha256 === undefined ? null : ((await texts.read(sha256)) ?? null) }
    },
  }),
  readOperation({
    name: 'supervise.meter',
    summary: 'Tokens of the reports against those handed on, counted; the critical path against the sum of durations',
    input: () => z.object({ supervisor: z.optional(name), model: z.optional(z.string().check(z.maxLength(200))) }),
    positional: ['supervisor'],
    look: measure,
  }),
]

type Telling = z.output<z.ZodMiniObject<typeof told>>

/** The text becomes a blob, and what is handed on of it. */
async function describe<Input extends Telling>({ state, texts }: History, input: Input): Promise<Input> {
  const { text, path: file, title, summary, key_findings, supervisor, worker: id, ...rest } = input
  const given: Given = { title, summary, key_findings }
  const isGiven = Object.values(given).some((each) => each !== undefined)
  if (text === undefined && file === undefined && !isGiven) return input
  const report: Report = {
    path: file ?? null,
    kept: text === undefined ? null : await texts.keep(text),
    ...describeReport(text, given, topicOf(state, supervisor, id)),
  }
  // What is left out here is in `report` now.
  return { ...rest, supervisor, worker: id, report } as unknown as Input
}

function topicOf(state: History['state'], supervisor: string | undefined, id: string): string {
  const slice = supervisionOf(state)
  const records = supervisor === undefined ? Object.values(slice?.supervisors ?? {}) : [recordOf(slice, supervisor)]
  return records.flatMap((record) => workerOf(record, id)?.topic ?? []).at(-1) ?? id
}

function outcome(events: readonly Event[]): { readonly status: string } | undefined {
  const ended = events.find((event) => event.type === 'supervision.ended')
  // What an end carries.
  return ended === undefined ? undefined : { status: (ended.data as { readonly status: string }).status }
}

/** Models whose encoding is o200k_base, by the beginnings of their names. */
const EXACT = /^(?:openai\/)?(?:gpt-4o|gpt-4\.[15]|gpt-5|gpt-oss|chatgpt-4o|codex|o[134](?:$|-))/i

async function measure(
  { state, texts }: History,
  { supervisor, model }: { readonly supervisor?: string | undefined; readonly model?: string | undefined },
) {
  const { record, source } = chosen(state, supervisor)
  const { encoding, count } = await texts.tokens()
  const counted = []
  const missing = []
  for (const { id, report } of workersOf(record)) {
    if (report?.kept == null) continue
    const text = await texts.read(report.kept.sha256)
    if (text === undefined) missing.push(id)
    else counted.push({ worker: id, tokens_in: count(text), tokens_out: count(handedOn(report)) })
  }
  return {
    supervisor: record.id,
    kind: record.kind,
    status: record.status,
    source,
    tokens: {
      encoding,
      model: model ?? null,
      /** Undefined models are not known to be counted exactly. */
      estimate: model === undefined || !EXACT.test(model),
      ...tokenMeter(counted),
      /** Their reports are not kept in this session. */
      missing,
      aggregate: count(JSON.stringify(aggregate(record))),
    },
    time: timeMeter(record),
  }
}
