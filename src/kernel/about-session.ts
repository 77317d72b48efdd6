/* What a session tells of itself, whatever the domain makes of it. */
import { assertFits, type Rule } from './arguments.ts'
import { remains } from './care/remains.ts'
import { EngineError } from './error.ts'
import type { Kernel } from './kernel.ts'
import { Session } from './session.ts'

const UNREADABLE: ReadonlySet<string> = new Set(['VERSION_UNKNOWN', 'LOG_CORRUPT', 'READ_ONLY'])
/** What the system says of one file, and of none beside it. */
const OF_ONE_FILE: ReadonlySet<unknown> = new Set(['EIO', 'EISDIR', 'ESPIPE'])

/** As it says itself: an archived one may lie under its id and a number. */
export function idOf(session: Session): string {
  const told = session.get('$.session.id')
  return typeof told === 'string' && session.id.startsWith(`${told}.`) ? told : session.id
}

export const openSession: Rule = {
  fits: (value) => value instanceof Session,
  must: 'must be an open session',
  kin: 'commits',
}

/** Throws INPUT_INVALID where a program without types hands in its name, or nothing. */
export const assertSession = (session: unknown, of: string): void =>
  assertFits(session, openSession, `${of}: the session`, 'open it with await workspace.session(name)')

export function assertEnded(session: Session): void {
  if (session.get('$.session.lifecycle.status') === 'terminated') return
  throw new EngineError('LIFECYCLE_INVALID', 'only an ended session can be archived', {
    hint: `steadfold session end --session ${session.id}`,
  })
}

/** @internal A fork that died has the history of another session, and its id, before it has its own. */
export function hasBegun(session: Session): boolean {
  if (session.damage !== undefined) return true
  const told = session.get('$.session.id')
  // A session whose first commit was cut off by a repair has forgotten its id.
  return session.seq > 0 && (told === undefined || told === '' || told === idOf(session))
}

/** Another is closed, and not told. */
export async function only<S extends Session>(
  session: S | undefined,
  isSuch: (session: S) => boolean | Promise<boolean>,
): Promise<S | undefined> {
  if (session === undefined || (await isSuch(session))) return session
  await session.close()
  return undefined
}

/** Its id where it has none: of a damaged log the first commit may be lost. */
export const nameOf = (session: Session): string => textAt(session, '$.session.name') || session.id

/** U2: of what is damaged it cannot be read which of the names that it is claimed for it has by now. */
export const goesBy = (session: Session, claimed: string): boolean =>
  session.damage !== undefined || nameOf(session) === claimed

/** A word by which it is found, but no name of it. */
export const onlyBeginsWith = (session: Session, word: string): boolean =>
  session.id.startsWith(word) && session.id !== word && nameOf(session) !== word

/** Of the one among them that has the id; any other word stands for itself. */
export function calledNow(held: readonly Session[], word: string): string {
  const session = held.find(({ id }) => id === word)
  return session === undefined ? word : nameOf(session)
}

/** The id that its state tells: of a copy that ends before a fork began, that of the session which was forked. */
export const toldId = (session: Session): string | null => textAt(session, '$.session.id')

/** Is told of a session that cannot be read and is left out, and why; where nobody is, there is a warning. */
export type LeftOut = (session: string, why: EngineError) => void

/** Undefined for one that only a newer version can read, another user, or none: the others are no worse for it. */
export const unlessUnreadable =
  (id: string, leftOut: LeftOut) =>
  (error: unknown): undefined => {
    if (!(error instanceof EngineError) || !(UNREADABLE.has(error.code) || isShut(error))) throw error
    leftOut(id, error)
  }

/** Its files cannot be read here, whatever stands in them. */
export const isShut = (error: unknown): error is EngineError =>
  error instanceof EngineError && (error.code === 'READ_ONLY' || OF_ONE_FILE.has(error.details?.['errno']))

/** Of the one that was asked for. */
export const thrown: LeftOut = (_, why) => {
  throw why
}

/** Whoever lists them again and again says it once. */
export function warningOnce({ warn }: Pick<Kernel, 'warn'>): LeftOut {
  const said = new Set<string>()
  return (id, { message }) => {
    const text = `session ${id} is left out: ${message}`
    if (!said.has(text)) warn(text)
    said.add(text)
  }
}

/** What a session may be listed as: the status of its lifecycle, that it goes on elsewhere, or that its log is damaged. */
export const STATUSES: readonly string[] = [
  'initializing',
  'active',
  'suspended',
  'recovering',
  'terminating',
  'terminated',
  'departed',
  'damaged',
]

/** Those in which nothing is written to it here any more. */
export const OVER: ReadonlySet<string> = new Set(['terminated', 'departed'])

/** What it is listed as at `now` (ms). */
export const statusOf = (session: Session, now: number): string =>
  session.damage === undefined ? lifeOf(session, now) : 'damaged'

/** It has departed, or another workspace owns it: here it is only read. */
export function isElsewhere(session: Session): boolean {
  if ((session.get('$.session.transport.departed') ?? null) !== null) return true
  const owner = textAt(session, '$.session.transport.owner.place')
  return owner !== null && owner !== (session.here() ?? owner)
}

/**
 * Its state of life at `now` (ms), of a damaged one as far as its log can be believed: one whose time is over is terminating, told by
 * an operation or not; one that goes on elsewhere takes nothing.
 */
export function lifeOf(session: Session, now: number): string {
  const status = textAt(session, '$.session.lifecycle.status') ?? 'active'
  if (status === 'terminated') return status
  if (isElsewhere(session)) return 'departed'
  const expiry = textAt(session, '$.session.lifecycle.expiry')
  return expiry !== null && Date.parse(expiry) < now ? 'terminating' : status
}

/** One session in a list. */
export interface SessionLine {
  readonly id: string
  readonly name: string
  /** One of STATUSES. */
  readonly status: string
  readonly goal: string | null
  readonly seq: number
  /** ISO 8601, as the next, and null where that is. */
  readonly created_at: string | null
  /** Of the last commit; null where none can be read. */
  readonly updated_at: string | null
  /** Of its lease. */
  readonly holder: string | null
  /** The state that its workflow is in. */
  readonly workflow: string | null
}

export function lineOf(session: Session, now: number): SessionLine {
  return {
    id: session.id,
    name: nameOf(session),
    status: statusOf(session, now),
    goal: textAt(session, '$.session.goal'),
    seq: session.seq,
    created_at: textAt(session, '$.session.created_at') || null,
    updated_at: session.updatedAt || null,
    holder: textAt(session, '$.session.lease.holder'),
    workflow: textAt(session, '$.workflow.current'),
  }
}

/** Of one whose log is gone: nothing but its id is known. */
const goneLine = (id: string): SessionLine => ({
  id,
  name: id,
  status: 'damaged',
  goal: null,
  seq: 0,
  created_at: null,
  updated_at: null,
  holder: null,
  workflow: null,
})

/** Whoever lists sessions names these, too. */
export const goneLines = async (kernel: Kernel): Promise<readonly SessionLine[]> =>
  (await remains(kernel)).map(goneLine)

function textAt(session: Session, path: string): string | null {
  const value = session.get(path)
  return typeof value === 'string' ? value : null
}
