import type { ChatEvent, Template } from './events.ts'

/** What checks and signs events; given by compose, since it takes packages and a clock. */
export interface ConversationPorts {
  /** Lower-case hex. */
  readonly sha256: (text: string) => string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether each signature is one of its author's over its id and content; on a copy of the seven members. */
  readonly verify: (events: readonly ChatEvent[]) => Promise<readonly boolean[]>
  /** Whoever signs here; fails with KEY_MISSING where there is no key. */
  readonly signer: () => Promise<Signer>
}

export interface Signer {
  /** Public key. */
  readonly author: string
  readonly sign: (template: Template) => ChatEvent
}
