/* Stands in the queue of a lock until its turn comes. */
import { failure } from '../../../kernel/decision.ts'
import { EngineError } from '../../../kernel/error.ts'
import { membersOf, type Members } from '../../../kernel/json/members.ts'
import type { Session } from '../../../kernel/session.ts'
import { duration } from '../../../kernel/text/duration.ts'
import type { Context } from '../context/context.ts'
import { quoted } from '../context/scope.ts'
import { textAt } from '../show/view.ts'
import { changed, countdown } from './change.ts'

export interface LockRequest {
  readonly resource: string
  readonly mode: 'exclusive' | 'shared'
  readonly ttl_ms: number
  /** Infinity: for ever. */
  readonly wait_ms: number
  readonly reason?: string | undefined
  readonly owner?: string | undefined
  readonly actor: string
}

export interface Hold {
  readonly resource: string
  readonly holder: string
  readonly token: number
  /** Milliseconds since 1970. */
  readonly until: number
  /** Held before, by the same holder or around it: whoever took it gives it back. */
  readonly again: boolean
}

/**
 * A place in the queue lasts so long; who waits longer says so again, and who has died stands in nobody's way. What is
 * granted to a place lasts no longer, until its holder takes it for the time that was asked for.
 */
const PLACE_MS = 30_000
const LOOK_MS = 10_000
/** Two clocks agree no better on when a wait is over. */
const NEAR_MS = 100

/** Undefined when it was stopped while waiting; throws WAIT_TIMEOUT, LEASE_HELD, DEADLOCK. */
export async function holdLock(context: Context, session: Session, asked: LockRequest): Promise<Hold | undefined> {
  const left = countdown(asked.wait_ms)
  const first = await atOnce(session, asked)
  if (first !== undefined) return first
  context.note(`waiting for ${asked.resource}, which ${holders(session, asked.resource)}`)
  const hold = await turn(context, session, asked, left)
  if (hold !== undefined) return hold
  await withdraw(session, asked)
  if (context.signal.aborted) return undefined
  throw new EngineError('WAIT_TIMEOUT', `"${asked.resource}" was not free within ${duration(asked.wait_ms)}`, {
    hint: `steadfold lock list --resource ${quoted(asked.resource)} shows who has it`,
  })
}

/** Undefined when the time is over, or it was stopped. */
async function turn(
  context: Context,
  session: Session,
  asked: LockRequest,
  left: () => number,
): Promise<Hold | undefined> {
  const { resource, actor, owner } = asked
  const holder = owner === undefined ? actor : `${actor} ${owner}`
  while (!context.signal.aborted && left() > 0) {
    await changed(context, session, Math.min(left(), wakeIn(session, resource)))
    const granted = heldBy(session, resource, holder)
    const taken = granted === undefined ? undefined : await take(session, asked, granted)
    if (taken !== undefined) return taken
    if (!isToAsk(session, { resource, holder, left: left() })) continue
    const place = Math.min(left(), PLACE_MS)
    const answer = place < 1 ? undefined : await stand(session, asked, place)
    // It was granted by time in the same commit; nobody had it before.
    const mine = answer?.status === 'held' ? await take(session, asked, { ...answer.hold, again: false }) : undefined
    if (mine !== undefined) return mine
  }
  return undefined
}

/** Undefined when it has to wait, and stands in the queue. */
async function atOnce(session: Session, asked: LockRequest): Promise<Hold | undefined> {
  try {
    return (await ask(session, asked, 0))?.hold
  } catch (error) {
    if (asked.wait_ms <= 0 || !(error instanceof EngineError && error.code === 'LEASE_HELD')) throw error
  }
  const answer = await stand(session, asked, Math.min(asked.wait_ms, PLACE_MS))
  return answer?.status === 'held' ? take(session, asked, answer.hold) : undefined
}

const stand = (session: Session, asked: LockRequest, wait_ms: number): Promise<Asked | undefined> =>
  ask(session, { ...asked, ttl_ms: Math.min(asked.ttl_ms, PLACE_MS) }, wait_ms)

/** Undefined when it is another's by now. */
async function take(session: Session, asked: LockRequest, hold: Hold): Promise<Hold | undefined> {
  const { resource, owner, actor, ttl_ms } = asked
  if (ttl_ms <= PLACE_MS) return hold
  const answer = await session.run('lock.renew', { resource, token: hold.token, ttl_ms, owner }, { actor })
  if (answer.kind === 'refused') return undefined
  return { ...hold, until: Number(membersOf(answer.value)['until'] ?? hold.until) }
}

interface Standing {
  readonly resource: string
  readonly holder: string
  /** How long it still waits, in milliseconds. */
  readonly left: number
}

/** Asking moves the end of a place, which is a commit, and that wakes everybody who waits: only when it changes something. */
function isToAsk(session: Session, { resource, holder, left }: Standing): boolean {
  const now = Date.now()
  const place = rowsOf(session, resource, 'queue').find((each) => each['holder'] === holder)
  const rest = Number(place?.['until'] ?? now) - now
  return nextEnd(session, resource) <= now || rest < Math.min(left - NEAR_MS, PLACE_MS / 2)
}

interface Asked {
  readonly status: 'held' | 'waiting'
  readonly hold: Hold
}

async function ask(session: Session, asked: LockRequest, wait_ms: number): Promise<Asked | undefined> {
  const { resource, mode, ttl_ms, reason, owner, actor } = asked
  const answer = await session.run(
    'lock.acquire',
    { resource, mode, ttl_ms, wait_ms: Math.round(wait_ms), reason, owner },
    { actor, reason },
  )
  if (answer.kind === 'refused') throw failure(answer)
  if (answer.value === undefined) return undefined
  const { status, holder, token, until, again } = membersOf(answer.value)
  return {
    status: status === 'held' ? 'held' : 'waiting',
    hold: {
      resource,
      holder: textAt(holder) ?? actor,
      token: Number(token),
      until: Number(until),
      again: again === true,
    },
  }
}

/** Granted by what somebody else did. */
function heldBy(session: Session, resource: string, holder: string): Hold | undefined {
  const hold = rowsOf(session, resource, 'holders').find((each) => each['holder'] === holder)
  if (hold === undefined || Number(hold['expires']) <= Date.now()) return undefined
  return { resource, holder, token: Number(hold['token']), until: Number(hold['expires']), again: false }
}

function rowsOf(session: Session, resource: string, of: 'holders' | 'queue'): readonly Members[] {
  const { resources } = membersOf(session.get('$.communication.locks'))
  const list = membersOf(membersOf(resources)[resource])[of]
  return Array.isArray(list) ? list.map((each) => membersOf(each)) : []
}

const holders = (session: Session, resource: string): string =>
  `${rowsOf(session, resource, 'holders')
    .map(({ holder }) => textAt(holder) ?? '')
    .join(', ')} holds`

/** When time alone may have brought the turn. */
const wakeIn = (session: Session, resource: string): number =>
  Math.min(LOOK_MS, nextEnd(session, resource) - Date.now())

/** When the first hold, or the first place in the queue, is over. */
function nextEnd(session: Session, resource: string): number {
  const holds = rowsOf(session, resource, 'holders').map(({ expires }) => Number(expires))
  const places = rowsOf(session, resource, 'queue').map(({ until }) => Number(until))
  return Math.min(...holds, ...places)
}

/** Also what was granted at the last moment. */
async function withdraw(session: Session, { resource, owner, actor }: LockRequest): Promise<void> {
  await session.run('lock.release', { resource, owner }, { actor }).catch(() => undefined)
}
