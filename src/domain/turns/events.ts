import type { Heap } from '../../kernel/state/heap.ts'

/** Entries of history, and messages of a channel, that the state keeps; the log has all. */
export const KEPT = 100

export const MODES = ['direct', 'single', 'turn-based', 'broadcast'] as const
/** Who follows: the next in the queue, the queue ordered by priority, or nobody until somebody says who. */
export const ORDERS = ['round-robin', 'priority', 'manual'] as const
/** What a person's message does to the turn of an agent. */
export const HUMAN_MODES = ['inject', 'queue', 'interrupt', 'parallel'] as const
/** Why a turn ended. */
const END_REASONS = ['complete', 'timeout', 'removed', 'recovery', 'interrupt'] as const
export const SEAT_STATES = ['OFFLINE', 'IDLE', 'QUEUED', 'ACTIVE', 'WAITING'] as const

export type Mode = (typeof MODES)[number]
export type Order = (typeof ORDERS)[number]
export type HumanMode = (typeof HUMAN_MODES)[number]
export type EndReason = (typeof END_REASONS)[number]
/** See the table in transitions.ts. */
export type SeatState = (typeof SEAT_STATES)[number]
/** What made a channel stop by itself. */
export type Trip = 'turns' | 'repeated' | 'ping-pong' | 'tokens' | 'cost'

export interface ChannelConfig {
  readonly name: string
  readonly mode: Mode
  readonly order: Order
  readonly human: HumanMode
  /** The word that ends a turn. */
  readonly signal: string
  readonly timeout_ms: number
  /** By role, before those that are built in. */
  readonly timeouts: Readonly<Record<string, number>>
  /** A turn that a person has interrupted goes on by itself after that. */
  readonly interrupt_ms: number
  /** Limits; null for none. */
  readonly max_turns: number | null
  readonly max_repeats: number | null
  readonly max_tokens: number | null
  readonly max_cost_usd: number | null
  /** Who may take part, by role; not there, or empty, for everybody. */
  readonly roles?: readonly string[]
}

export interface SeatConfig {
  readonly role: string | null
  /** 1 comes first, 10 last. */
  readonly priority: number
  readonly timeout_ms: number | null
  /** May take the turn from another. */
  readonly can_interrupt: boolean
  /** Words of others at which it does; not there for none. */
  readonly triggers?: readonly string[]
}

export interface Seat extends SeatConfig {
  readonly agent: string
  readonly state: SeatState
  readonly since: string
  readonly last_activity: string | null
  /** Token of the turn that time took from it: what it says under that is late. */
  readonly late: number | null
}

export interface Turn {
  readonly agent: string
  /** Fencing token: sequence number of the commit that gave it. */
  readonly token: number
  readonly started_at: string
  /** The last millisecond of it, since 1970. */
  readonly deadline: number
  /** Whether the agent has seen that it is its turn. */
  readonly taken: boolean
}

/** Why no turn goes on. */
export interface Hold {
  readonly kind: 'pause' | 'interrupt' | 'guard'
  readonly trip: Trip | null
  readonly by: string
  readonly note: string | null
  readonly at: string
  /** When it ends by itself, in milliseconds since 1970. */
  readonly until: number | null
  /** What is left of the turn, in milliseconds. */
  readonly left: number | null
}

/** Since a person last spoke, or let the channel go on. */
export interface Guard {
  readonly turns: number
  /** What agents said last: the agent and the fingerprint of the text. */
  readonly prints: readonly string[]
  readonly tokens: number
  readonly cost_usd: number
}

export interface Channel {
  readonly id: string
  readonly config: ChannelConfig
  /** Everybody who sits in it, in the order of turns. */
  readonly queue: readonly string[]
  readonly seats: Readonly<Record<string, Seat>>
  /** Place in the queue of the one that had the turn last; -1 before the first. */
  readonly cursor: number
  readonly turn: Turn | null
  readonly hold: Hold | null
  readonly guard: Guard
  /** Messages of people that wait for the end of the turn and have a number already: only logs from before `turn.kept` have any. */
  readonly pending: readonly number[]
  /** Messages of people that wait for the end of the turn; not there for none. */
  readonly kept?: readonly Kept[]
  /** How many messages there ever were; the number of the next one. */
  readonly said: number
  readonly spent: { readonly turns: number; readonly tokens: number; readonly cost_usd: number }
  /** Sequence number of the commit in which time alone last changed something. */
  readonly moved: number
}

