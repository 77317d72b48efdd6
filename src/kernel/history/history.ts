/*
 * Time travel: points in time as sequence numbers, and the state at one.
 *
 *   @  @-3  17  <mark>  2h  2026-11-21T20:17:30Z
 *
 * H1. A point in time is the last commit at or before it. Order is `seq`, never the clock.
 * H2. A state is folded from the checkpoint when that stands at or before it, else from the first commit: the same state.
 */
import type { Moment } from '../document/document.ts'
import { EngineError } from '../error.ts'
import type { Kernel } from '../kernel.ts'
import { START } from '../log/chain.ts'
import type { Commit } from '../log/commit.ts'
import { commitsOf } from '../log/commits.ts'
import { latestOf, type Range } from '../log/latest.ts'
import { decodeCheckpoint, type Checkpoint } from '../replica/checkpoint.ts'
import { replaying } from '../state/edit.ts'
import { fold } from '../state/fold.ts'
import type { Tree } from '../state/module.ts'
import { inUtc } from '../text/utc.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

export const stateAt = async (kernel: Kernel, session: string, seq: number): Promise<Tree> =>
  (await momentAt(kernel, session, seq)).state

/** The state behind commit `seq`, folded anew (H2). */
export async function momentAt(
  kernel: Kernel,
  session: string,
  seq: number,
): Promise<Moment & { readonly state: Tree }> {
  const checkpoint = await checkpointBefore(kernel, session, seq)
  const { state, at, position } = checkpoint ?? { state: {}, at: '', position: START }
  if (position.seq === seq) return { state, seq, at }
  for await (const commit of commitsOf(kernel, session, { after: position.seq, until: seq }, { position })) {
    fold(kernel.folder, state, commit, replaying)
    if (commit.seq === seq) return { state, seq, at: commit.at }
  }
  throw pointNotFound(String(seq), `the log ends before commit ${seq}`)
}

/** One that is no part of this log, or that another build made, is passed over. */
async function checkpointBefore(kernel: Kernel, session: string, seq: number): Promise<Checkpoint | undefined> {
  const { log, host, shape, isBrief = false } = kernel
  const latest = log.checkpoints?.latest?.(session)
  if (latest !== undefined && latest.seq > seq) return undefined
  const bytes = await log.checkpoints?.get(session)
  const checkpoint = bytes && decodeCheckpoint(bytes, host, { inParts: isBrief })
  if (checkpoint === undefined || checkpoint.position.seq > seq || checkpoint.shape !== shape) return undefined
  return (await log.stands(session, checkpoint.position)) === 'yes' ? checkpoint : undefined
}

interface Folded {
  readonly seq: number
  readonly state: Readonly<Tree>
}

interface Now extends Folded {
  readonly commits: Range
}

/** Whether what is folded tells where a point is. Behind the last commit, whose time is `at`, others may stand. */
export function isFolded(kernel: Kernel, point: string, { seq, state, at }: Folded & { readonly at: string }): boolean {
  const found = sequence(point, seq) ?? markedSeq(kernel, point, state)
  if (found !== undefined) return found >= 0 && found <= seq
  const time = timeOf(point, kernel.host.now())
  return time !== undefined && time < Date.parse(at)
}

export async function resolvePoint(kernel: Kernel, point: string, head: Now): Promise<number> {
  const seq = sequence(point, head.seq) ?? markedSeq(kernel, point, head.state)
  if (seq !== undefined) return within(seq, point, head.seq)
  const time = timeOf(point, kernel.host.now())
  if (time === undefined) throw pointNotFound(point, 'it is no sequence number, mark, age or time')
  return lastAtOrBefore(head, point, time)
}

function sequence(point: string, head: number): number | undefined {
  if (/^\d+$/.test(point)) return Number(point)
  const back = /^@(?:-(\d+))?$/.exec(point)
  return back === null ? undefined : head - Number(back[1] ?? 0)
}

function markedSeq(kernel: Kernel, point: string, state: Readonly<Tree>): number | undefined {
  for (const { marks } of kernel.modules) {
    const named = marks?.(state) ?? {}
    if (Object.hasOwn(named, point)) return named[point]
  }
  return undefined
}

function within(seq: number, point: string, head: number): number {
  if (seq >= 0 && seq <= head) return seq
  throw pointNotFound(point, `the session has commits 1 to ${head}`)
}

/** An age or an ISO time, rather than a commit by its number or its mark. */
export const isTime = (point: string): boolean => timeOf(point, 0) !== undefined

function timeOf(point: string, now: number): number | undefined {
  const age = /^(\d+)([smhdw])$/.exec(point)
  if (age !== null) return now - Number(age[1]) * (UNITS[age[2] ?? ''] ?? 0)
  if (!/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/.test(point)) return undefined
  const time = Date.parse(inUtc(point))
  return Number.isNaN(time) ? undefined : time
}

/** Sought from the end, where what is asked for mostly lies. */
async function lastAtOrBefore({ commits, seq }: Now, point: string, time: number): Promise<number> {
  const fits = ({ at }: Commit) => Date.parse(at) <= time
  const [last] = await latestOf(commits, { after: 0, until: seq, most: 1, fits })
  if (last === undefined) throw pointNotFound(point, 'the session began later')
  return last.seq
}

function pointNotFound(point: string, why: string): EngineError {
  return new EngineError('POINT_NOT_FOUND', `no point "${point}": ${why}`, {
    hint: 'use @, @-3, a sequence number, a mark, an age such as 2h, or an ISO time; steadfold log lists the commits',
  })
}
