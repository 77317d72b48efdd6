/* A1-A3 of src/drivers/nats/archive.ts: whoever archives or restores is killed between any two steps. */
import { jetstream } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { Objm, type ObjectStore } from '@nats-io/obj'
import { connect, headers } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOf } from '../../src/drivers/nats/address.ts'
import type { Connection } from '../../src/drivers/nats/connection.ts'
import { NatsLog } from '../../src/drivers/nats/nats.ts'
import { drop, touch } from '../../src/drivers/nats/objects.ts'
import { openNats } from '../../src/drivers/nats/open.ts'
import { Chain, START } from '../../src/kernel/log/chain.ts'
import { scanLog } from '../../src/kernel/log/replay.ts'
import type { Attic, Log } from '../../src/kernel/ports.ts'
import { chainOf, sha256, together } from '../conformance/kit.ts'
import { hasNats, startNats, type Servers } from '../servers/nats.ts'

/** What changes anything on the servers. */
const STEPS: ReadonlySet<PropertyKey> = new Set(['publish', 'put', 'create', 'update', 'delete', 'putBlob', 'purge'])

const stepping = <T extends object>(target: T, step: () => void): T =>
  new Proxy(target, {
    get: (_, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...words: readonly unknown[]): unknown => {
        if (STEPS.has(name)) step()
        return Reflect.apply(member, target, words)
      }
    },
  })

const replacing = <T extends object>(target: T, name: keyof T, instead: unknown): T =>
  new Proxy(target, {
    get: (_, asked) => {
      if (asked === name) return instead
      const member: unknown = Reflect.get(target, asked)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })

/** From the step behind `last` on nothing is done any more. */
function dying(connection: Connection, last: number): Connection {
  let steps = 0
  const step = () => {
    if (steps++ >= last) throw new Error('killed')
  }
  const { client, keys, objects, manager } = connection
  const streams = stepping(manager.streams, step)
  return {
    ...connection,
    client: stepping(client, step),
    keys: stepping(keys, step),
    objects: stepping(objects, step),
    manager: new Proxy(manager, { get: (_, name) => (name === 'streams' ? streams : Reflect.get(manager, name)) }),
  }
}

async function linesOf(log: Log, session: string): Promise<string> {
  const found: Buffer[] = []
  for await (const { bytes } of scanLog(log, session, new Chain(START, sha256))) found.push(Buffer.from(bytes))
  return Buffer.concat(found).toString()
}

async function idsIn(log: Log): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const id of log.list()) ids.push(id)
  return ids
}

