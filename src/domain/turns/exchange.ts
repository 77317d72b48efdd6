/*
 * `orchestration-state.json`, version 1.0: in and out.
 *
 * X1. What the file says is taken over: queues, places, states, turns and history; what contradicts itself is refused
 *     with the name of the field.
 * X2. A turn whose time is over when it comes in ends with reason `recovery`.
 * X3. A time without a zone is one of UTC.
 */
import { accept, refuse, type Refusal } from '../../kernel/decision.ts'
import { isStorableKey } from '../../kernel/json/rules.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { inUtc } from '../../kernel/text/utc.ts'
import type { Decided, State } from './ask.ts'
import { emptyChannel } from './channel.ts'
import { DEFAULT_CONFIG } from './decide-channel.ts'
import {
  KEPT,
  type Channel,
  type ChannelEvent,
  type HistoryEntry,
  type Seat,
  type SeatState,
  type TurnsSlice,
} from './events.ts'
import { isName } from './inputs.ts'
import { pass } from './ring.ts'
import { channelIn, turnsOf } from './turns.ts'
import { channelAt, historyRows } from './views.ts'

const VERSION = '1.0'

export interface AgentState {
  readonly state: SeatState
  readonly lastStateChange?: string | null | undefined
  readonly currentChannel?: string | null | undefined
  readonly lastActivity?: string | null | undefined
}

export interface ChannelState {
  readonly queue: readonly string[]
  readonly currentIndex?: number | undefined
  readonly activeAgent?: string | null | undefined
  readonly turnStartedAt?: string | null | undefined
  readonly turnTimeoutAt?: string | null | undefined
}

export interface OrchestrationState {
  readonly version?: string | undefined
  readonly lastUpdated?: string | undefined
  readonly agents: Readonly<Record<string, AgentState>>
  readonly channels: Readonly<Record<string, ChannelState>>
  readonly history: readonly HistoryEntry[]
}

export function decideImport(
  root: State,
  { document }: { readonly document: OrchestrationState },
  context: Context,
): Decided {
  const no = firstProblem(root, document)
  if (no !== undefined) return no
  const channels = Object.entries(document.channels).map(([id, state]) => channelFrom(id, state, document, context))
  if (channels.length === 0 && document.history.length === 0) return accept()
  const recovered = channels.flatMap((channel) => stale(channel, context))
  const seated = new Set(channels.flatMap(({ queue }) => queue))
  const left_out = Object.keys(document.agents).filter((agent) => !seated.has(agent))
  const history = document.history
    .map((entry) => ({ ...entry, timestamp: inUtc(entry.timestamp) }))
    .toSorted((a, b) => (Date.parse(a.timestamp) || 0) - (Date.parse(b.timestamp) || 0))
    .slice(-KEPT)
  return accept({ type: 'turn.imported', data: { channels, history, left_out } }, ...recovered)
}

/** X2 */
function stale(channel: Channel, context: Context): readonly ChannelEvent[] {
  const { turn } = channel
  if (turn === null || context.now <= turn.deadline) return []
  return pass(channel, { reason: 'recovery', at: new Date(turn.deadline).toISOString() }, context)
}

function firstProblem(root: State, { version, agents, channels }: OrchestrationState): Refusal | undefined {
  if (version !== undefined && version !== VERSION)
    return refuse(
      'VERSION_UNKNOWN',
      `version "${version}" of orchestration-state.json is not known, only ${VERSION} is`,
    )
  const bad = Object.keys(agents).find((name) => name === '' || !isStorableKey(name))
  if (bad !== undefined) return wrong(`"${bad}"`, 'is no name that can be kept')
  const unnamed = [...Object.keys(channels), ...Object.values(channels).flatMap(({ queue }) => queue)].find(
    (name) => !isName(name),
  )
  if (unnamed !== undefined) return wrong(`"${unnamed}"`, 'cannot be a name here: one word of up to 128 characters')
  for (const [id, channel] of Object.entries(channels)) {
    const no = problemOf(root, id, channel)
    if (no !== undefined) return no
  }
  return undefined
}

