/* Stands in the queue of a lock until its turn comes. */
import { lifeOf, OVER } from '../kernel/about-session.ts'
import { failure } from '../kernel/decision.ts'
import { EngineError } from '../kernel/error.ts'
import { membersOf, type Members } from '../kernel/json/members.ts'
import { accepted, type Accepted } from '../kernel/operation/answer.ts'
import type { Session } from '../kernel/session.ts'
import { duration } from '../kernel/text/duration.ts'
import { quoted } from '../kernel/text/shell-word.ts'
import { changed, countdown, LOOK_MS } from './change.ts'

export interface LockRequest {
  /** Any name: a file, a branch, a service. */
  readonly resource: string
  /** `exclusive` when left out. */
  readonly mode?: 'exclusive' | 'shared' | undefined
  /** So long after its holder has died it is free; 60,000 when left out, 1000 at least. */
  readonly ttl_ms?: number | undefined
  /** Waits no longer; 0 does not wait, Infinity when left out. */
  readonly wait_ms?: number | undefined
  readonly reason?: string | undefined
  readonly actor?: string | undefined
  /** A lock around this one: it lets this one in where both are the same, and a loop with those of others is told. */
  readonly within?: { readonly owner: string } | undefined
  /** Ends the waiting, with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Is told who holds it, when it has to be waited for. */
  readonly onWait?: ((holders: readonly string[]) => void) | undefined
}

type Chosen = 'mode' | 'ttl_ms' | 'wait_ms' | 'signal'

/** With all that may be left out. */
export interface Asked extends Omit<LockRequest, Chosen | 'within'> {
  readonly mode: 'exclusive' | 'shared'
  readonly ttl_ms: number
  readonly wait_ms: number
  readonly signal: AbortSignal
  /** Which of the activities of the actor asks; undefined: the actor itself. */
  readonly owner?: string | undefined
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
/** Two clocks agree no better on when a wait is over. */
const NEAR_MS = 100

/** Throws WAIT_TIMEOUT, LEASE_HELD, DEADLOCK, and what `signal` aborts with. */
export async function standInQueue(session: Session, asked: Asked): Promise<Hold> {
  const { resource, wait_ms, signal, onWait } = asked
  const left = countdown(wait_ms)
  const { hold: first, holder } = await atOnce(session, asked)
  if (first !== undefined) return first
  onWait?.(rowsOf(session, resource, 'holders').map((row) => String(row['holder'])))
  const hold = await turn(session, asked, { holder, left })
  if (hold !== undefined && !signal.aborted) return hold
  await withdraw(session, asked)
  signal.throwIfAborted()
  throw new EngineError('WAIT_TIMEOUT', `"${resource}" was not free within ${duration(wait_ms)}`, {
    hint: `steadfold lock list --resource ${quoted(resource)} shows who has it`,
  })
}

interface Place {
  /** As the log names who asked. */
  readonly holder: string
  /** Undefined while it waits. */
  readonly hold: Hold | undefined
}

async function atOnce(session: Session, asked: Asked): Promise<Place> {
  const answer = await request(session, asked, 0)
  if (answer.kind === 'accepted') return placeOf(answer)
  if (answer.code !== 'LEASE_HELD' || asked.wait_ms <= 0) throw failure(answer)
  return stand(session, asked, asked.wait_ms)
}

/** Undefined when the time is over, or it was stopped. */
async function turn(
  session: Session,
  asked: Asked,
  { holder, left }: { readonly holder: string; readonly left: () => number },
): Promise<Hold | undefined> {
  const { resource, signal } = asked
  while (!signal.aborted && left() > 0) {
    await changed(session, Math.min(left(), wakeIn(session, resource)), signal)
    const granted = heldBy(session, resource, holder)
    const taken = granted === undefined ? undefined : await take(session, asked, granted)
    if (taken !== undefined) return taken
    const rest = left()
    if (rest < 1 || !isToAsk(session, { resource, holder, left: rest })) continue
    const { hold } = await stand(session, asked, rest)
    if (hold !== undefined) return hold
  }
  return undefined
}

/** Takes a place, or says that it still stands there; the lock itself where time has brought it meanwhile. */
async function stand(session: Session, asked: Asked, left: number): Promise<Place> {
  const short = { ...asked, ttl_ms: Math.min(asked.ttl_ms, PLACE_MS) }
  const { holder, hold } = placeOf(accepted(await request(session, short, Math.min(left, PLACE_MS))))
  // Granted in the same commit; nobody had it before.
  return { holder, hold: hold === undefined ? undefined : await take(session, asked, { ...hold, again: false }) }
}

/** For the time that was asked for; undefined when it is another's by now. */
async function take(session: Session, asked: Asked, hold: Hold): Promise<Hold | undefined> {
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
  const now = session.now()
  // The answer says why it never comes.
  if (OVER.has(lifeOf(session, now))) return true
  const place = rowsOf(session, resource, 'queue').find((each) => each['holder'] === holder)
  const rest = Number(place?.['until'] ?? now) - now
  return nextEnd(session, resource) <= now || rest < Math.min(left - NEAR_MS, PLACE_MS / 2)
}

function request(session: Session, { resource, mode, ttl_ms, reason, owner, actor }: Asked, wait_ms: number) {
  const input = { resource, mode, ttl_ms, wait_ms: Math.round(wait_ms), reason, owner }
  return session.run('lock.acquire', input, { actor, reason })
}

/** What asking for a lock came to. */
export function placeOf({ value }: Accepted): Place {
  const { status, resource, holder, token, until, again } = membersOf(value)
  const who = String(holder)
  const hold = {
    resource: String(resource),
    holder: who,
    token: Number(token),
    until: Number(until),
    again: again === true,
  }
  return { holder: who, hold: status === 'held' ? hold : undefined }
}

/** Granted by what somebody else did. */
function heldBy(session: Session, resource: string, holder: string): Hold | undefined {
  const hold = rowsOf(session, resource, 'holders').find((each) => each['holder'] === holder)
  if (hold === undefined || Number(hold['expires']) <= session.now()) return undefined
  return { resource, holder, token: Number(hold['token']), until: Number(hold['expires']), again: false }
}

function rowsOf(session: Session, resource: string, of: 'holders' | 'queue'): readonly Members[] {
  const { resources } = membersOf(session.get('$.communication.locks'))
  const list = membersOf(membersOf(resources)[resource])[of]
  return Array.isArray(list) ? list.map((each) => membersOf(each)) : []
}

/** When time alone may have brought the turn. */
const wakeIn = (session: Session, resource: string): number =>
  Math.min(LOOK_MS, nextEnd(session, resource) - session.now())

/** When the first hold, or the first place in the queue, is over. */
function nextEnd(session: Session, resource: string): number {
  const holds = rowsOf(session, resource, 'holders').map(({ expires }) => Number(expires))
  const places = rowsOf(session, resource, 'queue').map(({ until }) => Number(until))
  return Math.min(...holds, ...places)
}

/** Also what was granted at the last moment. */
async function withdraw(session: Session, { resource, owner, actor }: Asked): Promise<void> {
  await session.run('lock.release', { resource, owner }, { actor }).catch(() => undefined)
}
