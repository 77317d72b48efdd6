/*
 * What was read, kept under its name while somebody shows it.
 *
 * Q1. Data that was read once stays until newer data is here, also while the daemon is away. That there is no such thing any
 *     more is newer.
 * Q2. What follows a session is read anew when that grows: at once, then at most four times a second; what takes long
 *     is read less often, so that reading takes no more than a fifth of the time. A button waits for no such pause.
 * Q3. A point in the past does not change, and is not read again; only where something may have been missed, such as that
 *     another log took the place of one, it is. One that is not there yet is read anew when its session grows.
 * Q4. While another name is being read, as when a point is dragged, the data of the name before stays. A page of
 *     another session is another component (`key`).
 * Q5. What could not be read is read again when the connection is back, also of a point in the past.
 * Q6. What could not be read although the page is connected is read again after a while, unless it was refused.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { begun, connection, onCommit } from './live.ts'
import type { ApiError } from './request.ts'

export interface Resource<T> {
  /** What was read last; undefined before the first answer. */
  readonly data: T | undefined
  readonly error: ApiError | undefined
  readonly busy: boolean
}

/** Id of a session, or `*` for all of them; of a session's past (Q3). */
export type Follows = string | { readonly past: string } | undefined

export const asOf = (session: string, at: string | undefined): Follows =>
  at === undefined ? session : { past: session }

interface Entry {
  state: Resource<unknown>
  readonly load: () => Promise<unknown>
  readonly follows: Follows
  readonly listeners: Set<() => void>
  timer: ReturnType<typeof setTimeout> | undefined
  /** When it was asked for last, on the clock of the page. */
  asked: number
  /** Milliseconds until what is read may be read again. */
  rest: number
  dirty: boolean
  readonly waiting: (() => void)[]
}

const PACE_MS = 250
const AGAIN_MS = 5000
const MOST_IDLE = 50
const NOT_FOUND = 404

const entries = new Map<string, Entry>()

/** `name` says what it is: what has the same name is read once. Nothing is read while it is undefined. */
export function useResource<T>(name: string | undefined, load: () => Promise<T>, follows?: Follows): Resource<T> {
  const [, draw] = useState(0)
  useEffect(() => {
    if (name === undefined) return
    const entry = entryOf(name, load, follows)
    const listener = () => draw((n) => n + 1)
    entry.listeners.add(listener)
    if (!entry.state.busy && (entry.state.data === undefined || grows(entry))) void refresh(entry)
    listener()
    return () => void entry.listeners.delete(listener)
  }, [name])
  // Whoever uses a name knows the type behind it.
  const state = ((name === undefined ? undefined : entries.get(name))?.state ?? NOTHING) as Resource<T>
  const last = useRef<T>(undefined)
  if (state.data !== undefined) last.current = state.data
  return state.data === undefined && state.error === undefined ? { ...state, data: last.current } : state
}

/** Reads everything anew that follows a session, and settles when it is here. */
export async function refreshSession(session: string): Promise<void> {
  await Promise.all([...entries.values()].filter((entry) => isShown(entry) && isAbout(entry, session)).map(refresh))
}

const NOTHING: Resource<never> = { data: undefined, error: undefined, busy: true }

function entryOf(name: string, load: () => Promise<unknown>, follows: Follows): Entry {
  const known = entries.get(name)
  if (known !== undefined) return known
  const fresh = { state: { ...NOTHING, busy: false }, load, follows, listeners: new Set<() => void>() }
  const entry: Entry = { ...fresh, timer: undefined, asked: -Infinity, rest: PACE_MS, dirty: false, waiting: [] }
  for (const [old, { listeners }] of entries) if (entries.size >= MOST_IDLE && listeners.size === 0) entries.delete(old)
  entries.set(name, entry)
  return entry
}

async function refresh(entry: Entry): Promise<void> {
  if (entry.state.busy) return new Promise((resolve) => entry.waiting.push(resolve))
  clearTimeout(entry.timer)
  entry.timer = undefined
  entry.asked = performance.now()
  put(entry, { ...entry.state, busy: true })
  entry.dirty = false
  const waiting = entry.waiting.splice(0)
  try {
    await begun
    put(entry, { data: await entry.load(), error: undefined, busy: false })
  } catch (error) {
    // What `load` throws comes from api/request.ts.
    const failure = error as ApiError
    put(entry, { data: failure.status === NOT_FOUND ? undefined : entry.state.data, error: failure, busy: false })
    if (!isRefusal(failure)) setTimeout(readAgain, AGAIN_MS, entry, failure)
  }
  entry.rest = Math.max(PACE_MS, 5 * (performance.now() - entry.asked))
  for (const resolve of waiting) resolve()
  if (entry.waiting.length > 0) void refresh(entry)
  else if (entry.dirty) pace(entry)
}

function put(entry: Entry, state: Resource<unknown>): void {
  entry.state = state
  for (const listener of entry.listeners) listener()
}

/** Q2 */
function pace(entry: Entry): void {
  entry.timer ??= setTimeout(
    () => {
      entry.timer = undefined
      if (entry.state.busy) entry.dirty = true
      else void refresh(entry)
    },
    Math.max(0, entry.asked + entry.rest - performance.now()),
  )
}

/** Of no answer at all, and of one that says that the store is away, it is not known how it is by then. */
const isRefusal = ({ status }: ApiError): boolean => status >= 400 && status < 500

/** Q6; where the page is cut off by then, it is Q5 that reads it. */
function readAgain(entry: Entry, failure: ApiError): void {
  if (isShown(entry) && entry.state.error === failure && connection.get() === 'live') pace(entry)
}

const isShown = ({ listeners }: Entry): boolean => listeners.size > 0
const grows = ({ follows }: Entry): boolean => typeof follows === 'string'
const isAbout = ({ follows, state }: Entry, session: string): boolean =>
  typeof follows === 'object'
    ? follows.past === session && state.error?.status === NOT_FOUND
    : follows === '*' || follows === session

onCommit((commit) => {
  for (const [name, entry] of entries)
    if (isShown(entry) && (commit === undefined || isAbout(entry, commit.session))) pace(entry)
    // Whatever follows something is read anew when it is shown again (Q3).
    else if (commit === undefined && !grows(entry) && !isShown(entry)) entries.delete(name)
})

/** Q5 */
connection.subscribe(() => {
  if (connection.get() !== 'live') return
  for (const entry of entries.values()) if (isShown(entry) && entry.state.error !== undefined) pace(entry)
})
