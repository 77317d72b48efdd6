/* What the commands of conversations are handed for keys and relays. */
import type { EngineError } from '../../../kernel/error.ts'
import type { Session } from '../../../kernel/session.ts'

export interface NostrApp {
  /** Makes a secret key in a new file; answers the public key. */
  makeKey(file: string): Promise<string>
  /** The last word of each relay; until the signal aborts when `live`. */
  sync(request: RelayRequest): Promise<readonly (ChatExchanged | RelayFailed)[]>
}

export interface RelayRequest {
  readonly session: Session
  readonly urls: readonly string[]
  /** Conversations that are not here yet. */
  readonly join: readonly string[]
  readonly full: boolean
  readonly live: boolean
  readonly signal: AbortSignal
  readonly tell: (what: ChatExchanged | RelayFailed) => void
}

/** What went over a relay, in events. */
export interface ChatExchanged {
  readonly relay: string
  readonly received: number
  readonly published: number
  /** For good. */
  readonly refused: number
  /** Not taken this time; offered again. */
  readonly waiting: number
  /** What the relay said of one that it did not take. */
  readonly why: string | null
}

export interface RelayFailed {
  readonly relay: string
  readonly failure: EngineError
}
