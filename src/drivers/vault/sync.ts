/*
 * Push and pull.
 *
 *   sessions/<id>/commits/<first>-<last>-<hash>   an increment: a bundle of the commits first to last, never changed
 *   sessions/<id>/heads/<first>                   which increment begins with that commit: made once, by whoever is first
 *   sessions/<id>/epochs/<epoch>                  who took the session over with that epoch: made once, as well
 *   index/<id>                                    that there is such a session
 *
 * Y1. The heads, in order, are one chain of commits: of two who push behind the same commit, one makes the head, and the
 *     other is told so. Nothing is merged, nothing is replaced.
 * Y2. What is asked for and sent grows with what is new: the names behind the last known one, and those increments.
 *     Nothing is sent that was not looked at: commits that others make here meanwhile go with the next push.
 * Y3. What comes is a bundle, and is verified like one, before any of it is written.
 * Y4. Of two who take a session over with the same epoch, one makes the epoch's object; the other is refused.
 * Y6. A place never loses anything: one that does not have what is known of it was brought back from an older copy, or begun
 *     anew. That is told, before anything is sent there or taken from there.
 * Y7. What departed is put at the place that it was sent to, and nowhere else: elsewhere another could take it over as well.
 */
import { nameOf } from '../../kernel/about-session.ts'
import { EngineError } from '../../kernel/error.ts'
import { START } from '../../kernel/log/chain.ts'
import type { Session } from '../../kernel/session.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { Workspace } from '../../kernel/workspace.ts'
import { behindHead, compare, type Compared } from './compare.ts'
import { numbered, twenty, type Depot } from './depot.ts'
import { commitsName, headBytes, headName, type Head } from './heads.ts'
import { invalid, type Manifest } from './manifest.ts'
import { pack, type PackRequest } from './pack.ts'
import { readBundle, type BundleHead, type ReadOptions } from './read.ts'
import type { Known } from './remotes.ts'
import { diverged, hashWithin, putAway, take } from './take.ts'
import { departedOf, epochOf } from './teleport.ts'
import { memorySpot } from './write.ts'

export interface Link {
  /** What it is called here. */
  readonly place: string
  readonly workspace: Workspace
  readonly depot: Depot
  readonly options: ReadOptions
  readonly known: (session: string) => Known | undefined
  readonly note: (session: string, known: Omit<Known, 'url'>) => void
  /** The file of what is known. */
  readonly noted: (session: string) => string
}

export interface Synced extends Pick<Compared, 'standing' | 'ahead' | 'behind'> {
  /** Commits that were sent or taken. */
  readonly moved: number
  readonly seq: number
}

export async function status(link: Link, id: string): Promise<Compared> {
  const { workspace, depot, known } = link
  const hashIn = (head: Head, seq: number) =>
    fetched(link, id, head, (bundle, options) => hashWithin(bundle, options, head.first, seq))
  const lost = (position: Known['position']) => lostAt(link, id, position)
  return compare(workspace.kernel, id, { depot, known: known(id)?.position, lost, hashIn })
}

export type Increment = Pick<PackRequest, 'here' | 'key' | 'seal' | 'most'>

/** Of one increment, which is held in memory on both sides; what a manifest may name is bounded, too. */
const MOST = { bytes: 256 * 1024 * 1024, files: 20_000 }

const ATTEMPTS = 5

/** Y1: who was not first looks again. The same commits, sent by another process here, are there; others have diverged. */
export async function push(
  link: Link,
  session: Session,
  increment: Increment,
  how: 'copy' | 'move' = 'copy',
): Promise<Synced> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const pushed = await pushOnce(link, session, increment, how)
    if (pushed !== undefined) return pushed
  }
  throw new EngineError('CONFLICT', `others push to session ${nameOf(session)} all the time`, { hint: 'try again' })
}

