/* What is so at `now`, whether an operation has told it or not (T7). */
import { quoted } from '../../kernel/text/shell-word.ts'
import { after } from './channel.ts'
import type { Channel, Hold, HistoryEntry, Message, Mode, SeatState, Trip, TurnsSlice } from './events.ts'
import { lapse, timeoutOf } from './ring.ts'
import { channelIn } from './turns.ts'

/** One line of `turn list`: an agent in a channel. */
export interface TurnRow {
  readonly channel: string
  /** Place in the queue, from 1. */
  readonly position: number
  readonly agent: string
  readonly role: string | null
  readonly state: SeatState
  /** Of its turn; null while it has none, or while time alone has given it and nobody has written that down. */
  readonly token: number | null
  /** Milliseconds that are left of the turn. */
  readonly left_ms: number | null
  readonly deadline: string | null
  readonly timeout_ms: number
  readonly since: string
  readonly last_activity: string | null
}

export interface ChannelRow {
  readonly channel: string
  readonly name: string
  readonly mode: Mode
  readonly active: string | null
  readonly left_ms: number | null
  /** Who comes next, in order. */
  readonly queue: readonly string[]
  readonly held: Hold['kind'] | null
  readonly why: string | null
  readonly turns: number
  readonly messages: number
  readonly tokens: number
  readonly cost_usd: number
}

export interface NeedsPerson {
  readonly channel: string
  readonly trip: Trip | null
  readonly why: string
  readonly since: string
  /** The command that answers. */
  readonly next: string
}

interface Wanted {
  readonly channel?: string | undefined
  readonly agent?: string | undefined
}

type Slice = TurnsSlice | undefined

/** A channel as the next operation would find it. */
export function channelAt(channel: Channel, now: number): Channel {
  const when = { now, at: new Date(now).toISOString(), seq: 0 }
  return after(channel, lapse(channel, when), when)
}

const channelsAt = (slice: Slice, now: number): readonly Channel[] =>
  Object.values(slice?.channels ?? {}).map((channel) => channelAt(channel, now))

/** By channel, in the order of turns. */
export function turnRows(slice: Slice, { channel: only, agent: named }: Wanted, now: number): readonly TurnRow[] {
  return channelsAt(slice, now)
    .filter(({ id }) => only === undefined || id === only)
    .flatMap((channel) => rowsOf(channel, now))
    .filter(({ agent }) => named === undefined || agent === named)
}

function rowsOf(channel: Channel, now: number): readonly TurnRow[] {
  const { id, queue, seats, turn } = channel
  const isKnown = turn !== null && turn.token !== 0
  return queue.flatMap((agent, i) => {
    const seat = seats[agent]
    if (seat === undefined) return []
    const { role, state, since, last_activity } = seat
    const own = turn?.agent === agent ? turn : null
    return [
      {
        channel: id,
        position: i + 1,
        agent,
        role,
        state,
        token: own !== null && isKnown ? own.token : null,
        left_ms: own === null ? null : leftOf(channel, now),
        deadline: own === null || !isKnown || channel.hold !== null ? null : new Date(own.deadline).toISOString(),
        timeout_ms: timeoutOf(channel, seat),
        since,
        last_activity,
      },
    ]
  })
}

/** While a channel is held its clock stands; a turn that nobody wrote down yet has none. */
function leftOf({ turn, hold }: Channel, now: number): number | null {
  if (hold !== null) return hold.left
  return turn === null || turn.token === 0 ? null : Math.max(0, turn.deadline - now)
}

export function channelRows(slice: Slice, now: number): readonly ChannelRow[] {
  return channelsAt(slice, now).map((channel) => {
    const { id, config, turn, hold, said, spent } = channel
    return {
      channel: id,
      name: config.name,
      mode: config.mode,
      active: turn?.agent ?? null,
      left_ms: leftOf(channel, now),
      queue: upcoming(channel),
      held: hold?.kind ?? null,
      why: hold?.note ?? null,
      turns: spent.turns,
      messages: said,
      tokens: spent.tokens,
      cost_usd: spent.cost_usd,
    }
  })
}

/** Who waits, the next one first. */
function upcoming({ queue, cursor, seats, turn }: Channel): readonly string[] {
  const around = [...queue.slice(cursor + 1), ...queue.slice(0, cursor + 1)]
  return around.filter((agent) => agent !== turn?.agent && seats[agent]?.state === 'QUEUED')
}

/** The last hundred, oldest first. */
export function historyRows(slice: Slice, { channel, agent }: Wanted): readonly HistoryEntry[] {
  return inOrder(slice?.history ?? {}).filter(
    (entry) =>
      (channel === undefined || entry.channelId === channel) && (agent === undefined || entry.agentId === agent),
  )
}

/** The last hundred of a channel, oldest first; those that wait for the end of a turn only when asked for. */
export function messageRows(
  slice: Slice,
  channel: string,
  {
    after: from = -1,
    waiting = false,
  }: { readonly after?: number | undefined; readonly waiting?: boolean | undefined } = {},
): readonly MessageRow[] {
  const known = slice !== undefined && Object.hasOwn(slice.messages, channel) ? (slice.messages[channel] ?? {}) : {}
  const said = inOrder(known).filter(({ n, posted }) => n > from && (posted || waiting))
  const kept = waiting ? (channelIn(slice, channel)?.kept ?? []) : []
  return [...said, ...kept.map((one) => ({ n: null, ...one, agent: null, late: false, posted: false }))]
}

/** What waits has no number yet. */
export type MessageRow = Omit<Message, 'n'> & { readonly n: number | null }

const inOrder = <T>(ring: Readonly<Record<string, T>>): readonly T[] =>
  Object.entries(ring)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, each]) => each)

/** Channels that the guard has stopped: for the inbox. */
export function turnsNeedingPerson(slice: Slice, now: number): readonly NeedsPerson[] {
  return channelsAt(slice, now).flatMap(({ id, hold }) =>
    hold?.kind === 'guard'
      ? [
          {
            channel: id,
            trip: hold.trip,
            why: hold.note ?? '',
            since: hold.at,
            next: `steadfold turn resume ${quoted(id)}`,
          },
        ]
      : [],
  )
}