export interface Message {
  readonly n: number
  readonly seq: number
  readonly at: string
  readonly author: string
  readonly agent: string | null
  /** The beginning of it; the log has all. */
  readonly text: string
  readonly cut: boolean
  /** Token of the turn in which it was said. */
  readonly turn: number | null
  readonly late: boolean
  /** False while it waits for the end of a turn. */
  readonly posted: boolean
}

/** A message that has no number yet. */
export type Kept = Omit<Message, 'n' | 'agent' | 'late' | 'posted'>

/** In the shape of the history of `orchestration-state.json`. */
export interface HistoryEntry {
  readonly timestamp: string
  readonly event: string
  readonly agentId?: string
  readonly channelId?: string
  readonly details: Readonly<Record<string, unknown>>
}

export interface TurnsSlice {
  channels: Record<string, Channel>
  /** By channel and number, the last hundred of each. */
  messages: Record<string, Record<string, Message>>
  /** By number, the last hundred. */
  history: Record<string, HistoryEntry>
  /** How many entries of history there ever were. */
  entries: number
  /** Agent -> channels in which it is there. */
  present: Record<string, readonly string[]>
  /** Channels by the moment at which time alone changes something about them. */
  deadlines: Heap
}

export interface Of {
  readonly channel: string
}
export interface OfAgent extends Of {
  readonly agent: string
}
export interface OfTurn extends OfAgent {
  readonly token: number
}

export type Started = OfTurn & { readonly deadline: number; readonly cursor: number; readonly by: string | null }
export type Ended = OfTurn & {
  readonly reason: EndReason
  /** When it really ended: for a timeout its deadline; ISO 8601. */
  readonly at: string
  readonly by: string | null
  /** Nobody follows: all who waited are idle. */
  readonly rests: boolean
}
export type Said = Of & {
  readonly author: string
  readonly agent: string | null
  readonly text: string
  readonly turn: number | null
  readonly late: boolean
  readonly posted: boolean
  /** It held the completion signal. */
  readonly signal: boolean
  /** Of what an agent said. */
  readonly print: string | null
}
/** What a person said in a turn that goes on. */
export type KeptSaid = Of & { readonly author: string; readonly text: string; readonly turn: number | null }
export type Held = Of & Omit<Hold, 'at'>
export type Joined = OfAgent & SeatConfig & { readonly position: number; readonly state: 'IDLE' | 'QUEUED' }

/** Events of one channel. */
export type ChannelEvent =
  | { readonly type: 'turn.channel-set'; readonly data: Of & { readonly config: ChannelConfig } }
  | { readonly type: 'turn.joined'; readonly data: Joined }
  | { readonly type: 'turn.seat-changed'; readonly data: OfAgent & SeatConfig }
  | { readonly type: 'turn.moved'; readonly data: OfAgent & { readonly position: number } }
  | { readonly type: 'turn.left'; readonly data: OfAgent }
  | { readonly type: 'turn.went-offline'; readonly data: OfAgent & { readonly cause: string } }
  | { readonly type: 'turn.came-back'; readonly data: OfAgent & { readonly state: 'IDLE' | 'QUEUED' } }
  | { readonly type: 'turn.started'; readonly data: Started }
  | { readonly type: 'turn.taken'; readonly data: OfTurn }
  | { readonly type: 'turn.extended'; readonly data: OfTurn & { readonly deadline: number } }
  | { readonly type: 'turn.ended'; readonly data: Ended }
  | { readonly type: 'turn.said'; readonly data: Said }
  /** It is posted when the turn ends. */
  | { readonly type: 'turn.kept'; readonly data: KeptSaid }
  | { readonly type: 'turn.spent'; readonly data: OfAgent & { readonly tokens: number; readonly cost_usd: number } }
  /** What people had said meanwhile is posted now. */
  | { readonly type: 'turn.posted'; readonly data: Of }
  | { readonly type: 'turn.held'; readonly data: Held }
  /** `by` null: its time was over. */
  | {
      readonly type: 'turn.resumed'
      readonly data: Of & { readonly by: string | null; readonly deadline: number | null }
    }
  /** Somebody looked at the clock, so that what time had brought about came on record. */
  | { readonly type: 'turn.clock-read'; readonly data: Of }

export type TurnEvent =
  | ChannelEvent
  | { readonly type: 'turn.channel-created'; readonly data: Of & { readonly config: ChannelConfig } }
  | { readonly type: 'turn.channel-removed'; readonly data: Of }
  | {
      readonly type: 'turn.imported'
      readonly data: {
        readonly channels: readonly Channel[]
        readonly history: readonly HistoryEntry[]
        /** Agents of the file that sit in no channel. */
        readonly left_out: readonly string[]
      }
    }
