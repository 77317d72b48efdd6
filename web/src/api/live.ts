/*
 * One stream of commits for the whole page.
 *
 *   GET /v1/stream ──► commits ──► whoever follows a session reads anew
 *        ▲ Last-Event-ID
 *
 * V1. After a cut it goes on behind the last commit it saw; when that is not possible any more, everything is read anew.
 *     So is what was read before the stream began: nobody tells of what was written in between.
 * V2. A page that nobody looks at holds no connection: browsers have few for one address.
 * V3. Silence of more than five seconds is shown. What was read last stays on the page.
 * V4. What could not be read is asked for again when the connection is back.
 * V5. A page reads once its stream has begun, so that nothing has to be read twice; where that takes long, before it.
 */
import type { Commit } from '../../../src/kernel/log/commit.ts'
import { makeStore } from '../store.ts'
import { eventReader, type ServerEvent } from './events.ts'
import { failureOf } from './request.ts'

export type LiveCommit = Pick<Commit, 'seq' | 'at' | 'actor' | 'op' | 'events' | 'hash'> &
  Partial<Pick<Commit, 'key' | 'reason' | 'cause'>> & { readonly session: string }

/** `quiet`: nothing heard for a while. `away`: cut off, trying again. `refused`: this browser is not let in. */
export type Connection = 'connecting' | 'live' | 'quiet' | 'away' | 'refused'

const SILENCE_MS = 5000
const SHORTEST_MS = 500
const LONGEST_MS = 5000
const PATIENCE_MS = 1000

export const connection = makeStore<Connection>('connecting')
/** When something was heard last, in milliseconds since 1970. */
export const heard = makeStore(Date.now())

type Listener = (commit: LiveCommit | undefined) => void

const listeners = new Set<Listener>()
let cursor: string | undefined
let delay = SHORTEST_MS
let current: AbortController | undefined
let isAwaited = true

const beginning = Promise.withResolvers<void>()
/** V5 */
export const begun = beginning.promise

function begin(): void {
  isAwaited = false
  beginning.resolve()
}

/** Tells of each commit; undefined when some may have been missed (V1). */
export function onCommit(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** V4: calls once, when the connection is back. */
export function onceBack(task: () => void): void {
  const stop = connection.subscribe(() => {
    if (connection.get() !== 'live') return
    stop()
    task()
  })
}

export function goLive(): void {
  setInterval(judgeSilence, 1000)
  setTimeout(begin, PATIENCE_MS)
  document.addEventListener('visibilitychange', () => (document.hidden ? current?.abort() : connect()))
  connect()
}

/** Nothing when it is connected already. */
export function connect(): void {
  if (document.hidden || (current !== undefined && !current.signal.aborted)) return
  const stop = new AbortController()
  current = stop
  void follow(stop.signal)
    .catch(() => undefined)
    .then(() => {
      begin()
      if (current === stop) current = undefined
      if (stop.signal.aborted || connection.get() === 'refused') return
      connection.set('away')
      setTimeout(connect, delay)
      delay = Math.min(delay * 2, LONGEST_MS)
    })
}

async function follow(signal: AbortSignal): Promise<void> {
  const headers = { Accept: 'text/event-stream', ...(cursor === undefined ? {} : { 'Last-Event-ID': cursor }) }
  const response = await fetch('/v1/stream', { headers, signal })
  if (response.status === 401) connection.set('refused')
  if (!response.ok || response.body === null) throw await failureOf(response)
  const events = eventReader()
  for await (const piece of response.body.pipeThrough(new TextDecoderStream()))
    for (const event of events(piece)) hear(event)
}

function hear({ type, id, data }: ServerEvent): void {
  const isFirst = cursor === undefined
  heard.set(Date.now())
  connection.set('live')
  delay = SHORTEST_MS
  if (id !== undefined) cursor = id
  // The daemon is of the same build as this page.
  if (type === 'commit') tell(JSON.parse(data) as LiveCommit)
  if (type === 'reset' || (type === 'ready' && isFirst && !isAwaited)) tell(undefined)
  begin()
}

function tell(commit: LiveCommit | undefined): void {
  for (const listener of listeners) listener(commit)
}

function judgeSilence(): void {
  if (connection.get() === 'live' && Date.now() - heard.get() > SILENCE_MS) connection.set('quiet')
}
