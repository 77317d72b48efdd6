/* What a repair takes out of a log, as far as it can be told from what stands there. */
import { EngineError } from '../error.ts'
import type { Kernel } from '../kernel.ts'
import { GENESIS } from '../log/commit.ts'

/** Lines that no chain proves: what they say of themselves may be wrong. */
export interface Going {
  /** All that are not empty, whole or not. */
  readonly lines: number
  /** How many of them begin as commits do. */
  readonly commits: number
  /** The lowest and the highest sequence number that these claim; null where there are none. */
  readonly from: number | null
  readonly to: number | null
}

const SEQ = /^\{"v":\d{1,12},"seq":(\d{1,15}),/
/** Of a line that is enough to tell. */
const HEAD = 64
const NEWLINE = 0x0a

export async function goingFrom(
  kernel: Pick<Kernel, 'log' | 'facts'>,
  session: string,
  { segment, offset }: { readonly segment: number; readonly offset: number },
): Promise<Going> {
  const { segments = [] } = (await kernel.facts?.(session)) ?? {}
  const later = segments.flatMap(({ first }) => (first > segment ? [{ segment: first, offset: 0 }] : []))
  let going: Going = { lines: 0, commits: 0, from: null, to: null }
  for (const place of [{ segment, offset }, ...later])
    for await (const seq of claimsFrom(kernel, session, place)) going = and(going, seq)
  return going
}

function and({ lines, commits, from, to }: Going, seq: number | undefined): Going {
  if (seq === undefined) return { lines: lines + 1, commits, from, to }
  return { lines: lines + 1, commits: commits + 1, from: Math.min(from ?? seq, seq), to: Math.max(to ?? seq, seq) }
}

/** Of each line the number that it claims. Damage may end the reading, not what was read before. */
async function* claimsFrom(
  { log }: Pick<Kernel, 'log'>,
  session: string,
  { segment, offset }: { readonly segment: number; readonly offset: number },
): AsyncGenerator<number | undefined> {
  try {
    for await (const chunk of log.read(session, { seq: 0, hash: GENESIS, segment, offset: 0 }))
      yield* claims(chunk.bytes.subarray(Math.max(0, offset - chunk.offset)))
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'LOG_CORRUPT') throw error
  }
}

function* claims(bytes: Buffer): Generator<number | undefined> {
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(NEWLINE, start)
    const end = found < 0 ? bytes.length : found
    const seq = SEQ.exec(bytes.toString('latin1', start, Math.min(end, start + HEAD)))?.[1]
    if (end > start) yield seq === undefined ? undefined : Number(seq)
    start = end + 1
  }
}
