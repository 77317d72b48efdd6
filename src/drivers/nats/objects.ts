/*
 * Objects that may go.
 *
 * O1. What is told of an object changes only if nobody has changed it meanwhile: who asks for a blob anew, and who takes it away
 *     since it is old, cannot both have their way. Behind a write that began later a cluster shows which was last (J4).
 */
import type { ObjectInfo } from '@nats-io/obj'
import { patiently, type Connection } from './connection.ts'
import { isStale } from './failure.ts'

const bucketOf = ({ address }: Connection): string => `steadfold_${address.namespace}`
const metaOf = (connection: Connection, name: string): string =>
  `$O.${bucketOf(connection)}.M.${Buffer.from(name).toString('base64').replaceAll('+', '-').replaceAll('/', '_')}`

/** Those whose name begins so. The servers cannot ask for some: all of them come. */
export async function objectsIn(connection: Connection, beginning: string): Promise<readonly ObjectInfo[]> {
  const all = await patiently(connection.address, 'cannot list the objects', () => connection.objects.list())
  return all.filter(({ name, deleted }) => !deleted && name.startsWith(beginning))
}

/** When it was put or asked for anew, in ms since 1970, by the clock of who did. */
export const timeOf = ({ mtime }: ObjectInfo): number => Date.parse(mtime)

/** Makes it young; false when somebody was at it. */
export const touch = async (connection: Connection, info: ObjectInfo): Promise<boolean> =>
  (await retell(connection, info, { mtime: new Date().toISOString() })) !== undefined

/** Takes away one that was met, unless it is another by now, or younger than that; answers whether it did. */
export function drop(connection: Connection, { name, nuid }: ObjectInfo, older = 0): Promise<boolean> {
  const { address, manager, objects } = connection
  const stream = `OBJ_${bucketOf(connection)}`
  return patiently(address, `cannot take ${name} away`, async () => {
    const info = await objects.info(name)
    if (info === null || info.nuid !== nuid) return false
    if (!info.deleted && Date.now() - timeOf(info) < older) return false
    const gone = info.deleted ? info.revision : await retell(connection, info, { deleted: true, size: 0, chunks: 0 })
    if (gone === undefined) return false
    await manager.streams.purge(stream, { filter: `$O.${bucketOf(connection)}.C.${nuid}` })
    await manager.streams.purge(stream, { filter: metaOf(connection, name), seq: gone + 1 })
    return true
  })
}

/** O1: the revision that it has now; undefined when another was first. */
async function retell(connection: Connection, info: ObjectInfo, change: object): Promise<number | undefined> {
  const { client, objects, alone } = connection
  const { name, description, bucket, nuid, size, chunks, digest, mtime, deleted, metadata, options } = info
  const told = { name, description, bucket, nuid, size, chunks, digest, mtime, deleted, metadata, options, ...change }
  try {
    const { seq } = await client.publish(metaOf(connection, name), JSON.stringify(told), {
      headers: replacing(connection),
      expect: { lastSubjectSequence: info.revision },
    })
    if (alone) return seq
    await client.publish(`$O.${bucketOf(connection)}.C.barrier`, '', { headers: replacing(connection) })
    return (await objects.info(name))?.revision === seq ? seq : undefined
  } catch (error) {
    if (isStale(error)) return undefined
    throw error
  }
}

/** It takes the place of those before it. */
function replacing({ headers }: Connection) {
  const made = headers()
  made.set('Nats-Rollup', 'sub')
  return made
}
