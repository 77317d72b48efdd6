/** What every tab of a session knows. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { SessionSlice } from '../../../src/domain/session/events.ts'
import type { At } from '../api/session.ts'
import type { SessionLine } from '../api/sessions.ts'

/** GET /v1/sessions/{id}: the line, with all of `session` in the state. */
export type SessionData = SessionLine & { readonly session: SessionSlice | null }

export interface Viewed {
  /** Id. */
  readonly id: string
  /** As it is now, whatever is viewed. */
  readonly line: SessionLine
  /** The point that is viewed; undefined for now. Handed to every read. */
  readonly at: At
  /** Its sequence number; that of the last commit for now, undefined until the daemon has said where it is. */
  readonly point: number | undefined
  /** Why nothing may be changed here, for `unless` of an ActionButton; undefined when it may. */
  readonly frozen: string | undefined
}

export const ViewedContext = createContext<Viewed | undefined>(undefined)

export function useViewed(): Viewed {
  const viewed = useContext(ViewedContext)
  if (viewed === undefined) throw new Error('a tab stands outside of its session')
  return viewed
}
