/*
 * What came in a bundle into the workspace.
 *
 *   nothing here ──► staged whole, one rename
 *   the beginning of it is here ──► the rest appended, as others wrote it, and the name claimed that it has now
 *   all of it is here ──► nothing
 *   something else is here ──► refused: it diverged
 *
 * The bundle is read once before, with nothing written, and once more here, with the same checks.
 */
import { nameOf, statusOf } from '../../kernel/about-session.ts'
import { EngineError } from '../../kernel/error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Chain, START } from '../../kernel/log/chain.ts'
import { HASH_MEMBER, PREV_MEMBER } from '../../kernel/log/check-line.ts'
import { appendLines, commitBatches } from '../../kernel/log/copy.ts'
import { corrupt, scanLog } from '../../kernel/log/replay.ts'
import { unlessGone } from '../../kernel/names.ts'
import type { Attic, Encoded, Landed, Lines, Position } from '../../kernel/ports.ts'
import type { Workspace } from '../../kernel/workspace.ts'
import type { Lying } from './bytes.ts'
import { Channel } from './channel.ts'
import { invalid, type BundleFile, type Manifest } from './manifest.ts'
import { readBundle, type BundleHead, type ReadOptions } from './read.ts'

export interface Taken {
  /** Commits that were not here before. */
  readonly added: number
  readonly seq: number
  /** Where on this machine it lies. */
  readonly carried: readonly string[]
}

export interface Incoming {
  readonly bundle: Lying
  readonly options: ReadOptions
  readonly manifest: Manifest
  /** Where the log here stands for certain: what is before it is not read again. */
  readonly known?: Position | undefined
}

export async function take(workspace: Workspace, incoming: Incoming): Promise<Taken> {
  const { bundle, options, manifest, known } = incoming
  const { kernel } = workspace
  const { id, name, seq } = manifest.session
  const again = { ...options, judge: (head: BundleHead) => assertSameBundle(head, manifest) }
  if (await kernel.log.exists(id)) {
    const taken = await extend(kernel, { bundle, options: again, manifest, known }).catch(async (error: unknown) => {
      throw await orAway(workspace, id, error)
    })
    await claimName(workspace, name, id)
    return taken
  }
  if (manifest.session.from !== 1) throw gap(manifest, 0)
  let carried: Taken['carried'] = []
  try {
    const session = await workspace.adopt(name, id, async (attic) => {
      carried = await land(attic, id, bundle, again)
    })
    await session.close()
  } catch (error) {
    // Somebody else took it in meanwhile: what is new goes behind theirs.
    if (isTaken(error) && (await kernel.log.exists(id))) return take(workspace, incoming)
    throw error
  }
  return { added: seq, seq, carried }
}

const isTaken = (error: unknown): boolean => error instanceof EngineError && error.code === 'NAME_TAKEN'

/** What came may have renamed it. A session here that has the name already keeps it. */
async function claimName(workspace: Workspace, name: string, id: string): Promise<void> {
  const { names } = workspace.kernel.log
  const held = await names?.holder(name)
  if (names === undefined || held?.id === id) return
  const others = await workspace.session(name).then(
    async (called) => {
      await called.close()
      return called.id !== id
    },
    (error: unknown) => (error instanceof EngineError && error.code === 'SESSION_AMBIGUOUS') || unlessGone(error),
  )
  if (others !== true) await names.claim(name, id, held?.generation ?? 0)
}

function assertSameBundle(head: BundleHead, manifest: Manifest): void {
  if (JSON.stringify(head.manifest) !== JSON.stringify(manifest)) throw invalid('it was changed while it was read')
}

/** The reader pushes, the lander pulls: files go through a channel of one. */
async function land(attic: Attic, id: string, bundle: Lying, options: ReadOptions): Promise<Taken['carried']> {
  const channel = new Channel<Landed>()
  const landed = attic.land(id, channel)
  landed.catch((error: unknown) => channel.fail(error))
  try {
    await readBundle(bundle, options, ({ path }, chunks) => channel.pass({ path, chunks }))
    channel.end()
  } catch (error) {
    channel.fail(error)
    await landed.catch(() => undefined)
    throw error
  }
  return landed
}

async function extend(kernel: Kernel, { bundle, options, manifest, known }: Incoming): Promise<Taken> {
  const { id, from, seq } = manifest.session
  const { damage, position } = await endOf(kernel, id, known)
  // What is lost of it here is not appended behind it.
  if (damage !== undefined && position.seq < seq) throw corrupt(id, damage, kernel.log)
  let end = position
  const before = end.seq
  await assertSame(kernel, manifest, end)
  await assertJoins(bundle, options, manifest, end)
  const attic = await kernel.log.attic?.()
  const carried: string[] = []
  const lines = new LineCutter(from - 1)
  await readBundle(bundle, options, async ({ path, bytes }, chunks) => {
    if (path.startsWith('log/'))
      for await (const batch of lines.batches(chunks)) {
        const fresh = behind(batch, end.seq)
        if (fresh.lines.length > 0) end = await appendLines(kernel, id, fresh, end)
      }
    else if (path.startsWith('blobs/')) await kernel.log.blobs?.put(id, await all(chunks, bytes))
    else if (attic !== undefined) carried.push(await attic.keep(id, { path, chunks }))
  })
  return { added: Math.max(0, seq - before), seq: end.seq, carried }
}