describe.skipIf(!hasNats)('killed between any two steps', () => {
  let servers: Servers
  let connection: Connection
  const LINES = chainOf(3, START)
  const END = { ...START, seq: 3, hash: LINES[2]?.hash ?? '', offset: together(...LINES).bytes.length }
  const TEXT = LINES.map(({ line }) => line).join('')
  const HASH = sha256('large')
  const logOf = (on = connection) => new NatsLog(on, sha256)

  beforeAll(async () => {
    servers = await startNats()
    const url = `${servers.url}?namespace=kills`
    await (await openNats({ url, create: true, sha256, warn: () => undefined })).log.close()
    const nats = await connect({ servers: servers.url.slice('nats://'.length) })
    const client = jetstream(nats)
    connection = {
      address: addressOf(url),
      nats,
      client,
      headers,
      alone: true,
      most: 500_000,
      warn: () => undefined,
      manager: await client.jetstreamManager(),
      stream: 'STEADFOLD_kills',
      keys: await new Kvm(client).open('steadfold_kills', { allow_direct: false }),
      objects: await new Objm(client).open('steadfold_kills'),
    }
  })
  afterAll(async () => {
    await connection.nats.close()
    await servers.stop()
  })

  async function session(id: string): Promise<void> {
    const log = logOf()
    await log.create(id)
    for (let [at, i] = [START, 0]; i < LINES.length; i++) {
      const appended = await log.append(id, together(...LINES.slice(i, i + 1)), at)
      if (appended.kind === 'appended') at = appended.position
    }
    await log.blobs.put(id, Buffer.from('large'))
    await log.checkpoints.put(id, [Buffer.from('{}')])
  }

  /** Where it is, and that it is whole there. */
  async function places(id: string): Promise<readonly string[]> {
    const log = logOf()
    const attic = await log.attic()
    const found: string[] = []
    for (const [place, each] of [['list', log] as const, ['archive', attic.log] as const]) {
      const isThere = await each.exists(id)
      expect((await idsIn(each)).includes(id)).toBe(isThere)
      if (!isThere) continue
      found.push(place)
      expect(await linesOf(each, id)).toBe(TEXT)
      expect((await each.blobs?.get(id, HASH))?.toString()).toBe('large')
    }
    return found
  }

  async function tidied(attic: Attic): Promise<number> {
    const left = await attic.leftovers(0)
    for (const each of left) expect(await attic.remove(each, 0)).toBe(true)
    expect(await attic.leftovers(0)).toEqual([])
    return left.length
  }

  const kill = async (last: number, task: (log: NatsLog) => Promise<unknown>): Promise<boolean> =>
    task(logOf(dying(connection, last))).then(
      () => false,
      () => true,
    )

  test('A1 A3 an archive: the session is in one place or in both, and a repeat or gc does the rest', async () => {
    const met = new Set<string>()
    let [steps, left] = [0, 0]
    for (let killed = true; killed; steps++) {
      const id = `archive-${steps}`
      await session(id)
      killed = await kill(steps, (log) => log.archive(id))
      const found = await places(id)
      met.add(found.join(' and '))
      if (found.includes('list')) await logOf().archive(id)
      left += await tidied(await logOf().attic())
      expect(await places(id)).toEqual(['archive'])
      expect((await idsIn((await logOf().attic()).log)).filter((each) => each.startsWith(`${id}.`))).toEqual([])
      expect((await connection.objects.list()).filter(({ name }) => name.startsWith(`${id}/`))).toEqual([])
      await (await logOf().attic()).restore(id, id)
      expect(await places(id)).toEqual(['list'])
    }
    expect([...met].sort()).toEqual(['archive', 'list', 'list and archive'])
    expect(steps).toBeGreaterThan(10)
    expect(left).toBeGreaterThan(5)
  })

  test('A2 nobody writes behind what was packed, and what was written meanwhile stays', async () => {
    await session('late')
    const [writer, other] = [logOf(), logOf()]
    expect(await writer.peek('late', END)).toHaveLength(0)
    const next = together(...chainOf(1, END))
    // Closed, and killed before the key.
    const killed = () => {
      throw new Error('killed')
    }
    const half = logOf({ ...connection, keys: stepping(connection.keys, killed) })
    await expect(half.archive('late')).rejects.toThrow('killed')
    expect(await places('late')).toEqual(['list'])
    expect(await writer.append('late', next, END)).toEqual({ kind: 'conflict' })
    expect(await writer.peek('late', END)).toHaveLength(0)
    await expect(writer.append('late', next, END)).rejects.toMatchObject({
      code: 'LIFECYCLE_INVALID',
      hint: expect.stringContaining('steadfold session archive late'),
    })
    await other.archive('late')
    await expect(writer.peek('late', END)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await expect(writer.append('late', next, END)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(await writer.exists('late')).toBe(false)
    // The parcel of who was killed: it could not know whether its key was stored.
    expect(await tidied(await logOf().attic())).toBe(1)
    await session('grown')
    const putBlob: ObjectStore['putBlob'] = async (meta, bytes, options) => {
      await other.append('grown', next, END)
      return connection.objects.putBlob(meta, bytes, options)
    }
    const objects: ObjectStore = Object.assign(Object.create(connection.objects), { putBlob })
    const packing = logOf({ ...connection, objects })
    await expect(packing.archive('grown')).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await logOf().exists('grown')).toBe(true)
    expect(await linesOf(logOf(), 'grown')).toHaveLength(TEXT.length + next.bytes.length)
    expect(await (await logOf().attic()).leftovers(0)).toEqual([])
  })

  test('A2 who packs a session that another is putting away puts nothing away', async () => {
    await session('twice')
    const { manager, objects } = connection
    const on = (name: 'purge' | 'getMessage', instead: (...words: readonly never[]) => Promise<unknown>) => {
      const streams = replacing(manager.streams, name, instead)
      return { ...connection, manager: replacing(manager, 'streams', streams) }
    }
    // Closed, named and unlisted, and killed before its messages go.
    const half = logOf(
      on('purge', (stream: string, how: { filter: string }) =>
        how.filter.endsWith('.=') ? manager.streams.purge(stream, how) : Promise.reject(new Error('killed')),
      ),
    )
    let looks = 0
    const late = on('getMessage', async (...words: Parameters<typeof manager.streams.getMessage>) => {
      if (++looks === 2) await expect(half.archive('twice')).rejects.toThrow('killed')
      return manager.streams.getMessage(...words)
    })
    const list = async () => {
      const found = await objects.list()
      if ((await logOf().exists('twice')) === false) await tidied(await logOf().attic())
      return found
    }
    const packing = logOf({ ...late, objects: replacing(objects, 'list', list) })
    await expect(packing.archive('twice')).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await places('twice')).toEqual(['archive'])
    expect((await idsIn((await logOf().attic()).log)).filter((id) => id.startsWith('twice'))).toEqual(['twice'])
    expect(await (await logOf().attic()).leftovers(0)).toEqual([])
  })

  test('A3 a restore: the session is in one place or in both, and a repeat or gc does the rest', async () => {
    const met = new Set<string>()
    for (let [steps, killed] = [0, true]; killed; steps++) {
      const id = `restore-${steps}`
      await session(id)
      await logOf().archive(id)
      killed = await kill(steps, async (log) => (await log.attic()).restore(id, id))
      const found = await places(id)
      met.add(found.join(' and '))
      const attic = await logOf().attic()
      if (!found.includes('list')) await attic.restore(id, id)
      await tidied(attic)
      expect(await places(id)).toEqual(['list'])
      expect(await logOf().append(id, together(...chainOf(1, END)), END)).toMatchObject({ kind: 'appended' })
    }
    expect([...met].sort()).toEqual(['archive', 'list', 'list and archive'])
  })

  test('O1 a blob that was asked for anew stays, and one that went comes anew', async () => {
    const log = logOf()
    const met = async () => {
      const info = await connection.objects.info(`o/${await log.blobs.put('o', Buffer.from('large'))}`)
      if (info === null) throw new Error('it was put')
      return info
    }
    const first = await met()
    expect(await touch(connection, first)).toBe(true)
    expect(await touch(connection, first)).toBe(false)
    expect((await met()).nuid).toBe(first.nuid)
    expect(await drop(connection, first, 60_000)).toBe(false)
    expect(await drop(connection, first)).toBe(true)
    expect(await log.blobs.get('o', HASH)).toBeUndefined()
    expect((await met()).nuid).not.toBe(first.nuid)
    expect(await drop(connection, first)).toBe(false)
    expect((await log.blobs.get('o', HASH))?.toString()).toBe('large')
  })

  test('a stream that nobody may purge keeps its sessions, and says what to do', async () => {
    const { config } = await connection.manager.streams.info('STEADFOLD_kills')
    await connection.manager.streams.update('STEADFOLD_kills', { ...config, deny_purge: true })
    await session('bound')
    await expect(logOf().archive('bound')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      hint: expect.stringContaining('steadfold workspace copy'),
    })
    expect(await places('bound')).toEqual(['list'])
  })
})
