/*
 * Signatures of Nostr events (NIP-01, BIP-340).
 *
 * The fast check is WebAssembly. What it turns down is looked at again by a second implementation, so that a limit of
 * the first can never cost a good event. Both get a copy with the seven members only: nostr-tools remembers its answer
 * in a symbol on the object, which a spread copies along with content that somebody has changed since.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { verifyEvent } from 'nostr-tools/pure'
import { initNostrWasm, type Nostr } from 'nostr-wasm'

export interface Signed {
  readonly id: string
  readonly pubkey: string
  readonly created_at: number
  readonly kind: number
  readonly tags: readonly (readonly string[])[]
  readonly content: string
  readonly sig: string | null
}

/** About 15 ms of work; others wait no longer. */
const AT_A_TIME = 64

let wasm: Promise<Nostr> | undefined

/** For each event whether its id is that of its content and its signature one of its author's. */
export async function verify(events: readonly Signed[]): Promise<readonly boolean[]> {
  if (events.length === 0) return []
  wasm ??= initNostrWasm()
  const fast = await wasm
  const verdicts: boolean[] = []
  for (const event of events) {
    if (verdicts.length > 0 && verdicts.length % AT_A_TIME === 0) await breathe()
    verdicts.push(isGood(fast, event))
  }
  return verdicts
}

function isGood(fast: Nostr, event: Signed): boolean {
  if (event.sig === null) return false
  try {
    fast.verifyEvent(copyOf(event, event.sig))
    return true
  } catch {
    return verifyEvent(copyOf(event, event.sig))
  }
}

const copyOf = ({ id, pubkey, created_at, kind, tags, content }: Signed, sig: string) => ({
  id,
  pubkey,
  created_at,
  kind,
  tags: tags.map((tag) => [...tag]),
  content,
  sig,
})
