/*
 * Sessions that are put away: several steps, each of which may be the last before a kill.
 *
 *   pack ──► close the log ──► name the parcel ──► unlist ──► purge messages, blobs, checkpoint ──► done
 *
 * A1. Until the key `archived.<id>` names the parcel the session is only among the others, and whole. Then it is in the archive,
 *     for a moment in both; what lies under its id is taken away only then.
 * A2. It puts away only what was packed: the message that closes the log stands behind the last one packed (J6), or nowhere.
 * A3. What a kill has left is done by whoever comes next: a repeat, gc, who restores the session, or who uses its id again.
 *     A parcel that no key names goes with gc, and so does what is archived and was brought back.
 */
import { randomUUID } from 'node:crypto'
import type { KvEntry } from '@nats-io/kv'
import { EngineError } from '../../kernel/error.ts'
import { notFound } from '../../kernel/names.ts'
import type { Position } from '../../kernel/ports.ts'
import { patiently, type Connection } from './connection.ts'
import { isForbidden, isStale } from './failure.ts'
import { drop } from './objects.ts'
import { dropParts, pack, partsIn, type Packed, type Packing } from './parcel.ts'
import { publish } from './publish.ts'
import { isClosing, listKey, sessionOf, Subject, tokenOf } from './subject.ts'

/** What the key of an archived session says. */
interface Kept {
  readonly session: string
  readonly parcel: string
  /** Number of the message that closed the log. */
  readonly closed: number
  /** Revision of the key with which it was in the list. */
  readonly listed: number
  /** Behind its last commit. */
  readonly end: Position
  readonly isDone?: true
}

export interface Archived extends Kept {
  /** Its id, and a number where that was there already. */
  readonly name: string
  readonly revision: number
  /** In ms since 1970. */
  readonly at: number
}

const keyOf = (name: string): string => `archived.${tokenOf(name)}`
/** Says under which name a parcel is to be found, if it is. */
const parcelKey = (parcel: string): string => `parcel.${parcel}`
const ask = <T>({ address }: Connection, task: () => Promise<T>): Promise<T> =>
  patiently(address, 'cannot reach the archive', task)

/** Answers the name that it has in the archive. */
export async function archiveSession(packing: Packing, session: string): Promise<string> {
  const { connection } = packing
  await assertMayPurge(connection)
  const subject = new Subject(connection, session)
  const entry = await ask(connection, () => connection.keys.get(listKey(session)))
  const last = await ask(connection, () => subject.last())
  if (entry?.operation !== 'PUT') throw notFound(session)
  if (last === undefined)
    throw new EngineError('LIFECYCLE_INVALID', `session ${session} has no commit`, { hint: 'steadfold gc' })
  const begun = isClosing(last)
    ? (await left(connection, session)).find(({ closed }) => closed === last.stream)
    : undefined
  const archived = begun ?? (await put(packing, subject, entry.revision))
  await finish(connection, archived)
  return archived.name
}

async function put(packing: Packing, subject: Subject, listed: number): Promise<Archived> {
  const { connection } = packing
  const { session } = subject
  const parcel = randomUUID()
  const { closed, end } = await closedWith(packing, subject, parcel).catch(async (error: unknown) => {
    await dropParts(connection, parcel).catch(() => undefined)
    throw error
  })
  // Not in vain from here on: who gets no answer does not know whether the key was stored.
  const archived = await named(connection, { session, parcel, closed, listed, end })
  if (archived.parcel !== parcel) await dropParts(connection, parcel)
  return archived
}

async function closedWith(packing: Packing, subject: Subject, parcel: string) {
  const { connection } = packing
  const last = await ask(connection, () => subject.last())
  if (last === undefined) throw notFound(subject.session)
  const packed = await pack(packing, subject, parcel, last)
  return { closed: packed.closed ?? (await close(connection, subject, parcel, packed)), end: positionOf(packed) }
}

const positionOf = ({ end: { seq, hash = '' }, segment, offset }: Packed): Position => ({ seq, hash, segment, offset })

/** A2 */
async function close(
  connection: Connection,
  subject: Subject,
  parcel: string,
  { end, ...at }: Packed,
): Promise<number> {
  const { segment, offset } = at
  const next = { seq: end.seq + 1, hash: `closed ${parcel}`, segment, offset }
  const piece = {
    first: next.seq,
    last: { ...next, end: 0, seal: false },
    bytes: Buffer.alloc(0),
    start: next,
    end: next,
  }
  const closed = await publish(connection, subject, piece, end.stream)
  if (closed !== undefined) return closed
  throw new EngineError('CONFLICT', `session ${subject.session} was written to while it was packed`, {
    hint: 'try again',
  })
}

/** A1: under the first name that is free. Of two at the same session one is named. */
async function named(connection: Connection, kept: Kept): Promise<Archived> {
  for (let n = 1; ;) {
    const name = n === 1 ? kept.session : `${kept.session}.${n}`
    const held = await archivedAs(connection, name)
    if (held?.closed === kept.closed) return held
    if (held !== undefined) n++
    else
      await ask(connection, async () => {
        await connection.keys.put(parcelKey(kept.parcel), name)
        await connection.keys.create(keyOf(name), JSON.stringify(kept)).catch(unlessStale)
      })
  }
}

