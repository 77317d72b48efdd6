/*
 * What a workspace may be relieved of, as data: a dry run and the real thing show the same.
 *
 * G1. Nothing live is touched: a session that is not ended is only tidied, and one whose lease is held not even that.
 * G2. Nothing unverified is touched: where a log does not check from its first byte on, all of it stays.
 * G3. Nothing unexported is touched: a session for which facts wait in the spool stays, and so does a blob that a log
 *     names, or that was asked for lately.
 * G4. What leaves the list stays readable in the archive; what leaves the state stays in the log. Only what nothing names
 *     is deleted.
 * G5. A fork whose maker was killed before it had an id of its own goes when nobody has written to it for an hour, and all of
 *     it stands in the session that it was made of.
 */
import type { Kernel, Settings } from '../kernel.ts'
import { Chain, START } from '../log/chain.ts'
import { scanLog } from '../log/replay.ts'
import type { Leftover } from '../ports.ts'

/** Ages in milliseconds. */
export interface Policy {
  /** Since its end, after which a session is archived. */
  readonly archive: number
  /** Since a task was finished or a letter died, after which it leaves the state. */
  readonly tidy: number
  /** Of its state, above which a session is archived as soon as it has ended. */
  readonly stateBytes: number
  /** The same, by the length of its log. */
  readonly commits: number
}

interface Of {
  readonly session: string
  readonly name: string
}

export type RetentionStep =
  | (Of & { readonly kind: 'archive'; readonly why: string; readonly commits: number; readonly state_bytes: number })
  | (Of & { readonly kind: 'tidy'; readonly what: readonly string[] })
  /** Of no session where what writers have left belongs to none. */
  | {
      readonly kind: 'remove'
      readonly session: string | null
      readonly name: string | null
      readonly what: 'blob' | 'temporary file' | 'half-made fork'
      readonly items: readonly Leftover[]
    }
  | (Of & { readonly kind: 'keep'; readonly why: string; readonly next: string })

export interface RetentionPlan {
  readonly policy: Policy
  readonly steps: readonly RetentionStep[]
}

/** What came of a step; without an error it is done. */
export interface Retained {
  readonly step: RetentionStep
  readonly error?: { readonly code: string; readonly message: string }
}

const HOUR_MS = 3_600_000

export const policyOf = ({ archiveHours, tidyHours, maxStateBytes, maxCommits }: Settings): Policy => ({
  archive: archiveHours * HOUR_MS,
  tidy: tidyHours * HOUR_MS,
  stateBytes: maxStateBytes,
  commits: maxCommits,
})

const HASH = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g

/** G3: blobs that no line of the log names, whatever member names them. */
export async function unnamedBlobs(kernel: Kernel, session: string, older: number): Promise<readonly Leftover[]> {
  const attic = await kernel.log.attic?.()
  const blobs = (await attic?.blobs(session, older)) ?? []
  if (blobs.length === 0) return []
  const hashes = new Map(blobs.map((blob) => [blob.path.slice(-64), blob]))
  for await (const { bytes } of scanLog(kernel.log, session, new Chain(START, kernel.host.sha256)))
    for (const [hash] of bytes.toString('latin1').matchAll(HASH)) hashes.delete(hash)
  return [...hashes.values()]
}
