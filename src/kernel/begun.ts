/* What a session tells of itself, whatever the domain makes of it. */
import { EngineError } from './error.ts'
import type { Kernel } from './kernel.ts'
import type { Session } from './session.ts'

const UNREADABLE: ReadonlySet<string> = new Set(['VERSION_UNKNOWN', 'LOG_CORRUPT'])

/** As it says itself: an archived one may lie under its id and a number. */
export function idOf(session: Session): string {
  const told = session.get('$.session.id')
  return typeof told === 'string' && session.id.startsWith(`${told}.`) ? told : session.id
}

/** @internal A fork that died has the history of another session, and its id, before it has its own. */
export function hasBegun(session: Session): boolean {
  if (session.damage !== undefined) return true
  const told = session.get('$.session.id')
  // A session whose first commit was cut off by a repair has forgotten its id.
  return session.seq > 0 && (told === undefined || told === '' || told === idOf(session))
}

/** Reads only what every session has, whatever the domain makes of it. */
export const nameOf = (session: Session): unknown => session.get('$.session.name')

/** Undefined for one that only a newer version can read, or none: the others are no worse for it. */
export const unlessUnreadable =
  ({ warn }: Kernel, id: string) =>
  (error: unknown): undefined => {
    if (!(error instanceof EngineError) || !UNREADABLE.has(error.code)) throw error
    warn(`session ${id} is left out: ${error.message}`)
  }

/** What a session may be listed as: the status of its lifecycle, or that its log is damaged. */
export const STATUSES: readonly string[] = [
  'initializing',
  'active',
  'suspended',
  'recovering',
  'terminating',
  'terminated',
  'damaged',
]
