/*
 * What supervision saves, measured.
 *
 * M1. Tokens in are those of the whole reports, tokens out those of the text that is handed on instead; both are counted.
 * M2. The critical path is the longest chain of measured durations; without waiting for anything else it could not be shorter.
 */
import { longestChain } from '../../kernel/work/graph.ts'
import { workersOf } from './course.ts'
import type { Report, SupervisorRecord, WorkerRecord } from './events.ts'

/** What is handed on of one report. */
export const handedOn = ({ title, summary, key_findings }: Report): string =>
  [title, summary, ...key_findings.map((finding) => `- ${finding}`)].filter((line) => line !== '').join('\n')

export interface Counted {
  readonly worker: string
  readonly tokens_in: number
  readonly tokens_out: number
}

export function tokenMeter(workers: readonly Counted[]) {
  const tokens_in = sum(workers.map((worker) => worker.tokens_in))
  const tokens_out = sum(workers.map((worker) => worker.tokens_out))
  return { tokens_in, tokens_out, reduction: tokens_in === 0 ? null : round(1 - tokens_out / tokens_in), workers }
}

export function timeMeter(record: SupervisorRecord) {
  const workers = workersOf(record)
  const timed = workers.filter(({ duration_ms }) => duration_ms !== null)
  const chain = longestChain(
    timed.map((worker) => ({
      name: worker.id,
      needs: before(record, worker).map(({ id }) => id),
      duration: worker.duration_ms ?? 0,
    })),
  )
  const sum_ms = sum(timed.map(({ duration_ms }) => duration_ms ?? 0))
  const elapsed_ms = elapsed(workers)
  return {
    sum_ms,
    critical_path_ms: chain.duration,
    critical_path: chain.names,
    saved_share: sum_ms === 0 ? null : round(1 - chain.duration / sum_ms),
    elapsed_ms,
    measured: timed.length,
    of: workers.length,
    /** Nobody said when they began: the time is from when they could have. */
    from_ready: timed.filter(({ timed: how }) => how === 'ready').map(({ id }) => id),
  }
}

/** What has to be over before a worker: its needs, and all of the stages before its own. */
function before(record: SupervisorRecord, { needs, stage }: WorkerRecord): readonly WorkerRecord[] {
  const earlier = new Set(record.stages.slice(0, Math.max(0, record.stages.indexOf(stage ?? ''))))
  return workersOf(record).filter((other) => needs.includes(other.id) || earlier.has(other.stage ?? ''))
}

/** From the first beginning to the last end; null while that is not known. */
function elapsed(workers: readonly WorkerRecord[]): number | null {
  const ends = workers.flatMap(({ ended_at }) => (ended_at === null ? [] : [Date.parse(ended_at)]))
  const begins = workers.flatMap(({ begun_at, opened_at }) => Date.parse(begun_at ?? opened_at) || [])
  return ends.length === 0 || begins.length === 0 ? null : Math.max(0, Math.max(...ends) - Math.min(...begins))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
const round = (share: number): number => Math.round(share * 10_000) / 10_000
