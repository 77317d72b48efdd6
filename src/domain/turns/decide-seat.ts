/* Who sits in a channel, whether it is there, and when the clock stands still: T3, T7 and T9 of turns.ts. */
import { accept, alreadySo, refuse, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import {
  agentOf,
  channelFor,
  found,
  isMember,
  isRefusal,
  notSeated,
  type Asked,
  type Decided,
  type State,
} from './ask.ts'
import { after } from './channel.ts'
import type { Channel, ChannelEvent, Seat, SeatConfig } from './events.ts'
import { follow, hasTurns, isMoving, pass, resumption } from './ring.ts'
import { shutOut } from './roles.ts'
import { turnsOf } from './turns.ts'

export interface Joining extends Asked, Partial<SeatConfigInput> {
  readonly position?: 'start' | 'end' | number | undefined
}

type SeatConfigInput = { readonly [K in keyof SeatConfig]: SeatConfig[K] | undefined }

const NEW_SEAT: SeatConfig = { role: null, priority: 5, timeout_ms: null, can_interrupt: false }

/** Joins at a place, or comes back to the old one; what is given anew is changed. */
export function decideJoin(root: State, joining: Joining, context: Context): Decided {
  const channel = channelFor(root, joining.channel)
  if (isRefusal(channel)) return channel
  const agent = joining.agent ?? agentOf(context.actor)
  if (agent === undefined) return notSeated(channel, agent)
  const seat = isMember(channel, agent)
  const config = settled(joining, seat ?? NEW_SEAT)
  const outside = shutOut(root, channel, `agent:${agent}`, config.role)
  if (outside !== undefined) return outside
  if (seat !== undefined) return accept(...again(channel, seat, config, joining))
  const no = full(channel, agent)
  if (no !== undefined) return no
  const position = positionIn(channel, joining.position, config.priority)
  const state = isMoving(channel) ? 'QUEUED' : 'IDLE'
  return accept({ type: 'turn.joined', data: { channel: channel.id, agent, position, state, ...config } })
}

/** Gone for good, or only for now: then the place stays. T3: who may not take a turn from another sends nobody away. */
export function decideLeave(root: State, leaving: Asked & { readonly keep: boolean }, context: Context): Decided {
  const channel = channelFor(root, leaving.channel)
  if (isRefusal(channel)) return channel
  const agent = leaving.agent ?? agentOf(context.actor)
  const seat = isMember(channel, agent)
  if (agent === undefined) return notSeated(channel, agent)
  if (seat === undefined || (leaving.keep && seat.state === 'OFFLINE')) return accept()
  const asking = agentOf(context.actor) ?? agent
  if (asking !== agent && isMember(channel, asking)?.can_interrupt !== true)
    return refuse('INPUT_INVALID', `agent "${asking}" cannot leave for "${agent}"`, {
      hint: `a person, or an agent that may interrupt: steadfold turn leave ${quoted(channel.id)} ${quoted(agent)}`,
    })
  const gone = departure(channel, agent, leaving.keep ? 'left' : undefined)
  return accept(...leave(channel, agent, gone, context))
}

function leave(channel: Channel, agent: string, gone: ChannelEvent, context: Context): readonly ChannelEvent[] {
  const hasTurn = channel.turn?.agent === agent
  return hasTurn ? pass(channel, { reason: 'removed', by: context.actor, gone }, context) : [gone]
}

const departure = ({ id: channel }: Channel, agent: string, cause: string | undefined): ChannelEvent =>
  cause === undefined
    ? { type: 'turn.left', data: { channel, agent } }
    : { type: 'turn.went-offline', data: { channel, agent, cause } }

export function decidePause(
  root: State,
  asked: Asked & { readonly note?: string | undefined },
  context: Context,
): Decided {
  const place = found(root, asked, context.actor)
  if (isRefusal(place)) return place
  const { id, hold, turn } = place.channel
  if (hold !== null && hold.kind !== 'interrupt') return accept()
  const left = hold?.left ?? (turn === null ? null : Math.max(0, turn.deadline - context.now))
  const { actor: by } = context
  const note = asked.note ?? null
  return accept({ type: 'turn.held', data: { channel: id, kind: 'pause', trip: null, by, note, until: null, left } })
}

/** T9: what the guard has stopped goes on only when a person, or a tool of one, says so. */
export function decideResume(root: State, asked: Asked, context: Context): Decided {
  const place = found(root, asked, context.actor)
  if (isRefusal(place)) return place
  const { channel } = place
  if (channel.hold === null) return accept()
  if (channel.hold.kind === 'guard' && agentOf(context.actor) !== undefined)
    return refuse('NEEDS_PERSON', `what stopped channel "${channel.id}" is for a person: ${channel.hold.note ?? ''}`, {
      hint: `steadfold turn resume ${quoted(channel.id)}, by a person`,
    })
  const resumed = [resumption(channel, context.actor, context)]
  const going = after(channel, resumed, context)
  // Who waits is owed a turn when it was stopped between two.
  const owed = hasTurns(going) && going.turn === null && isMoving(going)
  return accept(...resumed, ...(owed ? follow(going, null, context) : []))
}

/** T7: whether it is the agent's turn, with what time has brought about put on record; nothing when that is nothing. */
export function decidePoll(
  root: State,
  { agent: named, channel: only }: { readonly agent?: string | undefined; readonly channel?: string | undefined },
  context: Context,
): Decided {
  const agent = named ?? agentOf(context.actor)
  const channels = Object.values(turnsOf(root)?.channels ?? {})
  const asked = channels.filter(({ id }) => only === undefined || id === only)
  const events = channels.flatMap((channel): readonly ChannelEvent[] => [
    ...(asked.includes(channel) ? seen(channel, agent) : []),
    ...(channel.moved === context.seq ? [{ type: 'turn.clock-read', data: { channel: channel.id } } as const] : []),
  ])
  return events.length > 0 ? accept(...events) : alreadySo(turnOf(asked, agent))
}

/** The turn that it has taken before. */
function turnOf(channels: readonly Channel[], agent: string | undefined) {
  const own = channels.findLast(({ turn, hold }) => turn?.agent === agent && hold === null)
  return own?.turn && { channel: own.id, agent: own.turn.agent, token: own.turn.token }
}

function seen(channel: Channel, agent: string | undefined): readonly ChannelEvent[] {
  const seat = isMember(channel, agent)
  if (seat === undefined) return []
  const { turn, hold, id } = channel
  if (seat.state === 'OFFLINE') return [comeback(channel, seat)]
  const isNew = turn?.agent === seat.agent && !turn.taken && hold === null
  return isNew ? [{ type: 'turn.taken', data: { channel: id, agent: seat.agent, token: turn.token } }] : []
}

const comeback = (channel: Channel, { agent }: Seat): ChannelEvent => ({
  type: 'turn.came-back',
  data: { channel: channel.id, agent, state: isMoving(channel) ? 'QUEUED' : 'IDLE' },
})

function again(channel: Channel, seat: Seat, config: SeatConfig, { position }: Joining): readonly ChannelEvent[] {
  const { id, queue } = channel
  const { agent } = seat
  const isSame = (Object.keys({ ...NEW_SEAT, ...config }) as (keyof SeatConfig)[]).every(
    (key) => JSON.stringify(seat[key]) === JSON.stringify(config[key]),
  )
  const others = { ...channel, queue: queue.filter((each) => each !== agent) }
  const to = position === undefined ? queue.indexOf(agent) : positionIn(others, position, config.priority)
  return [
    ...(isSame ? [] : [{ type: 'turn.seat-changed', data: { channel: id, agent, ...config } } as const]),
    ...(to === queue.indexOf(agent)
      ? []
      : [{ type: 'turn.moved', data: { channel: id, agent, position: to } } as const]),
    ...(seat.state === 'OFFLINE' ? [comeback(channel, seat)] : []),
  ]
}

/** What was said, else what was there. */
function settled(given: Partial<SeatConfigInput>, before: SeatConfig): SeatConfig {
  const triggers = given.triggers?.filter((word) => word.trim() !== '') ?? before.triggers
  return {
    ...(triggers === undefined ? {} : { triggers }),
    role: given.role ?? before.role,
    priority: given.priority ?? before.priority,
    timeout_ms: given.timeout_ms ?? before.timeout_ms,
    can_interrupt: given.can_interrupt ?? before.can_interrupt,
  }
}

/** Direct and single channels are those of one agent. */
function full({ id, config: { mode }, queue }: Channel, agent: string): Refusal | undefined {
  if (mode === 'turn-based' || mode === 'broadcast' || queue.length === 0) return undefined
  return refuse('LIMIT_REACHED', `channel "${id}" is ${mode}: "${queue[0] ?? ''}" sits in it, so "${agent}" cannot`, {
    hint: `steadfold channel set ${quoted(id)} --mode turn-based`,
  })
}

/** In the queue, from 0; people count from 1. */
function positionIn({ queue, config, seats }: Channel, asked: Joining['position'], priority: number): number {
  if (asked === 'start') return 0
  if (typeof asked === 'number') return Math.min(asked - 1, queue.length)
  if (asked === 'end' || config.order !== 'priority') return queue.length
  const behind = queue.findIndex((agent) => (seats[agent]?.priority ?? 0) > priority)
  return behind < 0 ? queue.length : behind
}
