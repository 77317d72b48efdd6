/* Large texts of a session, kept as blobs beside its log, and how many tokens a text has. */
import type { Kernel } from '../kernel.ts'
import type { Kept, Texts } from './operation.ts'

/** The only way to keep a blob: what the redactor finds is not in it. Null where the store keeps none. */
export async function keepBlob({ log, redactor }: Kernel, session: string, bytes: Uint8Array): Promise<Kept | null> {
  if (log.blobs === undefined) return null
  const clean = redactor?.bytes(bytes, session) ?? bytes
  return { sha256: await log.blobs.put(session, clean), bytes: clean.length }
}

/** `dry`: nothing is written. */
export function textsOf(kernel: Kernel, session: string, dry: boolean): Texts {
  const { redactor, tokens } = kernel
  const { blobs } = kernel.log
  return {
    tokens,
    keep: async (text) => {
      const bytes = new TextEncoder().encode(text)
      if (dry) return { sha256: kernel.host.sha256(bytes), bytes: bytes.length }
      return keepBlob(kernel, session, bytes)
    },
    read: async (sha256) => {
      const bytes = await blobs?.get(session, sha256)
      return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
    },
    clean: (json, told) => {
      const tally = new Map<string, number>()
      const clean = redactor?.json(json, tally) ?? json
      if (told && !dry) redactor?.tell(session, tally)
      return clean
    },
  }
}