/** A3 */
export async function finish(connection: Connection, { name, revision, at: _at, ...kept }: Archived): Promise<void> {
  const { keys, manager, stream } = connection
  const { session, listed, closed, isDone } = kept
  if (isDone) return
  const token = tokenOf(session)
  await ask(connection, () => keys.delete(listKey(session), { previousSeq: listed }).catch(unlessStale))
  const filter = new Subject(connection, session).name
  await ask(connection, () => manager.streams.purge(stream, { filter, seq: closed }))
  // What was packed. Somebody else who is done lets the id be used again: then nothing of this is met here.
  const blobs = (await partsIn(connection, name, kept.parcel)).filter((part) => part.startsWith('blob/'))
  const objects = [...blobs.map((part) => `${token}/${part.slice(5)}`), `checkpoint/${token}`]
  const met = await Promise.all(objects.map((each) => ask(connection, () => connection.objects.info(each))))
  if ((await archivedAs(connection, name))?.revision !== revision) return
  for (const info of met) if (info !== null) await drop(connection, info)
  await ask(connection, () => keys.delete(`checkpoint.${token}`))
  const done = JSON.stringify({ ...kept, isDone: true })
  await ask(connection, () => keys.update(keyOf(name), done, revision).catch(unlessStale))
}

/** A3: nothing is left of those who had the id, not even what closed the last one. */
export async function readyFor(connection: Connection, session: string): Promise<void> {
  for (const archived of await left(connection, session)) await finish(connection, archived)
  const { manager, stream } = connection
  const subject = new Subject(connection, session)
  await ask(connection, async () => {
    // Asked first: who began anew meanwhile has taken away what closed it.
    const last = await subject.last()
    const first = await subject.next(1)
    if (last === undefined || first === undefined || !isClosing(first)) return
    await manager.streams.purge(stream, { filter: subject.name, seq: last.stream + 1 })
  })
}

const left = async (connection: Connection, session: string): Promise<readonly Archived[]> =>
  (await allArchived(connection)).filter((each) => each.session === session && each.isDone === undefined)

export async function allArchived(connection: Connection): Promise<readonly Archived[]> {
  const found: Archived[] = []
  for (const name of await namesArchived(connection)) {
    const archived = await archivedAs(connection, name)
    if (archived !== undefined) found.push(archived)
  }
  return found
}

export const namesArchived = (connection: Connection): Promise<readonly string[]> =>
  ask(connection, async () => {
    const names: string[] = []
    for await (const key of await connection.keys.keys('archived.*')) names.push(sessionOf(key.slice(9)))
    return names.sort()
  })

export async function archivedAs(connection: Connection, name: string): Promise<Archived | undefined> {
  if (!/^[\w.-]+$/.test(name)) return undefined
  const entry = await ask(connection, () => connection.keys.get(keyOf(name)))
  return entry?.operation === 'PUT' ? archivedIn(name, entry) : undefined
}

/** Written above. */
const archivedIn = (name: string, entry: KvEntry): Archived => ({
  ...entry.json<Kept>(),
  name,
  revision: entry.revision,
  at: entry.created.getTime(),
})

/** It was brought back. */
export async function forget(connection: Connection, { name, parcel }: Archived): Promise<void> {
  await ask(connection, () => connection.keys.delete(keyOf(name)))
  await dropParcel(connection, parcel)
}

/** A3: asked of the leader key by key; what a list lacks is no proof. */
export async function isNamed(connection: Connection, parcel: string): Promise<boolean> {
  const entry = await ask(connection, () => connection.keys.get(parcelKey(parcel)))
  if (entry?.operation !== 'PUT') return false
  return (await archivedAs(connection, entry.string()))?.parcel === parcel
}

/** A3: unless a key names it. */
export async function dropParcel(connection: Connection, parcel: string): Promise<boolean> {
  if (await isNamed(connection, parcel)) return false
  const wasThere = await dropParts(connection, parcel)
  await ask(connection, () => connection.keys.delete(parcelKey(parcel)))
  return wasThere
}

function unlessStale(error: unknown): void {
  if (!isStale(error)) throw error
}

/** Asked of a subject that has nothing: no id has that form. */
async function assertMayPurge({ address, manager, stream }: Connection): Promise<void> {
  const filter = `steadfold.${address.namespace}.log.=`
  await patiently(address, 'cannot archive', () =>
    manager.streams.purge(stream, { filter }).catch((cause: unknown) => {
      if (!isForbidden(cause)) throw cause
      throw new EngineError('STORE_UNAVAILABLE', `messages of ${stream} may not be purged, which an archive has to`, {
        hint: `give this user $JS.API.STREAM.PURGE.${stream}; a stream that an older version made denies it to all: copy its sessions to another namespace with steadfold workspace copy`,
        cause,
      })
    }),
  )
}
