import type { Heap } from '../../kernel/state/heap.ts'

export const PHASES = ['chat', 'brainstorm', 'plan', 'execute', 'verification', 'chores', 'reflection'] as const
export type Phase = (typeof PHASES)[number]

/** A Nostr event (NIP-01), or a plain one of the same shape: its author is an actor, and `sig` is null. */
export interface ChatEvent {
  /** SHA-256 of the canonical serialisation of all the rest but `sig`. */
  readonly id: string
  /** A public key, 64 digits of lower-case hex; of a plain event the actor, such as `agent:planner`. */
  readonly pubkey: string
  /** Seconds since 1970. */
  readonly created_at: number
  readonly kind: number
  readonly tags: readonly (readonly string[])[]
  readonly content: string
  readonly sig: string | null
}

export type Template = Pick<ChatEvent, 'created_at' | 'kind' | 'tags' | 'content'>

export const REASONS = ['malformed', 'unsigned', 'id', 'signature', 'too large', 'conversation', 'secret'] as const
export type Reason = (typeof REASONS)[number]

export interface Quarantined {
  /** As it was given, cut to 64 characters. */
  readonly id: string
  readonly reason: Reason
  /** Where it came from: `local`, a file, the URL of a relay. */
  readonly origin: string
  /** What it was, for a person to look at; cut. */
  readonly excerpt: string
}

export interface Config {
  /** Kinds that count; events of others are ignored. */
  readonly kinds: readonly number[]
  /** What a first message, a message and metadata are written as. */
  readonly root_kind: number
  readonly post_kind: number
  readonly metadata_kind: number
  /** Moves between phases that the table does not have are carried out, and recorded as violations. */
  readonly advisory: boolean
}

export interface ConversationTemplate {
  readonly title: string
  readonly phase: Phase
  readonly text: string
  /** `author`, `role` and `name`, with `=` in between. */
  readonly members: readonly Member[]
}

export interface Member {
  readonly author: string
  readonly role: 'user' | 'agent'
  readonly name: string
}

/** Conversation -> how many of the events that arrived there have been seen. */
export type Cursor = Readonly<Record<string, number>>

interface OfAgent {
  readonly conversation: string
  readonly agent: string
}

export interface SyncNote {
  readonly relay: string
  /** Newest `created_at` that came from there. */
  readonly since?: number | undefined
  /** Events of this store that the relay has answered for, accepted or refused. */
  readonly published?: readonly { readonly id: string; readonly refused: string | null }[] | undefined
  /** Conversations whose whole past the relay has been asked for. */
  readonly whole?: readonly string[] | undefined
}

export type ConversationEvent =
  | {
      readonly type: 'chat.received'
      readonly data: { readonly conversation: string; readonly events: readonly ChatEvent[]; readonly origin: string }
    }
  /** Too early: it counts when its time has come. */
  | {
      readonly type: 'chat.held'
      readonly data: { readonly conversation: string; readonly event: ChatEvent; readonly until: number }
    }
  | { readonly type: 'chat.admitted'; readonly data: { readonly id: string } }
  | { readonly type: 'chat.quarantined'; readonly data: Quarantined }
  | { readonly type: 'chat.seen'; readonly data: OfAgent & { readonly cursor: Cursor } }
  | {
      readonly type: 'chat.remembered'
      readonly data: OfAgent & { readonly key: string; readonly value: string | null }
    }
  | { readonly type: 'chat.file-read'; readonly data: OfAgent & { readonly path: string } }
  | { readonly type: 'chat.execution-started'; readonly data: OfAgent }
  | { readonly type: 'chat.execution-noted'; readonly data: OfAgent }
  | {
      readonly type: 'chat.execution-stopped'
      readonly data: OfAgent & { readonly ms: number; readonly stale: boolean }
    }
  | { readonly type: 'chat.configured'; readonly data: Partial<Config> }
  | {
      readonly type: 'chat.template-set'
      readonly data: { readonly name: string; readonly template: ConversationTemplate | null }
    }
  | { readonly type: 'chat.synced'; readonly data: SyncNote }

/** What this store knows of an agent in a conversation; never part of what is said there. */
export interface AgentNotes {
  readonly cursor: Cursor
  /** Free texts by key, such as `claude_session_id`. */
  readonly memory: Readonly<Record<string, string>>
  /** Path -> when it was last read, milliseconds since 1970. */
  readonly files: Record<string, number>
  readonly execution: {
    /** Milliseconds since 1970; null while it does not run. */
    readonly started: number | null
    readonly active: number | null
    readonly total_ms: number
  }
}

/** What arrived under one conversation id, in order of arrival. The order of the conversation is a view. */
export interface Thread {
  readonly id: string
  readonly events: ChatEvent[]
  /** Sum of the ids, 48 bits: the same set has the same sum. */
  mix: number
  /** Author -> number of events. */
  readonly authors: Record<string, number>
  /** Event -> its time, of those that nothing here stands behind: what the next one said here stands behind. */
  readonly heads: Record<string, number>
  /** Ids that signed events stand behind, and that have not come. */
  readonly missing: Record<string, true>
  readonly agents: Record<string, AgentNotes>
}

/** A statement that concerns two conversations: `merge` into another, or `fork` from another up to an event. */
export interface Link {
  readonly kind: 'merge' | 'fork'
  readonly id: string
  readonly author: string
  readonly created_at: number
  readonly from: string
  readonly to: string
  readonly event: string
}

export interface RelayNotes {
  readonly since: number
  /** Event id -> why the relay refused it; null when it has it. */
  readonly published: Record<string, string | null>
  /** Conversations whose whole past it has been asked for. */
  readonly whole?: Record<string, true>
}

export interface ConversationSlice {
  config: Config
  readonly threads: Record<string, Thread>
  /** Event id -> conversation, of all that count. */
  readonly places: Record<string, string>
  readonly links: Record<string, Link>
  /** Author -> conversations it has spoken in. */
  readonly spoke: Record<string, Record<string, true>>
  readonly held: Record<string, { readonly conversation: string; readonly event: ChatEvent }>
  /** Held ids by the moment at which they count. */
  readonly due: Heap
  /** `id reason` -> what it was. */
  readonly quarantine: Record<string, Quarantined>
  readonly templates: Record<string, ConversationTemplate>
  /** Signed events of this store, in order: what relays are to get. */
  readonly outbox: string[]
  readonly relays: Record<string, RelayNotes>
}
