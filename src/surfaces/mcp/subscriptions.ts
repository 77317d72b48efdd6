/*
 * Which resources a connection follows.
 *
 *   resources/subscribe · subscriptions/listen ──► add(key, uris) ──► Offer.follow ──► told once for many changes at a time
 */
import { asError } from '../../kernel/error.ts'
import type { Offer } from './offer.ts'

/** Against a client that asks for ever. */
const MOST = 200

export class Subscriptions {
  readonly #offer: Offer
  readonly #tell: (uri: string) => void
  /** By what ends them: a URI, or the id of a request. */
  readonly #followed = new Map<string | number, (() => void)[]>()
  readonly #changed = new Set<string>()
  readonly #most: number

  /** `connections`: how many share it. */
  constructor(offer: Offer, tell: (uri: string) => void, connections = 1) {
    this.#offer = offer
    this.#tell = tell
    this.#most = MOST * connections
  }

  /** Throws for what cannot be followed, when all else is. */
  async add(key: string | number, uris: readonly string[]): Promise<void> {
    this.remove(key)
    const count = [...this.#followed.values()].flat().length
    if (count + uris.length > this.#most) throw new Error(`a connection follows at most ${MOST} resources`)
    const ends: (() => void)[] = []
    this.#followed.set(key, ends)
    const failures: unknown[] = []
    for (const uri of uris) {
      await this.#follow(uri, key, ends).catch((error: unknown) => failures.push(error))
    }
    if (ends.length === 0 && this.#followed.get(key) === ends) this.#followed.delete(key)
    if (failures.length > 0) throw asError(failures[0])
  }

  async #follow(uri: string, key: string | number, ends: (() => void)[]): Promise<void> {
    const end = await this.#offer.follow(uri, () => this.#note(uri))
    // It may have been given up meanwhile.
    if (this.#followed.get(key) === ends) ends.push(end)
    else end()
  }

  remove(key: string | number): void {
    for (const end of this.#followed.get(key) ?? []) end()
    this.#followed.delete(key)
  }

  close(): void {
    for (const key of this.#followed.keys()) this.remove(key)
  }

  #note(uri: string): void {
    if (this.#changed.size === 0) setImmediate(() => this.#tellAll())
    this.#changed.add(uri)
  }

  #tellAll(): void {
    const uris = [...this.#changed]
    this.#changed.clear()
    for (const uri of uris) this.#tell(uri)
  }
}
