/*
 * Commits as they come: `GET /v1/sessions/{id}/stream` and `GET /v1/stream`, as SSE or NDJSON.
 *
 * A reader goes on where it was by `Last-Event-ID`, or `?after=`. Without either it begins with what comes from now on.
 * A cursor that the log does not reach would keep back all that is written up to it: whoever asks for it is refused, and
 * whoever comes back with it, which browsers do by themselves and give up when they are refused, is told where the log stands.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { EngineError } from '../../kernel/error.ts'
import { commitsOf } from '../../kernel/log/commits.ts'
import { commitData, passes } from '../../kernel/log/filter.ts'
import type { Session } from '../../kernel/session.ts'
import { asFailure, errorData } from './answer.ts'
import type { Hub } from './hub.ts'
import { FILTERS, filterOf } from './log-route.ts'
import { Outlet, type Format } from './outlet.ts'
import { usage, type Asked, type Parameter } from './route.ts'

const MOST_STREAMS = 100

/** Whoever kept the last sequence number of each session misses nothing, and has nothing twice. */
const MISSED = {
  reason: 'what came behind the cursor is not kept any more, or another daemon gave it',
  hint: 'read each of `sessions` from the last commit you have up to the number here: GET /v1/sessions/{id}/log?cursor=SEQ&until=NUMBER; then go on: what comes next is behind these numbers',
} as const

/** The log was cut since, or this is another one of that name. */
const CUT = {
  reason: 'the log does not reach the cursor: it is not the one that was read',
  hint: 'read each of `sessions` anew up to the number here: GET /v1/sessions/{id}/log?until=NUMBER; then go on: what comes next is behind these numbers',
} as const

export const STREAM_QUERY: readonly Parameter[] = [
  { name: 'after', kind: 'text', summary: 'a cursor; like Last-Event-ID, which goes first' },
  { name: 'format', kind: 'text', summary: 'sse or ndjson; by the Accept header when left out' },
  ...FILTERS,
]

interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

interface Cursor {
  readonly text: string
  /** Of a reader that comes back. */
  readonly resumed: boolean
}

export class Streams {
  readonly #open = new Set<Outlet>()
  readonly #hub: Hub

  constructor(hub: Hub) {
    this.#hub = hub
  }

  /** The commits of one session. */
  async session(asked: Asked, exchange: Exchange): Promise<void> {
    const { desk, query } = asked
    const cursor = cursorOf(asked, exchange)
    const { id, after, isCut, position } = await desk.use(asked.id, async (session) => {
      const start = startOf(session, cursor)
      return { id: session.id, ...start, position: await desk.placeBehind(session, start.after) }
    })
    const filter = filterOf(query)
    const outlet = this.#outlet(asked, exchange)
    let last = after
    await this.#run(outlet, async () => {
      if (isCut)
        await outlet.send({ type: 'reset', cursor: String(after), data: { ...CUT, sessions: { [id]: after } } })
      const live = { after, live: true, signal: outlet.gone }
      for await (const commit of commitsOf(desk.kernel, id, live, { position })) {
        if (outlet.gone.aborted) return
        last = commit.seq
        if (!passes(filter, commit)) continue
        await outlet.send({ type: 'commit', cursor: String(last), data: { session: id, ...commitData(commit) } })
      }
    })
  }

  /** The commits of all sessions. */
  async workspace(asked: Asked, exchange: Exchange): Promise<void> {
    this.#hub.start()
    const filter = filterOf(asked.query)
    let cursor = cursorOf(asked, exchange)?.text ?? this.#hub.cursor
    const outlet = this.#outlet(asked, exchange)
    await this.#run(outlet, async () => {
      // One that nobody gave may hold anything, such as further events.
      await outlet.send({ type: 'ready', ...(this.#hub.after(cursor) === undefined ? {} : { cursor }), data: {} })
      while (!outlet.gone.aborted) {
        const entries = this.#hub.after(cursor)
        if (entries === undefined) {
          cursor = this.#hub.cursor
          await outlet.send({ type: 'reset', cursor, data: { ...MISSED, sessions: this.#hub.heads } })
          continue
        }
        for (const { n, session, commit } of entries) {
          cursor = this.#hub.cursorOf(n)
          if (passes(filter, commit))
            await outlet.send({ type: 'commit', cursor, data: { session, ...commitData(commit) } })
        }
        await this.#hub.grown(cursor, outlet.gone)
      }
    })
  }

  close(): void {
    for (const outlet of this.#open) outlet.close({ type: 'result', data: { reason: 'the daemon ends' } })
  }

  #outlet({ parts, query }: Asked, { incoming, outgoing }: Exchange): Outlet {
    if (this.#open.size >= MOST_STREAMS)
      throw new EngineError('STREAMS_FULL', `${MOST_STREAMS} streams are open`, { hint: 'close some of them' })
    const outlet = new Outlet(outgoing, formatOf(query.text('format'), incoming.headers.accept), parts.now)
    this.#open.add(outlet)
    return outlet
  }

  async #run(outlet: Outlet, task: () => Promise<void>): Promise<void> {
    try {
      await task()
      outlet.close({ type: 'result', data: { reason: 'the session is closed' } })
    } catch (error) {
      outlet.close({ type: 'error', data: { error: errorData(asFailure(error)) } })
    } finally {
      this.#open.delete(outlet)
    }
  }
}

function cursorOf({ query }: Asked, { incoming }: Exchange): Cursor | undefined {
  const last = incoming.headers['last-event-id']
  if (typeof last === 'string' && last !== '') return { text: last, resumed: true }
  const after = query.text('after')
  return after === undefined ? undefined : { text: after, resumed: false }
}

/** Behind which commit of a session that was just read; `isCut` when the cursor is beyond its last one. */
function startOf({ seq }: Session, cursor: Cursor | undefined): { readonly after: number; readonly isCut: boolean } {
  const after = cursor === undefined ? seq : sequence(cursor.text)
  if (after <= seq) return { after, isCut: false }
  if (cursor?.resumed === true) return { after: seq, isCut: true }
  throw new EngineError('POINT_NOT_FOUND', `the log ends at ${seq}, before the cursor ${after}`, {
    hint: `after=${seq} begins with what comes next, after=0 with the first commit`,
  })
}

function sequence(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw usage(
    `the cursor of a session is a sequence number, not ${JSON.stringify(cursor)}`,
    'after=0 begins at the first',
  )
}

function formatOf(wanted: string | undefined, accept = ''): Format {
  if (wanted === 'sse' || wanted === 'ndjson') return wanted
  if (wanted !== undefined) throw usage(`format is sse or ndjson, not ${JSON.stringify(wanted)}`, 'format=ndjson')
  return accept.includes('ndjson') ? 'ndjson' : 'sse'
}