/** Undefined when somebody else was first. */
async function pushOnce(
  link: Link,
  session: Session,
  increment: Increment,
  how: 'copy' | 'move',
): Promise<Synced | undefined> {
  const { id } = session
  const compared = await status(link, id)
  // Not before: its epoch is that of what is sent, or a later one.
  await session.refresh()
  const { standing, end, ahead, behind } = compared
  let { common } = compared
  if (standing === 'diverged') throw apart(link, id, nameOf(session))
  if (standing === 'behind')
    throw new EngineError('CONFLICT', `session ${nameOf(session)} is behind by ${behind}: there is nothing to push`, {
      hint: pullOf(link, id),
    })
  if (standing === 'ahead') {
    if (how === 'copy') assertNotDeparted(session)
    await assertNotTakenOver(link, session)
    while (common.seq < end.seq) {
      const head = await send(link, session, { after: common, last: end.seq }, increment)
      if (head === undefined) return undefined
      const { first, last } = head
      common = last === end.seq ? { ...end, first } : await behindHead(link.workspace.kernel, id, common, head)
    }
  }
  if (common.seq > 0) await announce(link.depot, id)
  note(link, id, common)
  return { standing: 'up to date', ahead: 0, behind: 0, moved: ahead, seq: end.seq }
}

/** Y1, Y2: as much as goes into one increment; undefined when somebody else was first. */
async function send(
  { workspace: { kernel }, depot }: Link,
  session: Session,
  span: Required<Pick<PackRequest, 'after' | 'last'>>,
  increment: Increment,
): Promise<Head | undefined> {
  const { id } = session
  const spot = memorySpot()
  const request = { ...increment, ...span, kernel, session, spot: () => spot, kind: 'increment' } as const
  const { from, seq, head, prev } = (await pack({ ...request, most: increment.most ?? MOST })).manifest.session
  const each: Head = { v: 1, first: from, last: seq, head, prev }
  const isFirst = await depot.putNew([
    ...(from === 1 ? [indexOf(id)] : []),
    { name: commitsName(id, each), bytes: spot.bytes() },
    { name: headName(id, from), bytes: headBytes(each) },
  ])
  return isFirst ? each : undefined
}

const indexOf = (id: string) => ({ name: `index/${id}`, bytes: Buffer.from(`${id}\n`) })

/** Who does not have the session finds it by this alone. The first increment brings it; it is made again where it was lost. */
async function announce(depot: Depot, id: string): Promise<void> {
  const index = indexOf(id)
  if ((await depot.get(index.name)) === undefined) await depot.putNew([index])
}

export async function pull(link: Link, id: string, force: 'theirs' | undefined): Promise<Synced> {
  let compared = await status(link, id)
  if (compared.standing === 'diverged' && force === 'theirs') {
    // Y3: all of it, before what is here goes for it.
    for (const head of compared.heads) await fetched(link, id, head, async () => undefined)
    await setAside(link, id, compared)
    compared = await status(link, id)
  }
  const { standing, heads, common, end, ahead } = compared
  if (standing === 'diverged') throw apart(link, id, id)
  if (end.seq === 0 && heads.length === 0)
    throw new EngineError('SESSION_NOT_FOUND', `there is no session ${id} at ${link.depot.what}`, {
      hint: 'steadfold remote show lists what is there',
    })
  let position = common
  for (const head of heads) {
    await fetched(link, id, head, (bundle, options, manifest) =>
      take(link.workspace, { bundle, options, manifest, known: position.seq === 0 ? undefined : position }),
    )
    // As it lies here now; what the next one is appended to.
    position = await behindHead(link.workspace.kernel, id, position, head)
  }
  const seq = Math.max(end.seq, position.seq)
  note(link, id, heads.length === 0 ? common : position)
  return { standing: standing === 'ahead' ? standing : 'up to date', ahead, behind: 0, moved: seq - end.seq, seq }
}

/** What went on here is kept beside the log, byte for byte, and the log ends where both had the same. */
async function setAside({ workspace }: Link, id: string, { common }: Compared): Promise<void> {
  const { log } = workspace.kernel
  if (log.repair === undefined)
    throw new EngineError('STORE_UNAVAILABLE', 'this store sets nothing aside', { hint: putAway(id) })
  await log.checkpoints?.delete(id)
  await log.repair(id, { segment: common.segment, offset: common.offset })
}

