import type { Heap } from '../../kernel/state/heap.ts'

export const MESSAGE_TYPES = ['task_assigned', 'task_completed', 'question', 'answer', 'handoff', 'alert'] as const
export const PRIORITIES = ['critical', 'high', 'normal', 'low'] as const

export type MessageType = (typeof MESSAGE_TYPES)[number]
export type Priority = (typeof PRIORITIES)[number]
export type Channel = 'direct' | 'broadcast' | 'emergency'

/** An address is the id of an agent, or a whole actor that is none: `planner`, `human:ana`. */
export interface Message {
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly channel: Channel
  readonly type: MessageType
  readonly priority: Priority
  readonly payload: unknown
  readonly correlation_id: string | null
  readonly ttl_ms: number | null
  /** Milliseconds since 1970; after it nobody wants the message. */
  readonly expires: number | null
  /** How often it is delivered to one agent before it is put aside. */
  readonly max_deliveries: number
}

export interface Stored extends Message {
  readonly timestamp: string
  /** Inboxes that still hold it. */
  readonly refs: number
}

export interface Of {
  readonly id: string
  readonly agent: string
}

export interface Leased extends Of {
  /** Fencing token: sequence number of the commit that delivered it. */
  readonly token: number
}

export interface Delivered extends Leased {
  readonly by: string
  readonly attempt: number
  /** Milliseconds since 1970: until then nobody else gets it. */
  readonly until: number
  readonly message: Omit<Message, 'id'> & { readonly timestamp: string }
}

/** A message as it is handed to who works on it; it is acknowledged with its id and token. */
export interface Received extends Omit<Message, 'expires' | 'max_deliveries'> {
  readonly timestamp: string
  /** The inbox it comes from. */
  readonly agent: string
  readonly token: number
  /** Which delivery of it this is. */
  readonly attempt: number
  /** Milliseconds since 1970: end of the lease. */
  readonly until: number
}

export type DeathCause = 'deliveries' | 'rejected'

export type MessageEvent =
  | { readonly type: 'message.sent'; readonly data: Message }
  | { readonly type: 'message.delivered'; readonly data: Delivered }
  | { readonly type: 'message.renewed'; readonly data: Leased & { readonly until: number } }
  | { readonly type: 'message.acknowledged'; readonly data: Leased }
  | { readonly type: 'message.returned'; readonly data: Leased & { readonly note: string | null } }
  | { readonly type: 'message.lease-ended'; readonly data: Leased }
  /** Put aside among the dead letters. */
  | { readonly type: 'message.died'; readonly data: Of & { readonly cause: DeathCause; readonly note: string | null } }
  | { readonly type: 'message.expired'; readonly data: Of }
  | { readonly type: 'message.revived'; readonly data: Of }
  | { readonly type: 'message.dropped'; readonly data: Of }

export interface Delivery {
  /** Place in the inbox: by priority, then by time. */
  readonly order: number
  readonly attempts: number
  readonly lease: { readonly token: number; readonly until: number; readonly by: string } | null
}

export interface DeadLetter {
  readonly order: number
  readonly attempts: number
  readonly cause: DeathCause
  readonly note: string | null
  readonly at: string
}

export interface Inbox {
  /** What is neither acknowledged nor dead, by id of the message. */
  readonly deliveries: Record<string, Delivery>
  /** Those of them that nobody has now. */
  readonly ready: Heap
  readonly dead: Record<string, DeadLetter>
  /** How many deliveries there are. */
  open: number
  /** How many of them are emergencies. */
  emergencies: number
}

export interface MessagesSlice {
  /** Each message once, however many inboxes hold it. */
  messages: Record<string, Stored>
  inboxes: Record<string, Inbox>
  /** Deliveries (`id agent`) by the moment at which time alone changes something about them. */
  deadlines: Heap
}

export type HandoffStatus = 'pending' | 'acknowledged' | 'completed' | 'rejected'

export interface HandoffContext {
  readonly work_completed: string
  readonly next_steps: string
  readonly notes: string
}

export interface HandoffOffer {
  readonly id: string
  readonly from_agent: string
  readonly to_agent: string
  readonly task_id: string
  readonly artifacts: readonly string[]
  readonly context: HandoffContext
}

export type HandoffEvent =
  | { readonly type: 'handoff.created'; readonly data: HandoffOffer }
  | { readonly type: 'handoff.acknowledged'; readonly data: { readonly id: string } }
  | {
      readonly type: 'handoff.completed'
      readonly data: { readonly id: string; readonly artifacts: readonly string[]; readonly notes: string | null }
    }
  | { readonly type: 'handoff.rejected'; readonly data: { readonly id: string; readonly reason: string } }

export interface Handoff extends HandoffOffer {
  readonly status: HandoffStatus
  readonly created_at: string
  readonly acknowledged_at: string | null
  readonly finished_at: string | null
  /** What came of it: artifacts and a note of who completed it, or why it was rejected. */
  readonly result: { readonly artifacts: readonly string[]; readonly notes: string | null } | null
  readonly reason: string | null
}

/** By id, in the order in which they were created. */
export type HandoffsSlice = Record<string, Handoff>
