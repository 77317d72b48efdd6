/*
 * Beside the logs, in one bucket of keys and one of objects:
 *
 *   session.<id>  archived.<id>  parcel.<uuid>  name.<sha-256>  checkpoint.<id>  clock  barrier
 *   <session>/<sha-256> of a blob   checkpoint/<id> of a large one   =parcel/<uuid>/<part> of an archived session
 */
import { EngineError } from '../../kernel/error.ts'
import type { BlobStore, CheckpointStore, Host, NameClaim, NameStore } from '../../kernel/ports.ts'
import { patiently, type Connection } from './connection.ts'
import { isCorrupt, isPassing, isStale, noAnswer } from './failure.ts'
import { touch } from './objects.ts'
import { tokenOf } from './subject.ts'

/** Stands in a key when the checkpoint itself is an object. */
const ELSEWHERE = '@object'
/** For an answer, and for each MiB of it. */
const BLOB_MS = 5000
const MIB = 1024 * 1024

export function checkpoints(connection: Connection): CheckpointStore {
  const { address, keys, objects, most } = connection
  const key = (session: string) => `checkpoint.${tokenOf(session)}`
  const ask = <T>(task: () => Promise<T>) => patiently(address, 'cannot reach the checkpoint', task)
  return {
    get: (session) =>
      ask(async () => {
        const entry = await keys.get(key(session))
        if (entry === null || entry.operation !== 'PUT') return undefined
        const bytes = Buffer.from(entry.value)
        if (bytes.toString('utf8', 0, 16) !== ELSEWHERE) return bytes
        return blobOf(connection, `checkpoint/${tokenOf(session)}`).catch(unlessPassing)
      }),
    put: (session, pieces) =>
      ask(async () => {
        const bytes = Buffer.concat(pieces)
        const large = bytes.length > most
        if (large) await objects.putBlob({ name: `checkpoint/${tokenOf(session)}` }, bytes)
        await keys.put(key(session), large ? ELSEWHERE : bytes)
      }),
    delete: (session) => ask(() => keys.delete(key(session))),
  }
}

export function blobs(connection: Connection, sha256: Host['sha256']): BlobStore {
  const { address, objects } = connection
  const ask = <T>(task: () => Promise<T>) => patiently(address, 'cannot reach the blob', task)
  const nameOf = (session: string, hash: string) => `${tokenOf(session)}/${hash}`
  return {
    put: (session, bytes) =>
      ask(async () => {
        const hash = sha256(bytes)
        const name = nameOf(session, hash)
        // Who asks for it anew makes it young: gc takes away what is old.
        const info = await objects.info(name)
        if (info === null || info.deleted || !(await touch(connection, info))) await objects.putBlob({ name }, bytes)
        return hash
      }),
    get: (session, hash) =>
      ask(async () => {
        const found = await blobOf(connection, nameOf(session, hash))
        if (found === undefined || sha256(found) === hash) return found
        throw new EngineError('BLOB_CORRUPT', `blob ${hash} of session ${session} is damaged`, {
          hint: 'bring the object store back from a backup',
        })
      }),
  }
}

/** One that is replaced while it is read does not come whole; it is a cache. */
function unlessPassing(error: unknown): undefined {
  if (isPassing(error)) throw error
}

/** A consumer whose server went away is waited for a minute by the client, and not made anew. */
export async function blobOf({ objects, alone }: Connection, name: string): Promise<Buffer | undefined> {
  const info = await objects.info(name)
  if (info === null) return undefined
  const limit = BLOB_MS + (info.size / MIB) * BLOB_MS
  const coming = objects.getBlob(name).catch((error: unknown) => {
    // From a server of the cluster that has not caught up.
    throw !alone && isCorrupt(error) ? noAnswer(`blob ${name} came in part`) : error
  })
  const found = await within(limit, coming)
  return found === null ? undefined : Buffer.from(found)
}

async function within<T>(ms: number, coming: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(noAnswer(`a blob did not come within ${Math.round(ms)} ms`)), ms)
  })
  try {
    return await Promise.race([coming, late])
  } finally {
    clearTimeout(timer)
  }
}

export function names({ address, alone, keys }: Connection, sha256: Host['sha256']): NameStore {
  const key = (name: string) => `name.${sha256(name)}`
  const held = async (name: string) => {
    const entry = await keys.get(key(name))
    // Written below.
    return entry === null ? undefined : { ...entry.json<NameClaim>(), revision: entry.revision }
  }
  const ask = <T>(task: () => Promise<T>) => patiently(address, 'cannot reach the name', task)
  /** A cluster may take several claims behind one (J4). Behind a write that began later, all of them are seen. */
  const stands = async (name: string, revision: number) => {
    if (alone) return true
    await keys.put('barrier', '')
    return (await held(name))?.revision === revision
  }
  return {
    isWhole: true,
    holder: (name) =>
      ask(async () => {
        const claim = await held(name)
        return claim === undefined ? undefined : { id: claim.id, generation: claim.generation }
      }),
    claim: (name, id, after) =>
      ask(async () => {
        const before = await held(name)
        if ((before?.generation ?? 0) !== after) return false
        try {
          const next = JSON.stringify({ id, generation: after + 1 })
          const put =
            before === undefined ? keys.create(key(name), next) : keys.update(key(name), next, before.revision)
          return await stands(name, await put)
        } catch (error) {
          if (isStale(error)) return false
          throw error
        }
      }),
  }
}
