/* Sessions that are put away, brought back, and taken in from elsewhere, on every driver that has an archive. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifySession } from '../../src/kernel/care/verify.ts'
import { EngineError } from '../../src/kernel/error.ts'
import { Chain, START } from '../../src/kernel/log/chain.ts'
import { SEAL_OP } from '../../src/kernel/log/commit.ts'
import { scanLog } from '../../src/kernel/log/replay.ts'
import type { Attic, Landed, Log, Position } from '../../src/kernel/ports.ts'
import { drivers, startServers } from '../conformance/drivers.ts'
import { chainOf, line, sha256, together } from '../conformance/kit.ts'
import { workspaceOn } from './writers.ts'

let stopServers: () => Promise<void>
beforeAll(async () => {
  stopServers = await startServers()
})
afterAll(() => stopServers())

const withArchive = drivers.filter(({ name }) => name !== 'memory').map((each) => [each.name, each] as const)

async function atticOf(log: Log): Promise<Attic> {
  const attic = await log.attic?.()
  if (attic === undefined) throw new Error('it has an archive')
  return attic
}

async function linesOf(log: Log, session: string): Promise<string> {
  const found: Buffer[] = []
  for await (const { bytes } of scanLog(log, session, new Chain(START, sha256))) found.push(Buffer.from(bytes))
  return Buffer.concat(found).toString()
}

/** Three commits, the last of which ends a segment, and two more. */
function lines() {
  const first = chainOf(2, START)
  const seal = line(3, first[1]?.hash ?? '', 3, SEAL_OP)
  return [...first, seal, ...chainOf(2, seal)]
}

async function* filesOf(): AsyncGenerator<Landed> {
  const all = lines().map(({ line: text }) => text)
  yield { path: 'log/00000000000000000001.jsonl', chunks: [Buffer.from(all.slice(0, 3).join(''))] }
  const rest = Buffer.from(all.slice(3).join(''))
  // Cut anywhere.
  yield { path: 'log/00000000000000000004.jsonl', chunks: [rest.subarray(0, 77), rest.subarray(77)] }
}

