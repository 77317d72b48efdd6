/*
 * Who has the turn next, and what a change of the channel brings about: T1–T9 of turns.ts.
 */
import { after, seatOf, type When } from './channel.ts'
import type { Channel, ChannelEvent, EndReason, Held, Seat } from './events.ts'
import { tripOf } from './guard.ts'

export interface Now extends When {
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Roles that want another time than the channel gives, unless it says otherwise. */
const ROLE_TIMEOUTS: Readonly<Record<string, number>> = { pm: 90_000, dev: 120_000 }

export const hasTurns = ({ config: { mode } }: Channel): boolean => mode === 'single' || mode === 'turn-based'

/** Somebody has the turn, or waits for one. */
export const isMoving = (channel: Channel): boolean =>
  channel.turn !== null || channel.queue.some((agent) => seatOf(channel, agent)?.state === 'QUEUED')

/** The agent's own, else that of its role, else that of the channel. */
export function timeoutOf({ config }: Channel, { role, timeout_ms }: Pick<Seat, 'role' | 'timeout_ms'>): number {
  if (timeout_ms !== null) return timeout_ms
  const named = role ?? ''
  if (Object.hasOwn(config.timeouts, named)) return config.timeouts[named] ?? config.timeout_ms
  const known = named.toLowerCase()
  return Object.hasOwn(ROLE_TIMEOUTS, known) ? (ROLE_TIMEOUTS[known] ?? config.timeout_ms) : config.timeout_ms
}

/** T3: the first behind the cursor that is there; `but` had its turn just now. */
export function nextInRing({ queue, seats, cursor }: Channel, but: string | null): string | undefined {
  const around = [...queue.slice(cursor + 1), ...queue.slice(0, cursor + 1)]
  return around.find((agent) => agent !== but && seats[agent]?.state !== 'OFFLINE')
}

/** Gives the turn, unless the guard stops the channel instead. */
export function begin(
  channel: Channel,
  agent: string,
  when: Now,
  { by = null, cursor = channel.queue.indexOf(agent) }: { readonly by?: string | null; readonly cursor?: number } = {},
): readonly ChannelEvent[] {
  const stop = tripped(channel)
  if (stop !== undefined) return [stop]
  const seat = seatOf(channel, agent)
  const deadline = when.now + timeoutOf(channel, seat ?? { role: null, timeout_ms: null })
  return [{ type: 'turn.started', data: { channel: channel.id, agent, token: when.seq, deadline, cursor, by } }]
}

/** T9: after a message inside a turn; the count of turns is looked at between turns only. */
export function guarded(channel: Channel, { now }: Now): readonly ChannelEvent[] {
  const unlimited = hasTurns(channel) ? { ...channel, config: { ...channel.config, max_turns: null } } : channel
  const stop = channel.hold === null ? tripped(unlimited, now) : undefined
  return stop === undefined ? [] : [stop]
}

function tripped(channel: Channel, now = 0): ChannelEvent | undefined {
  const trip = tripOf(channel)
  if (trip === undefined) return undefined
  const left = channel.turn === null ? null : Math.max(0, channel.turn.deadline - now)
  const data: Held = { channel: channel.id, kind: 'guard', ...trip, by: 'tool:steadfold', until: null, left }
  return { type: 'turn.held', data }
}

/** Who comes instead of the next in line, and who called it. */
export interface Called {
  readonly agent: string
  readonly by: string
}

/** What people said during a turn, when that has ended. */
const posting = ({ id, pending, kept }: Channel): readonly ChannelEvent[] =>
  pending.length === 0 && kept === undefined ? [] : [{ type: 'turn.posted', data: { channel: id } }]

/** What people said during a turn is posted, and the next one has the turn. */
export function follow(channel: Channel, but: string | null, when: Now, called?: Called): readonly ChannelEvent[] {
  const posted = posting(channel)
  if (channel.hold !== null) return posted
  const then = after(channel, posted, when)
  // T3: the others stay where they stand.
  if (called !== undefined)
    return [...posted, ...begin(then, called.agent, when, { by: called.by, cursor: then.cursor })]
  if (channel.config.order === 'manual') return posted
  // T5: a person has said something, so that the same agent may answer.
  const next = nextInRing(channel, posted.length > 0 ? null : but)
  return next === undefined ? posted : [...posted, ...begin(then, next, when)]
}

/** Another has the turn from now on, behind what people said; the one it was taken from comes next (T3). */
export function takeOver(channel: Channel, { agent, by }: Called, when: Now): readonly ChannelEvent[] {
  const ended = [...endings(channel, { reason: 'interrupt', by }, when), ...posting(channel)]
  const cursor = channel.queue.indexOf(channel.turn?.agent ?? '') - 1
  return [...ended, ...begin(after(channel, ended, when), agent, when, { by, cursor })]
}

interface Why {
  readonly reason: EndReason
  readonly by?: string | null
  /** When it really ended. */
  readonly at?: string
  /** Where its agent goes then. */
  readonly gone?: ChannelEvent
  readonly called?: Called | undefined
}

/** T2: ends the turn there is, and gives it to the next. */
export function pass(channel: Channel, why: Why, when: Now): readonly ChannelEvent[] {
  const ended = endings(channel, why, when)
  const agent = channel.turn?.agent ?? null
  return [...ended, ...follow(after(channel, ended, when), agent, when, why.called)]
}

/** Without what follows. */
function endings(channel: Channel, why: Why, when: Now): readonly ChannelEvent[] {
  const { turn, id } = channel
  const { reason, by = null, at = when.at, gone } = why
  if (turn === null) return gone === undefined ? [] : [gone]
  const { agent, token } = turn
  const rests = channel.config.order === 'manual' || nextInRing(channel, agent) === undefined
  const ended: ChannelEvent = { type: 'turn.ended', data: { channel: id, agent, token, reason, at, by, rests } }
  return gone === undefined ? [ended] : [ended, gone]
}

/** T7: what time alone has brought about by now. */
export function lapse(
  channel: Channel,
  when: Now,
  reason: 'timeout' | 'recovery' = 'timeout',
): readonly ChannelEvent[] {
  const { turn, hold } = channel
  if (!(when.now > (dueAt(channel) ?? Infinity))) return []
  if (hold !== null) {
    const resumed = [resumption(channel, null, when)]
    return [...resumed, ...lapse(after(channel, resumed, when), when, reason)]
  }
  return pass(channel, { reason, at: new Date(turn?.deadline ?? 0).toISOString() }, when)
}

export function resumption({ id, hold, turn }: Channel, by: string | null, { now }: Now): ChannelEvent {
  // Its time goes on where it stopped; by itself at the moment at which the interruption was over.
  const from = by === null ? (hold?.until ?? now) : now
  const deadline = turn === null ? null : from + (hold?.left ?? 0)
  return { type: 'turn.resumed', data: { channel: id, by, deadline } }
}

/** When time alone changes something next; undefined for never. */
export function dueAt({ turn, hold }: Channel): number | undefined {
  return hold === null ? turn?.deadline : (hold.until ?? undefined)
}
