/* One event more: what it makes of its channel. Pure; `turns.ts` puts the result into the state. */
import type {
  Channel,
  ChannelConfig,
  ChannelEvent,
  Ended,
  Guard,
  Held,
  Joined,
  Said,
  Seat,
  SeatConfig,
  SeatState,
  Started,
} from './events.ts'
import { NO_GUARD, PRINTS_KEPT } from './guard.ts'
import { withKept, withoutKept } from './kept.ts'

/** The commit around an event. */
export interface When {
  readonly at: string
  readonly seq: number
}

type Folds = {
  readonly [E in ChannelEvent as E['type']]: (channel: Channel, data: E['data'], when: When) => Channel
}

export const emptyChannel = (id: string, config: ChannelConfig): Channel => ({
  id,
  config,
  queue: [],
  seats: {},
  cursor: -1,
  turn: null,
  hold: null,
  guard: NO_GUARD,
  pending: [],
  said: 0,
  spent: { turns: 0, tokens: 0, cost_usd: 0 },
  moved: 0,
})

export const FOLDS: Folds = {
  'turn.channel-set': (channel, { config }) => ({ ...channel, config }),
  'turn.joined': join,
  'turn.seat-changed': (channel, data) => changeSeat(channel, data.agent, seatConfig(data)),
  'turn.moved': (channel, { agent, position }) => placed(unplaced(channel, agent), agent, position),
  'turn.left': (channel, { agent }) => {
    const { [agent]: _, ...seats } = channel.seats
    return { ...unplaced(channel, agent), seats }
  },
  'turn.went-offline': (channel, { agent }, when) => changeState(channel, agent, 'OFFLINE', when),
  'turn.came-back': (channel, { agent, state }, when) => changeState(channel, agent, state, when),
  'turn.started': start,
  'turn.taken': (channel, { agent, token }, { at }) => {
    const { turn } = channel
    if (turn?.token !== token || turn.agent !== agent) return channel
    return changeSeat({ ...channel, turn: { ...turn, taken: true } }, agent, { last_activity: at })
  },
  'turn.extended': (channel, { deadline }) =>
    channel.turn === null ? channel : { ...channel, turn: { ...channel.turn, deadline } },
  'turn.ended': end,
  'turn.said': say,
  'turn.spent': (channel, { tokens, cost_usd }) => ({
    ...channel,
    guard: withSpent(channel.guard, tokens, cost_usd),
    spent: withSpent(channel.spent, tokens, cost_usd),
  }),
  'turn.kept': (channel, data, when) => withKept(heardPerson(channel, data.author), data, when),
  'turn.posted': withoutKept,
  'turn.held': hold,
  'turn.resumed': (channel, { by, deadline }, when) => {
    const guard = channel.hold?.kind === 'guard' ? NO_GUARD : channel.guard
    const going = { ...channel, hold: null, guard, moved: by === null ? when.seq : channel.moved }
    if (channel.turn === null || deadline === null) return going
    return changeState({ ...going, turn: { ...channel.turn, deadline } }, channel.turn.agent, 'ACTIVE', when)
  },
  'turn.clock-read': (channel) => channel,
}

/** The channel after events that were decided on but are not in the log yet. */
export function after(channel: Channel, events: readonly ChannelEvent[], when: When): Channel {
  return events.reduce((now, event) => foldOne(now, event, when), channel)
}

function foldOne(channel: Channel, { type, data }: ChannelEvent, when: When): Channel {
  // The handler under a type takes the data of that type.
  return (FOLDS[type] as (channel: Channel, data: unknown, when: When) => Channel)(channel, data, when)
}

export const seatOf = (channel: Channel, agent: string): Seat | undefined =>
  Object.hasOwn(channel.seats, agent) ? channel.seats[agent] : undefined

function changeSeat(channel: Channel, agent: string, change: Partial<Seat>): Channel {
  const seat = seatOf(channel, agent)
  return seat === undefined ? channel : { ...channel, seats: { ...channel.seats, [agent]: { ...seat, ...change } } }
}

function changeState(channel: Channel, agent: string, state: SeatState, { at }: When): Channel {
  return seatOf(channel, agent)?.state === state ? channel : changeSeat(channel, agent, { state, since: at })
}

/** Everybody who is in one state goes to another. */
function changeAll(channel: Channel, from: SeatState, to: SeatState, when: When): Channel {
  return channel.queue.reduce(
    (now, agent) => (seatOf(now, agent)?.state === from ? changeState(now, agent, to, when) : now),
    channel,
  )
}

