/* Where a session stands against a place, in the words of git. */
import { EngineError } from '../../kernel/error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Chain, START } from '../../kernel/log/chain.ts'
import { scanLog } from '../../kernel/log/replay.ts'
import type { Position } from '../../kernel/ports.ts'
import type { Depot } from './depot.ts'
import { broken, headsFrom, type Head } from './heads.ts'

export type Standing = 'up to date' | 'ahead' | 'behind' | 'diverged'

/** Up to where both have the same, as the log lies here. The increment that ends there begins with the commit `first`. */
export interface Met extends Position {
  readonly first: number
}

const NOWHERE: Met = { ...START, first: 1 }

export interface Compared {
  readonly standing: Standing
  /** Commits here that are not there, and the other way round. */
  readonly ahead: number
  readonly behind: number
  readonly common: Met
  /** Where the log here ends. */
  readonly end: Position
  /** What is there and not, or not for certain, here. */
  readonly heads: readonly Head[]
}

export interface Against {
  readonly depot: Depot
  /** Up to where both had the same when last compared. */
  readonly known: Met | undefined
  /** The place does not have what is known of it any more. */
  readonly lost: (known: Met) => EngineError
  /** Of a commit inside of an increment; throws when that is not what its head says. */
  readonly hashIn: (head: Head, seq: number) => Promise<string | undefined>
}

export async function compare(kernel: Kernel, id: string, against: Against): Promise<Compared> {
  const isHere = await kernel.log.exists(id)
  const from = isHere ? await trusted(kernel, id, against.known) : NOWHERE
  const heads = await headsBehind(id, from, against)
  const { met, common, end } = isHere ? await walk(kernel, id, from, heads) : { met: 0, common: from, end: START }
  assertChained(id, from, heads)
  const rest = heads.slice(met)
  const [next] = rest
  const standing = await standingOf(next, common, end, against.hashIn)
  const last = rest.at(-1)?.last ?? common.seq
  return {
    standing,
    ahead: standing === 'behind' ? 0 : end.seq - common.seq,
    behind: Math.max(0, last - (standing === 'behind' ? end.seq : common.seq)),
    common,
    end,
    heads: rest,
  }
}

const trusted = async ({ log }: Kernel, id: string, known: Met | undefined): Promise<Met> =>
  known !== undefined && (await log.stands(id, known)) === 'yes' ? known : NOWHERE

/** Y6: what is known to have been there must be there still. */
async function headsBehind(id: string, { seq, first }: Met, { depot, known, lost }: Against): Promise<readonly Head[]> {
  const heads = await headsFrom(depot, id, first)
  const isThere = ({ first, last, head }: Head) => first === known?.first && last === known.seq && head === known.hash
  if (known !== undefined && !heads.some(isThere)) throw lost(known)
  return heads.filter((head) => head.first > seq)
}

async function standingOf(
  next: Head | undefined,
  common: Position,
  end: Position,
  hashIn: Against['hashIn'],
): Promise<Standing> {
  if (next === undefined) return end.seq === common.seq ? 'up to date' : 'ahead'
  if (end.seq === common.seq) return 'behind'
  // Either it ends inside of that increment, or it met another commit at the end of it.
  if (end.seq < next.last) return (await hashIn(next, end.seq)) === end.hash ? 'behind' : 'diverged'
  await assertSaid(next, hashIn)
  return 'diverged'
}

/** A head alone is not believed: one that was changed must not look like another history. */
async function assertSaid(head: Head, hashIn: Against['hashIn']): Promise<void> {
  try {
    await hashIn(head, head.last)
  } catch (error) {
    // What others sealed for others has gone on all the same.
    if (error instanceof EngineError && (error.code === 'BUNDLE_SEALED' || error.code === 'SIGNER_UNKNOWN')) return
    throw error
  }
}

/** The log behind `from`, once: how many of the heads it has, and where the last of them and the log end. */
async function walk({ log, host }: Kernel, id: string, from: Met, heads: readonly Head[]) {
  const chain = new Chain(from, host.sha256)
  let [met, common] = [0, from]
  const scanned = scanLog(log, id, chain, ({ seq, hash }, position) => {
    const head = heads[met]
    if (head?.last !== seq || head.head !== hash) return
    met += 1
    common = { ...position, first: head.first }
  })
  for await (const _ of scanned) continue
  return { met, common, end: chain.position }
}

/** Where the head ends as it lies here, behind `from`; others may have gone on. */
export const behindHead = async (kernel: Kernel, id: string, from: Met, head: Head): Promise<Met> =>
  (await walk(kernel, id, from, [head])).common

function assertChained(id: string, common: Position, heads: readonly Head[]): void {
  let [seq, hash] = [common.seq, common.hash]
  for (const head of heads) {
    if (head.first !== seq + 1 || head.prev !== hash) throw broken(id, seq + 1)
    ;[seq, hash] = [head.last, head.head]
  }
}
