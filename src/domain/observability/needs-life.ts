/* What a session as a whole needs: its log, its holder, its time, and what was asked of a person. */
import { sliceOf } from '../../kernel/state/module.ts'
import { madeAt } from '../../kernel/text/session-id.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import { dueOf, modeOf, type Ask, type SessionSlice } from '../session/events.ts'
import { command, type Found, type Looked } from './need.ts'

export function damage(looked: Looked): readonly Found[] {
  const { seen } = looked
  const next = command(looked, 'verify')
  // Of its first commit nothing may be left.
  const since = seen.updated_at || madeAt(seen.id, looked.now)
  return [{ kind: 'DAMAGED', what: 'log', why: 'its log is damaged', since, next }]
}

export function lifeNeeds(looked: Looked): readonly Found[] {
  const session = sliceOf<SessionSlice>(looked.seen.state, 'session')
  return session === undefined
    ? []
    : [...asks(looked, session), ...lost(looked, session), ...over(looked, session), ...looking(looked, session)]
}

function asks(looked: Looked, session: SessionSlice): readonly Found[] {
  const { asks: said, gated } = session.consent
  const mode = modeOf(session)
  const isAnswered = ({ operation }: Ask) =>
    mode === 'automatic' || !gated.includes(operation) || Object.hasOwn(said, `${operation} *`)
  return Object.values(said)
    .filter((ask) => ask.status === 'asked' && !isAnswered(ask))
    .map((ask) => ({ ask, due: dueOf(mode, ask) }))
    .filter(({ due }) => due === null || due > looked.now)
    .map(({ ask, due }) => ({
      kind: 'ASK',
      what: ask.actor.replace(/^agent:/, ''),
      why: askText(ask, due === null ? null : due - looked.now),
      since: ask.asked_at,
      // It is done without a word: what somebody may have to say is no.
      next: command(looked, 'consent', due === null ? 'grant' : 'deny', ask.operation, '--for', ask.actor),
    }))
}

function askText({ operation, note }: Ask, left: number | null): string {
  const said = note === null ? operation : `${operation}: "${note}"`
  return left === null ? said : `${said}, done in ${Math.ceil(left / 1000)} s unless denied`
}

/** Nobody holds what somebody said to hold: by evidence of the process where there is some, else by the lease alone. */
export function isLost({ seen, now }: Looked): boolean {
  const lease = sliceOf<SessionSlice>(seen.state, 'session')?.lease ?? null
  return lease !== null && (seen.lost?.token === lease.token || lease.expires < now)
}

function lost(looked: Looked, { lease }: SessionSlice): readonly Found[] {
  const { seen } = looked
  if (lease === null || !isLost(looked)) return []
  const evidence = seen.lost?.token === lease.token ? seen.lost.evidence : ['lease expired']
  const next = `steadfold recover ${quoted(looked.name)}`
  return [{ kind: 'LOST', what: lease.holder, why: evidence.join('; '), since: seen.updated_at, next }]
}

const ENDING: ReadonlySet<string> = new Set(['terminating', 'terminated'])

/** I1: its time may be over without anybody having said so. */
const isOver = ({ lifecycle }: Pick<SessionSlice, 'lifecycle'>, now: number): boolean =>
  lifecycle.expiry !== null && Date.parse(lifecycle.expiry) < now && lifecycle.status !== 'terminated'

function over(looked: Looked, session: SessionSlice): readonly Found[] {
  const { expiry } = session.lifecycle
  if (expiry === null || !isOver(session, looked.now)) return []
  const why = 'its time is over: nothing new begins'
  return [{ kind: 'EXPIRED', what: 'session', why, since: expiry, next: command(looked, 'session', 'extend', '8') }]
}

function looking(looked: Looked, { lifecycle }: SessionSlice): readonly Found[] {
  if (lifecycle.status !== 'recovering') return []
  const why = 'recovering: look at what was lost'
  const next = command(looked, 'session', 'resume')
  return [{ kind: 'STOPPED', what: 'session', why, since: looked.seen.updated_at, next }]
}

/** The state of life as it is now; `elsewhere`: another workspace owns it. */
export function statusOf(session: SessionSlice, now: number, elsewhere = false): string {
  const { status } = session.lifecycle
  if (status !== 'terminated' && (elsewhere || session.transport.departed !== null)) return 'departed'
  return isOver(session, now) && !ENDING.has(status) ? 'terminating' : status
}