function join(channel: Channel, data: Joined, { at }: When): Channel {
  const { agent, position, state } = data
  const seat: Seat = { ...seatConfig(data), agent, state, since: at, last_activity: null, late: null }
  return placed({ ...channel, seats: { ...channel.seats, [agent]: seat } }, agent, position)
}

const seatConfig = ({ role, priority, timeout_ms, can_interrupt, triggers }: SeatConfig): SeatConfig => ({
  role,
  priority,
  timeout_ms,
  can_interrupt,
  ...(triggers === undefined ? {} : { triggers }),
})

/** The cursor stays with the one it stands on. */
function placed(channel: Channel, agent: string, position: number): Channel {
  const cursor = position <= channel.cursor ? channel.cursor + 1 : channel.cursor
  return { ...channel, queue: channel.queue.toSpliced(position, 0, agent), cursor }
}

/** When the one it stands on goes, the next in line is still the next. */
function unplaced(channel: Channel, agent: string): Channel {
  const place = channel.queue.indexOf(agent)
  if (place < 0) return channel
  const cursor = place <= channel.cursor ? channel.cursor - 1 : channel.cursor
  return { ...channel, queue: channel.queue.toSpliced(place, 1), cursor }
}

function start(channel: Channel, { agent, token, deadline, cursor }: Started, when: When): Channel {
  const queued = changeAll(channel, 'IDLE', 'QUEUED', when)
  return changeState(
    {
      ...queued,
      cursor,
      turn: { agent, token, started_at: when.at, deadline, taken: false },
      guard: { ...channel.guard, turns: channel.guard.turns + 1 },
      spent: { ...channel.spent, turns: channel.spent.turns + 1 },
    },
    agent,
    'ACTIVE',
    when,
  )
}

function end(channel: Channel, { agent, token, reason, rests, at }: Ended, when: When): Channel {
  const ended: Channel = {
    ...channel,
    turn: null,
    // An interruption is over with the turn that it interrupted.
    hold: channel.hold === null || channel.hold.kind === 'interrupt' ? null : { ...channel.hold, left: null },
    moved: reason === 'timeout' ? when.seq : channel.moved,
  }
  const queued = changeState(ended, agent, 'QUEUED', when)
  // T6: time took it, whoever told that.
  const isOver = reason === 'timeout' || (reason === 'recovery' && at < when.at)
  const late = isOver ? { late: token } : reason === 'complete' ? { late: null } : {}
  return changeSeat(rests ? changeAll(queued, 'QUEUED', 'IDLE', when) : queued, agent, late)
}

function say(channel: Channel, said: Said, when: When): Channel {
  const { agent, author, print, posted, late, signal, turn } = said
  const pending = posted ? channel.pending : [...channel.pending, channel.said]
  const heard = { ...channel, said: channel.said + 1, pending }
  if (agent === null) return heardPerson(heard, author)
  const guard = remembered(channel.guard, print === null ? null : `${agent} ${print}`, turn === null && !late)
  return changeSeat({ ...heard, guard }, agent, { last_activity: when.at, ...(late && signal ? { late: null } : {}) })
}

/** T9: the guard begins to count anew. */
const heardPerson = (channel: Channel, author: string): Channel =>
  author.startsWith('human:') ? { ...channel, guard: { ...channel.guard, turns: 0, prints: [] } } : channel

/** Where there are no turns each message counts as one. */
function remembered(guard: Guard, print: string | null, isTurn: boolean): Guard {
  const prints = print === null ? guard.prints : [...guard.prints, print].slice(-PRINTS_KEPT)
  return { ...guard, prints, turns: guard.turns + (isTurn ? 1 : 0) }
}

const withSpent = <Sum extends { readonly tokens: number; readonly cost_usd: number }>(
  sum: Sum,
  tokens: number,
  cost_usd: number,
): Sum => ({ ...sum, tokens: sum.tokens + tokens, cost_usd: sum.cost_usd + cost_usd })

function hold(channel: Channel, { kind, trip, by, note, until, left }: Held, when: When): Channel {
  const stopped = { ...channel, hold: { kind, trip, by, note, at: when.at, until, left } }
  return channel.turn === null ? stopped : changeState(stopped, channel.turn.agent, 'WAITING', when)
}
