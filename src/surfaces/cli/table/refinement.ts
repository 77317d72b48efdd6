import type { Event } from '../../../kernel/log/commit.ts'
import type { Session } from '../../../kernel/session.ts'

/** What a schema cannot say about the command made from an operation. */
export interface Refinement {
  readonly examples?: readonly string[]
  /** Summaries of members. */
  readonly words?: Readonly<Record<string, string>>
  /** Members that stay as they are until somebody says on or off: they have `--no-NAME`, too. */
  readonly switches?: readonly string[]
  /** Members that the operation fills in by itself. */
  readonly hidden?: readonly string[]
  /** The session may be named by a word: `session end NAME`. */
  readonly sessionWord?: true
  /** Wants a whole id or an exact name. */
  readonly removes?: true
  /** Where no session can be chosen, it is answered as of one in which nothing happened. */
  readonly anywhere?: true
  /** For programs; not in the overview. */
  readonly internal?: true
  /** What people should know of what they have just written. */
  readonly note?: (session: Session, events: readonly Event[]) => string | undefined
}
