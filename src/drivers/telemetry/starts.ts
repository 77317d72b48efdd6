import { membersOf } from '../../kernel/json/members.ts'
import type { Watched } from '../../kernel/observer.ts'
import { textIn } from './read.ts'

export interface Begun {
  /** ISO 8601. */
  readonly at: string
  readonly type: string
}

/** When the agents of each session came: what says so is gone from the state when they go. */
export class Starts {
  readonly #sessions = new Map<string, Map<string, Begun>>()

  /** Before an operation, which may end them. */
  look({ id, state }: Watched): void {
    for (const [agent, record] of Object.entries(
      membersOf(membersOf(membersOf(state['execution'])['agents'])['active']),
    ))
      this.come(id, agent, { at: textIn(record, 'spawned_at') ?? '', type: textIn(record, 'agent_type') ?? '' })
  }

  come(session: string, agent: string, begun: Begun): void {
    const known = this.#sessions.get(session) ?? new Map<string, Begun>()
    this.#sessions.set(session, known.set(agent, begun))
  }

  go(session: string, agent: string): Begun | undefined {
    const known = this.#sessions.get(session)
    const begun = known?.get(agent)
    known?.delete(agent)
    return begun
  }
}