function problemOf(root: State, id: string, { queue, activeAgent, turnTimeoutAt }: ChannelState): Refusal | undefined {
  const field = `channels.${id}`
  if (channelIn(turnsOf(root), id) !== undefined)
    return refuse('NAME_TAKEN', `there is a channel "${id}" already`, { hint: 'import into a new session' })
  if (new Set(queue).size < queue.length) return wrong(`${field}.queue`, 'holds an agent twice')
  const active = activeAgent ?? null
  if (active === null) return undefined
  if (!queue.includes(active)) return wrong(`${field}.activeAgent`, `"${active}" is not in the queue`)
  if (!Number.isFinite(timeOf(turnTimeoutAt))) return wrong(`${field}.turnTimeoutAt`, 'is no time')
  return undefined
}

const wrong = (field: string, what: string): Refusal =>
  refuse('INPUT_INVALID', `${field} ${what}`, { hint: 'correct the file and import it again', details: { field } })

function channelFrom(id: string, state: ChannelState, document: OrchestrationState, context: Context): Channel {
  const { queue, activeAgent, turnStartedAt, turnTimeoutAt, currentIndex = 0 } = state
  const active = activeAgent ?? null
  const seats = queue.map((agent) => [agent, seatFrom(agent, active, document, context)] as const)
  const started_at = isoOf(turnStartedAt) ?? context.at
  return {
    ...emptyChannel(id, { name: id, ...DEFAULT_CONFIG }),
    queue,
    seats: Object.fromEntries(seats),
    cursor: active === null ? clamped(currentIndex - 1, queue.length) : queue.indexOf(active),
    turn:
      active === null
        ? null
        : { agent: active, token: context.seq, started_at, deadline: timeOf(turnTimeoutAt), taken: true },
  }
}

/** The channel knows better than the agent who has its turn. */
function seatFrom(agent: string, active: string | null, { agents }: OrchestrationState, { at }: Context): Seat {
  const known = Object.hasOwn(agents, agent) ? agents[agent] : undefined
  const offline = known === undefined || known.state === 'OFFLINE'
  const state = agent === active ? 'ACTIVE' : offline ? 'OFFLINE' : active === null ? 'IDLE' : 'QUEUED'
  return {
    agent,
    role: null,
    priority: 5,
    timeout_ms: null,
    can_interrupt: false,
    state,
    since: isoOf(known?.lastStateChange) ?? at,
    last_activity: isoOf(known?.lastActivity) ?? null,
    late: null,
  }
}

const clamped = (index: number, length: number): number => Math.max(-1, Math.min(index, length - 1))

/** X3 */
const timeOf = (time: string | null | undefined): number => Date.parse(inUtc(time ?? ''))

const isoOf = (time: string | null | undefined): string | undefined => {
  const ms = timeOf(time)
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined
}

/** Which of its states tells most about an agent that sits in several channels. */
const RANKS: Readonly<Record<SeatState, number>> = { ACTIVE: 4, WAITING: 3, QUEUED: 2, IDLE: 1, OFFLINE: 0 }

export function exported(slice: TurnsSlice | undefined, now: number): OrchestrationState {
  const channels = Object.values(slice?.channels ?? {}).map((channel) => channelAt(channel, now))
  return {
    version: VERSION,
    lastUpdated: new Date(now).toISOString(),
    agents: agentsIn(channels),
    channels: Object.fromEntries(channels.map((channel) => [channel.id, stateOf(channel, now)])),
    history: historyRows(slice, {}),
  }
}

function agentsIn(channels: readonly Channel[]): Record<string, AgentState> {
  const agents: Record<string, AgentState> = {}
  for (const { id, seats } of channels)
    for (const { agent, state, since, last_activity } of Object.values(seats)) {
      const before = agents[agent]
      if (before !== undefined && RANKS[before.state] >= RANKS[state]) continue
      agents[agent] = { state, lastStateChange: since, currentChannel: id, lastActivity: last_activity }
    }
  return agents
}

function stateOf({ queue, cursor, turn, hold }: Channel, now: number): ChannelState {
  // While a turn is held its clock stands: the file has no word for that, so the rest of it begins now.
  const deadline = hold === null ? turn?.deadline : now + (hold.left ?? 0)
  return {
    queue,
    currentIndex: Math.max(0, turn === null ? (cursor + 1) % Math.max(1, queue.length) : queue.indexOf(turn.agent)),
    activeAgent: turn?.agent ?? null,
    turnStartedAt: turn?.started_at ?? null,
    turnTimeoutAt: turn === null || deadline === undefined ? null : new Date(deadline).toISOString(),
  }
}