/** Throws DIVERGED unless what is here is a beginning of what comes, or the other way round. */
async function assertSame(kernel: Kernel, { session }: Manifest, here: Position): Promise<void> {
  const { id, from, prev, seq, head } = session
  if (here.seq < from - 1) throw gap({ session }, here.seq)
  const joins = from === 1 || (here.seq === from - 1 ? here.hash : await hashAt(kernel, id, from - 1)) === prev
  const ends = here.seq < seq || (await hashAt(kernel, id, seq)) === head
  if (!joins || !ends) throw diverged(id, session.name)
}

/** What is here ends inside of what comes: the commit at that place must be the same. */
async function assertJoins(bundle: Lying, options: ReadOptions, { session }: Manifest, here: Position): Promise<void> {
  const { id, name, from, seq } = session
  if (here.seq < from || here.seq >= seq) return
  if ((await hashWithin(bundle, options, from, here.seq)) !== here.hash) throw diverged(id, name)
}

/** Of the commit `seq` in a bundle that begins with `from`. */
export async function hashWithin(
  bundle: Lying,
  options: ReadOptions,
  from: number,
  seq: number,
): Promise<string | undefined> {
  const lines = new LineCutter(from - 1)
  let found: string | undefined
  await readBundle(bundle, options, async ({ path }, chunks) => {
    if (!path.startsWith('log/')) return
    for await (const batch of lines.batches(chunks)) found ??= batch.lines.find((line) => line.seq === seq)?.hash
  })
  return found
}

/** A file cannot be asked again: what is here is put away, and then it is taken in like one that is new. */
export function putAway(id: string, status = 'active'): string {
  const back = status === 'departed' ? [`steadfold teleport cancel ${id}`] : []
  const end = status === 'terminated' ? [] : [...back, `steadfold session end ${id}`]
  return `${[...end, `steadfold session archive ${id}`].join(' && ')}, and then this again`
}

/** The same error, by what the life of the session here allows. */
async function orAway(workspace: Workspace, id: string, error: unknown): Promise<unknown> {
  if (!(error instanceof EngineError) || error.code !== 'DIVERGED') return error
  const session = await workspace.session(id)
  const status = statusOf(session, workspace.kernel.host.now())
  const name = nameOf(session)
  await session.close()
  return diverged(id, name, putAway(id, status))
}

export const diverged = (id: string, name: string, theirs = putAway(id)): EngineError =>
  new EngineError('DIVERGED', `session ${name} went on here and over there, apart from each other`, {
    hint: `nothing was merged; keep yours with: steadfold session fork ${id} NEW-NAME; then take theirs: ${theirs}`,
    details: { session: id },
  })

const gap = ({ session: { id, from } }: Pick<Manifest, 'session'>, here: number): EngineError =>
  new EngineError('BUNDLE_INVALID', `it begins with commit ${from} of ${id}, and ${here} are here`, {
    hint: `what comes before it is missing: steadfold pull ${id}, or have all of it sent`,
  })

async function endOf({ log, host }: Kernel, id: string, known = START): Promise<Chain> {
  const chain = new Chain(known, host.sha256)
  for await (const _ of scanLog(log, id, chain)) continue
  return chain
}

/** Of the commit `seq` here; undefined where there is none. */
async function hashAt(kernel: Kernel, id: string, seq: number, after = START): Promise<string | undefined> {
  if (seq === after.seq) return after.hash
  for await (const { lines } of commitBatches(kernel, id, after, seq)) {
    const found = lines.find((line) => line.seq === seq)
    if (found !== undefined) return found.hash
  }
  return undefined
}

function behind({ lines, bytes }: Lines, seq: number): Lines {
  const known = lines.filter((line) => line.seq <= seq)
  const start = known.at(-1)?.end ?? 0
  const fresh = lines.slice(known.length).map((line): Encoded => ({ ...line, end: line.end - start }))
  return { lines: fresh, bytes: bytes.subarray(start) }
}

async function all(chunks: AsyncIterable<Uint8Array>, bytes: BundleFile['bytes']): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts, bytes)
}

const NEWLINE = 0x0a
const SEAL = Buffer.from('{"type":"log.sealed","data":{}}]')
const BEHIND_EVENTS = PREV_MEMBER + HASH_MEMBER + 1

/** Lines as the log takes them. They have been checked by the reader when it is asked for more. */
class LineCutter {
  #seq: number
  #rest: Buffer = Buffer.alloc(0)

  constructor(seq: number) {
    this.#seq = seq
  }

  async *batches(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Lines> {
    for await (const chunk of chunks) {
      const bytes = Buffer.concat([this.#rest, chunk])
      const end = bytes.lastIndexOf(NEWLINE) + 1
      this.#rest = bytes.subarray(end)
      if (end > 0) yield { lines: this.#lines(bytes.subarray(0, end)), bytes: bytes.subarray(0, end) }
    }
  }

  #lines(bytes: Buffer): readonly Encoded[] {
    const lines: Encoded[] = []
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(NEWLINE, start) + 1
      const hash = bytes.toString('latin1', end - 67, end - 3)
      const seal = bytes
        .subarray(start, end - BEHIND_EVENTS)
        .subarray(-SEAL.length)
        .equals(SEAL)
      lines.push({ seq: ++this.#seq, hash, end, seal })
      start = end
    }
    return lines
  }
}
