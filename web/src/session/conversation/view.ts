/** What the operations of conversations answer, as far as the pages use it. */
export interface Shown {
  readonly id: string
  readonly author: string
  readonly pubkey: string
  readonly at: string
  readonly content: string
  readonly signed: boolean
  readonly reply_to: string | null
  /** Beside saying something; it may have no text of its own. */
  readonly does: string | null
}

export interface ConversationView {
  readonly id: string
  readonly title: string
  readonly phase: string
  readonly phase_started_at: string
  readonly archived: boolean
  readonly opener: string
  readonly transitions: readonly unknown[]
  readonly turns: readonly RoutedTurn[]
  readonly agents: readonly { readonly agent: string; readonly unread: number }[]
  readonly messages: number
  readonly shown: readonly Shown[]
}

export interface RoutedTurn {
  readonly id: string
  readonly agents: readonly string[]
  readonly reason: string
  readonly status: string
  readonly missing: readonly string[]
  readonly at: string
}

/** Everybody who spoke, was routed to, or is known here, as an agent; in the order in which they appeared. */
export function agentsIn({ shown, turns, agents }: ConversationView): readonly string[] {
  const all = [
    ...shown.map(({ pubkey }) => pubkey),
    ...turns.flatMap((turn) => turn.agents),
    ...agents.map(({ agent }) => agent),
  ]
  return [...new Set(all)].filter((each) => each.startsWith('agent:'))
}