test.each(withArchive)(
  'A1 an ended session leaves the list, stays readable, and comes back byte for byte, on %s',
  async (_name, driver) => {
    const log = await driver.open()
    const workspace = workspaceOn(log)
    const session = await workspace.createSession({ name: 'old' })
    const { id } = session
    await session.run('state.set', { path: '$.data.a', value: 'x'.repeat(20_000) })
    const hash = await log.blobs?.put(id, Buffer.from('large'))
    await expect(workspace.archive(session)).rejects.toMatchObject({ code: 'LIFECYCLE_INVALID' })
    await session.run('session.end', { outcome: 'completed' })
    await log.checkpoints?.put(id, [Buffer.from('{}')])
    const before = await linesOf(log, id)
    expect(await workspace.archive(session)).toContain(id)
    await expect(workspace.session('old')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(await log.blobs?.get(id, hash ?? '')).toBeUndefined()
    const archived = await workspace.archived()
    const put = await archived.session('old')
    expect(put.get('$.data.a')).toHaveLength(20_000)
    expect(await linesOf(archived.kernel.log, id)).toBe(before)
    expect((await archived.kernel.log.blobs?.get(id, hash ?? ''))?.toString()).toBe('large')
    expect(await verifySession(archived.kernel, id)).toMatchObject({ ok: true })
    await expect(archived.kernel.log.create('new')).rejects.toMatchObject({ code: 'READ_ONLY' })
    expect((await workspace.createSession({ name: 'old' })).id).not.toBe(id)
    await expect(workspace.unarchive('old')).rejects.toMatchObject({ code: 'NAME_TAKEN' })
    await (await workspace.session('old')).run('session.rename', { name: 'young' })
    expect((await workspace.unarchive('old')).id).toBe(id)
    expect(await linesOf(log, id)).toBe(before)
    expect((await log.blobs?.get(id, hash ?? ''))?.toString()).toBe('large')
    expect(await verifySession(workspace.kernel, id)).toMatchObject({ ok: true })
    const left: string[] = []
    for await (const each of archived.kernel.log.list()) left.push(each)
    expect(left).toEqual([])
    await workspace.close()
  },
)

test.each(withArchive)('who follows a session hears that it was put away, on %s', async (_name, driver) => {
  const log = await driver.open()
  const [workspace, elsewhere] = [workspaceOn(log), workspaceOn(log)]
  const session = await workspace.createSession({ name: 'old' })
  await session.run('session.end', { outcome: 'completed' })
  const reader = await elsewhere.session('old')
  const signal = AbortSignal.timeout(5000)
  const follow = async () => {
    for await (const _ of reader.commits({ after: reader.seq, live: true, signal })) continue
  }
  const followed = follow().then(
    () => 'nothing',
    (error: unknown) => error,
  )
  await workspace.archive(session)
  expect(await followed).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  await workspace.close()
})

test.each(withArchive)('A1 a session whose id is used again has a number behind it, on %s', async (_name, driver) => {
  const log = await driver.open()
  for (const tag of ['first', 'second']) {
    await log.create('s')
    const appended = await log.append('s', together(...chainOf(1, START, tag)), START, { durability: 'durable' })
    if (appended.kind === 'appended') await appended.durable
    await log.archive?.('s')
  }
  const names: string[] = []
  for await (const each of (await atticOf(log)).log.list()) names.push(each)
  expect(names).toEqual(['s', 's.2'])
  await log.close()
})

test.each(withArchive)(
  'a session from elsewhere lands whole, with every segment, or not at all, on %s',
  async (_name, driver) => {
    const log = await driver.open()
    const attic = await atticOf(log)
    const torn = async function* () {
      for await (const file of filesOf()) {
        yield file
        throw new Error('torn')
      }
    }
    await expect(attic.land('s', torn())).rejects.toThrow()
    expect(await log.exists('s')).toBe(false)
    await attic.land('s', filesOf())
    expect(await linesOf(log, 's')).toBe(
      lines()
        .map((each) => each.line)
        .join(''),
    )
    const last = lines().at(-1)
    const end = Buffer.byteLength(
      lines()
        .slice(3)
        .map((each) => each.line)
        .join(''),
    )
    const position = { seq: 5, hash: last?.hash ?? '', segment: 4, offset: end }
    expect(await log.stands('s', position)).toBe('yes')
    expect(await log.append('s', together(...chainOf(1, position)), position, { durability: 'durable' })).toMatchObject(
      {
        kind: 'appended',
      },
    )
    await expect(attic.land('s', filesOf())).rejects.toMatchObject({ code: 'NAME_TAKEN' })
    const whole = await linesOf(log, 's')
    await log.archive?.('s')
    expect(await linesOf(attic.log, 's')).toBe(whole)
    await attic.restore('s', 's')
    expect(await linesOf(log, 's')).toBe(whole)
    await log.close()
  },
)

async function endOf(log: Log, session: string): Promise<Position> {
  const chain = new Chain(START, sha256)
  for await (const _ of scanLog(log, session, chain)) continue
  return chain.position
}

/** The first commit alone. */
async function* fewer(): AsyncGenerator<Landed> {
  yield { path: 'log/00000000000000000001.jsonl', chunks: [Buffer.from(lines()[0]?.line ?? '')] }
}

/** Of all, the first segment, and then what `meanwhile` does. */
async function* broken(meanwhile: () => Promise<unknown>): AsyncGenerator<Landed> {
  for await (const file of filesOf()) {
    yield file
    await meanwhile()
  }
}

const killed = () => broken(() => Promise.reject(new Error('killed')))

test.each(withArchive)(
  'what a killed landing has left stands in the way of nobody who brings the same session, on %s',
  async (_name, driver) => {
    const log = await driver.open()
    const attic = await atticOf(log)
    for (const session of ['s', 't', 'u']) await expect(attic.land(session, killed())).rejects.toThrow()
    await attic.land('s', fewer())
    await log.create('t')
    await attic.land('u', filesOf())
    for (const session of ['s', 't', 'u']) {
      const end = await endOf(log, session)
      const rest = end.seq === 0 ? lines().slice(0, 2) : chainOf(2, end)
      expect(await log.append(session, together(...rest), end, { durability: 'durable' })).toMatchObject({
        kind: 'appended',
      })
      expect(await endOf(log, session)).toMatchObject({ seq: end.seq + 2, hash: rest[1]?.hash })
    }
    await log.close()
  },
)

test.each(withArchive)(
  'of two who land more and less of a session at once one has landed it, and it takes commits, on %s',
  async (_name, driver) => {
    const log = await driver.open()
    const attic = await atticOf(log)
    const outcomes: Promise<unknown>[] = []
    const begin = (files: AsyncIterable<Landed>) => {
      const failed = (error: unknown) => (error instanceof EngineError ? error.code : error)
      return outcomes.push(attic.land('s', files).then(() => 'landed', failed))
    }
    // Those in between are not waited for there: where a landing is a transaction, they wait for the first.
    begin(broken(async () => begin(fewer())))
    await outcomes[0]
    const landed = (await Promise.all(outcomes)).filter((each) => each !== 'NAME_TAKEN')
    expect([outcomes.length, landed]).toEqual([3, ['landed']])
    const end = await endOf(log, 's')
    expect(await log.append('s', together(...chainOf(1, end)), end, { durability: 'durable' })).toMatchObject({
      kind: 'appended',
    })
    await log.close()
  },
)

test.each(withArchive)(
  'G3 a blob goes when it is old, unless somebody asked for it anew, on %s',
  async (_name, driver) => {
    const log = await driver.open()
    await log.create('s')
    const hash = (await log.blobs?.put('s', Buffer.from('old'))) ?? ''
    const attic = await atticOf(log)
    const [blob] = await attic.blobs('s', 0)
    expect(blob).toMatchObject({ bytes: 3 })
    expect(await attic.blobs('s', 60_000)).toEqual([])
    if (blob === undefined) throw new Error('there is one')
    expect(await attic.remove(blob, 60_000)).toBe(false)
    expect(await log.blobs?.get('s', hash)).toBeDefined()
    expect(await attic.remove(blob, 0)).toBe(true)
    expect(await log.blobs?.get('s', hash)).toBeUndefined()
    await log.close()
  },
)
