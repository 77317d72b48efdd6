/* A session and the relays it exchanges conversations with. */
import { EngineError, isError } from '../../kernel/error.ts'
import type { Answer } from '../../kernel/operation/answer.ts'
import type { Session } from '../../kernel/session.ts'
import { emptyExchange, type ChatStore, type Exchange, type Exchanged } from './exchange.ts'
import type { RelaySigner } from './link.ts'
import { syncLive, syncOnce } from './sync.ts'

export interface RelayRequest {
  readonly session: Session
  readonly urls: readonly string[]
  readonly join: readonly string[]
  /** Everything the relays have, instead of what is new. */
  readonly full: boolean
  readonly live: boolean
  readonly signal: AbortSignal
  readonly tell: (what: Exchanged | RelayFailure) => void
}

export interface RelayFailure {
  readonly relay: string
  readonly failure: EngineError
}

const PATIENCE_MS = 10_000
/** Others may have been apart for so long; whoever was longer is found by what later events stand behind. */
const OVERLAP_S = 24 * 3600
const ACTOR = 'tool:relay'

/** The last word of each relay. */
export async function syncRelays(
  request: RelayRequest,
  signer: () => Promise<RelaySigner | undefined>,
): Promise<readonly (Exchanged | RelayFailure)[]> {
  const store = storeOf(request.session)
  const { signal, join, full, live, urls, tell } = request
  const options = { signal, signer, join, patience: PATIENCE_MS, overlap: full ? Infinity : OVERLAP_S }
  return Promise.all(
    urls.map(async (relay) => {
      const total = emptyExchange(relay)
      const say = (what: Exchanged | Error) => {
        if (isError(what)) return tell(failureOf(relay, what))
        total.received += what.received
        total.published += what.published
        total.refused += what.refused
        total.waiting = what.waiting
        total.why = what.why ?? total.why
        tell(what)
      }
      try {
        if (live) await syncLive(relay, store, { ...options, tell: say, random: Math.random })
        else say(await syncOnce(relay, store, options))
        return total
      } catch (error) {
        return failureOf(relay, error)
      }
    }),
  )
}

const failureOf = (relay: string, error: unknown): RelayFailure => ({
  relay,
  failure:
    error instanceof EngineError
      ? error
      : new EngineError('UNEXPECTED', `relay ${relay}: ${String(error)}`, { cause: error }),
})

/** Everything goes through operations; nothing is kept here. */
export function storeOf(session: Session): ChatStore {
  const run = async (name: string, input: object) => valueOf(await session.run(name, input, { actor: ACTOR }))
  return {
    // What chat.exchange answers.
    exchange: async (relay) => (await run('chat.exchange', { relay })) as Exchange,
    ingest: async (events, origin, of) => {
      const came = (await run('chat.ingest', { events, origin, ...(of === undefined ? {} : { of }) })) as {
        readonly received: number
      }
      return came.received
    },
    synced: async (note) => {
      await run('chat.synced', note)
    },
    changed: async (signal) => {
      for await (const _ of session.commits({ after: session.seq, live: true, signal })) break
    },
  }
}

function valueOf(answer: Answer): unknown {
  if (answer.kind === 'accepted') return answer.value
  throw new EngineError(answer.code, answer.message, answer)
}
