/* Large texts of a session, kept as blobs beside its log, and how many tokens a text has. */
import type { Kernel } from './kernel.ts'

export interface Kept {
  readonly sha256: string
  readonly bytes: number
}

export interface Texts {
  /** Null where the store keeps no blobs. */
  keep(text: string): Promise<Kept | null>
  /** Undefined where it is not kept: a fork has the log, not the texts. */
  read(sha256: string): Promise<string | undefined>
  readonly tokens: () => Promise<TokenCounter>
}

/** Behind a port, since its tables are a package of their own size. */
export interface TokenCounter {
  /** Name of the encoding: `o200k_base`. */
  readonly encoding: string
  count(text: string): number
}

/** `dry`: nothing is written. */
export function textsOf({ log, host, tokens }: Kernel, session: string, dry: boolean): Texts {
  const { blobs } = log
  return {
    tokens,
    keep: async (text) => {
      const bytes = new TextEncoder().encode(text)
      if (blobs === undefined) return null
      const sha256 = dry ? host.sha256(bytes) : await blobs.put(session, bytes)
      return { sha256, bytes: bytes.length }
    },
    read: async (sha256) => {
      const bytes = await blobs?.get(session, sha256)
      return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
    },
  }
}