/** Y3: an increment, verified, in memory; it must be the one that its head speaks of. */
export async function fetched<T>(
  { depot, options }: Link,
  id: string,
  head: Head,
  use: (bundle: Buffer, options: ReadOptions, manifest: Manifest) => Promise<T>,
): Promise<T> {
  const name = commitsName(id, head)
  const bytes = await depot.get(name)
  if (bytes === undefined) throw damaged(depot, name, 'it is not there')
  const judge = (found: BundleHead) => {
    options.judge?.(found)
    assertOf(found.manifest, id, head)
  }
  const { manifest } = await readBundle(bytes, { ...options, judge }).catch((error: unknown) => {
    throw error instanceof EngineError && error.code === 'BUNDLE_INVALID' ? damaged(depot, name, error.message) : error
  })
  return use(bytes, options, manifest)
}

/** It is at one place alone that it is so: who has the session can send it to another. */
const damaged = ({ what }: Depot, name: string, why: string): EngineError =>
  new EngineError('BUNDLE_INVALID', `${name} at ${what} cannot be used: ${why}`, {
    hint: 'nothing of it was taken; bring it back from a copy, or have the session pushed to another place',
    details: { object: name },
  })

function assertOf({ kind, session }: Manifest, id: string, { first, last, prev, head }: Head): void {
  const same = session.id === id && session.from === first && session.seq === last && session.head === head
  if (kind !== 'increment' || !same || session.prev !== prev)
    throw invalid(`it is not commit ${first} to ${last} of ${id}`)
}

/** Y7 */
function assertNotDeparted(session: Session): void {
  const departed = departedOf(session)
  if (departed === null) return
  const name = nameOf(session)
  throw new EngineError('SESSION_DEPARTED', `session ${name} has departed: who takes it over pushes it`, {
    hint: `send it again as before, or take it back here: steadfold teleport cancel ${quoted(name)}`,
    details: { departed },
  })
}

/** Y4: a writer at an old epoch. */
async function assertNotTakenOver(link: Link, session: Session): Promise<void> {
  const epoch = epochOf(session)
  const later = await numbered(link.depot, `sessions/${session.id}/epochs/`, epochName(session.id, epoch))
  if (later.length === 0) return
  throw new EngineError('EPOCH_STALE', `session ${nameOf(session)} was taken over by another machine`, {
    hint: pullOf(link, session.id),
    details: { epoch },
  })
}

const epochName = (id: string, epoch: number): string => `sessions/${id}/epochs/${twenty(epoch)}`

/** Y4: the first to ask has it, and has it again when it asks again. */
export async function claimEpoch(depot: Depot, id: string, epoch: number, claim: object): Promise<void> {
  const name = epochName(id, epoch)
  const bytes = Buffer.from(`${JSON.stringify({ v: 1, epoch, ...claim })}\n`)
  if (await depot.putNew([{ name, bytes }])) return
  const there = await depot.get(name)
  if (there?.equals(bytes) === true) return
  throw tooLate(id, epoch, there?.toString('utf8').trim() ?? '')
}

/** Whoever takes a session back need not push it: then nothing new is there that says so. */
function tooLate(session: string, epoch: number, claimed: string): EngineError {
  const details = { session, epoch, claimed }
  return claimed.includes('"how":"cancelled"')
    ? new EngineError('EPOCH_STALE', `the session was taken back with epoch ${epoch} by who had sent it`, {
        hint: 'it goes on over there: have it sent again',
        details,
      })
    : new EngineError('EPOCH_STALE', `another machine took the session over with epoch ${epoch}`, {
        hint: `steadfold pull ${session}, then steadfold session show ${session} says who`,
        details,
      })
}

function note(link: Link, id: string, position: Known['position']): void {
  if (position.seq === START.seq) return
  link.note(id, { position, at: new Date().toISOString(), status: 'success', error: null })
}

/** Y6. */
const lostAt = ({ depot, noted }: Link, id: string, { seq }: Known['position']): EngineError =>
  new EngineError('LOG_CORRUPT', `commit ${seq} of session ${id} was at ${depot.what}, and is not there any more`, {
    hint: `is it the same place, mounted and whole? bring it back from a newer copy; if what is there now is meant, rm ${quoted(noted(id))} and try again`,
    details: { session: id, seq },
  })

/** Theirs is taken in behind what is set aside or, where a store sets nothing aside, once ours is put away. */
const apart = (link: Link, id: string, name: string): EngineError =>
  link.workspace.kernel.log.repair === undefined
    ? diverged(id, name)
    : diverged(id, name, `${pullOf(link, id)} --theirs`)

const pullOf = ({ place }: Link, id: string): string => `steadfold pull ${id} --remote ${place}`
