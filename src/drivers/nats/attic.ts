/* What is put away and what is left over, in the buckets. */
import type { ObjectInfo } from '@nats-io/obj'
import { EngineError } from '../../kernel/error.ts'
import { ArchivedLog, type Shelf } from '../../kernel/log/archived.ts'
import { notFound } from '../../kernel/names.ts'
import type { Attic, Leftover } from '../../kernel/ports.ts'
import {
  allArchived,
  archivedAs,
  dropParcel,
  finish,
  forget,
  isNamed,
  namesArchived,
  type Archived,
} from './archive.ts'
import { patiently, type Connection } from './connection.ts'
import { landSession, unpacked, type Landing } from './land.ts'
import { drop, objectsIn, timeOf } from './objects.ts'
import { PARCELS, partOf, partsIn } from './parcel.ts'
import { tokenOf } from './subject.ts'

/** All objects are listed to find those of a session: once for all that are asked about at a time. */
const LISTING_MS = 5000

export function bucketAttic(landing: Landing): Attic {
  const { connection, here, sha256 } = landing
  const shelf = bucketShelf(connection)
  const listed = listing(connection)
  return {
    log: new ArchivedLog(shelf, sha256),
    // Killed before the key is gone it is in both, until gc has come by.
    restore: async (name, id) => {
      const archived = await there(connection, name)
      await finish(connection, archived)
      await landSession(landing, id, unpacked(shelf, name, await partsIn(connection, name, archived.parcel)))
      await forget(connection, archived)
    },
    land: (id, files) => landSession(landing, id, files),
    keep: async (id, file) => {
      if (here === undefined) throw new EngineError('STORE_UNAVAILABLE', 'no folder of this machine is known')
      return here.keep(id, file)
    },
    // A key is there or not.
    remains: async function* () {},
    leftovers: async (older) => [...(await unfinished(landing, older)), ...(await unnamed(connection, older))],
    blobs: async (session, older) =>
      (await listed())
        .filter((info) => info.name.startsWith(`${tokenOf(session)}/`) && isOlder(info, older))
        .map(({ name, size }) => ({ path: `blob/${name}`, bytes: size })),
    waiting: async () => (await here?.waiting()) ?? { sessions: new Set(), unfinished: [] },
    strays: async () => (await here?.strays()) ?? [],
    remove: (leftover, older) => remove(landing, leftover, older),
  }
}

const isOlder = (info: ObjectInfo, older: number): boolean => Date.now() - timeOf(info) >= older

function listing(connection: Connection): () => Promise<readonly ObjectInfo[]> {
  let [at, found] = [0, Promise.resolve<readonly ObjectInfo[]>([])]
  return () => {
    if (Date.now() - at >= LISTING_MS) [at, found] = [Date.now(), objectsIn(connection, '')]
    return found
  }
}

async function remove(landing: Landing, { path }: Leftover, older: number): Promise<boolean> {
  const { connection } = landing
  const [kind = '', first = ''] = path.split('/')
  if (kind === 'parcel') return dropParcel(connection, first)
  if (kind === 'archived') {
    const archived = await archivedAs(connection, first)
    if (archived === undefined || !(await isLeft(landing, archived))) return false
    await (archived.isDone ? forget : finish)(connection, archived)
    return true
  }
  const info = await patiently(connection.address, 'cannot reach the blob', () =>
    connection.objects.info(path.slice(kind.length + 1)),
  )
  return info !== null && drop(connection, info, older)
}

/** What a killed archive, or one who brought a session back, has not taken away yet. */
async function unfinished(landing: Landing, older: number): Promise<readonly Leftover[]> {
  const found: Leftover[] = []
  for (const archived of await allArchived(landing.connection))
    if (Date.now() - archived.at >= older && (await isLeft(landing, archived)))
      found.push({ path: `archived/${archived.name}`, bytes: 0 })
  return found
}

/** Brought back is one when the log in the list has all of its commits. */
const isLeft = async ({ log }: Landing, { isDone, session, end }: Archived): Promise<boolean> =>
  isDone === undefined || ((await log.exists(session)) && (await log.stands(session, end)) === 'yes')

async function unnamed(connection: Connection, older: number): Promise<readonly Leftover[]> {
  const parcels = new Map<string, ObjectInfo[]>()
  for (const info of await objectsIn(connection, PARCELS)) {
    const parcel = info.name.split('/')[1] ?? ''
    parcels.set(parcel, [...(parcels.get(parcel) ?? []), info])
  }
  const found: Leftover[] = []
  for (const [parcel, parts] of parcels)
    if (parts.every((info) => isOlder(info, older)) && !(await isNamed(connection, parcel)))
      found.push({ path: `parcel/${parcel}`, bytes: parts.reduce((sum, { size }) => sum + size, 0) })
  return found
}

async function there(connection: Connection, name: string): Promise<Archived> {
  const archived = await archivedAs(connection, name)
  if (archived === undefined) throw notFound(name)
  return archived
}

function bucketShelf(connection: Connection): Shelf {
  // A parcel never changes.
  let last: { readonly parcel: string; readonly parts: Promise<readonly string[]> } | undefined
  const parts = async (name: string) => {
    const { parcel } = await there(connection, name)
    if (last?.parcel !== parcel) last = { parcel, parts: partsIn(connection, name, parcel) }
    return last.parts
  }
  return {
    exists: async (name) => (await archivedAs(connection, name)) !== undefined,
    list: async function* () {
      yield* await namesArchived(connection)
    },
    segments: async (name) =>
      (await parts(name))
        .flatMap((part) => (part.startsWith('log/') ? [Number(part.slice(4))] : []))
        .sort((a, b) => a - b),
    part: async (name, kind, which) => {
      const archived = await archivedAs(connection, name)
      return archived && partOf(connection, { archived: name, parcel: archived.parcel, part: `${kind}/${which}` })
    },
  }
}
