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
  /** Why it takes nothing any more, whatever is viewed: what a closed one is frozen by, too. */
  readonly closed: string | undefined
}

/** By its status: what such a session is told is refused but for a fork, which is another one. */
export const CLOSED: Readonly<Record<string, string>> = {
  damaged: 'its log is damaged: nothing is added to it until it is repaired',
  departed: 'it has departed: it goes on where it arrived, or here once it is taken back',
  terminated: 'it has ended: a fork of it goes on',
}

export const ViewedContext = createContext<Viewed | undefined>(undefined)

export function useViewed(): Viewed {
  const viewed = useContext(ViewedContext)
  if (viewed === undefined) throw new Error('a tab stands outside of its session')
  return viewed
}
