import { spawn, execFileSync, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenSession } from '../../src/compose.ts'
import { Places } from '../../src/drivers/vault/places.ts'
import { EngineError } from '../../src/kernel/error.ts'
import { hasCeph, KEYS, startCeph, type S3 } from '../servers/ceph.ts'
import { failure, pair, scratch, type Side } from './rig.ts'

const root = scratch()
const env = KEYS
const servers: ChildProcess[] = []
const requests: string[] = []
let ceph: S3 | undefined

afterAll(() => {
  for (const server of servers) server.kill()
  ceph?.stop()
  fs.rmSync(root, { recursive: true, force: true })
})

/** Address of a server of its own. */
async function s3(...args: readonly string[]): Promise<string> {
  const server = spawn(process.execPath, [path.join(import.meta.dirname, 's3-server.mjs'), ...args])
  servers.push(server)
  const lines = createInterface({ input: server.stdout })
  return new Promise((resolve) => {
    lines.once('line', (line) => resolve(line))
    lines.on('line', (line) => requests.push(line))
  })
}

async function code(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => 'done',
    (each: unknown) => each,
  )
  return error instanceof EngineError ? error.code : String(error)
}

const urls = {
  folder: async (name: string) => {
    fs.mkdirSync(path.join(root, name))
    return path.join(root, name)
  },
  git: async (name: string) => {
    execFileSync('git', ['init', '--quiet', '--bare', path.join(root, `${name}.git`)])
    return `git:${path.join(root, `${name}.git`)}`
  },
  s3: async (name: string) => `s3://bucket/${name}?endpoint=${await s3()}/`,
  ...(hasCeph
    ? {
        ceph: async (name: string) => {
          ceph = await startCeph()
          return `s3://bucket/${name}?endpoint=${ceph.endpoint}`
        },
      }
    : {}),
}

describe.each(Object.entries(urls))('over %s', (kind, place) => {
  let a: Side
  let b: Side
  let here: Places
  let there: Places
  let session: OpenSession

  beforeAll(async () => {
    ;[a, b] = await pair(path.join(root, `of-${kind}`))
    const url = await place(`place-${kind}`)
    here = new Places(a.vault, a.workspace, { dir: a.dir, env })
    there = new Places(b.vault, b.workspace, { dir: b.dir, env })
    here.add('origin', url, ['b'])
    there.add('origin', url, ['a'])
    session = await a.workspace.createSession({ name: 'auth' })
    for (let n = 0; n < 5; n += 1) {
      await session.run('state.set', { path: '$.data.n', value: n })
      await here.push(undefined, session, undefined)
    }
  }, 180_000)

  test('Y2 what is new goes over, in increments, and no more', async () => {
    expect(await there.there(undefined)).toEqual([session.id])
    expect(await there.status(undefined, session.id)).toMatchObject({ standing: 'behind', behind: 6 })
    expect(await there.pull(undefined, session.id)).toMatchObject({ moved: 6, standing: 'up to date' })
    expect(await there.pull(undefined, 'auth')).toMatchObject({ moved: 0 })
    expect(await here.push(undefined, session, undefined)).toMatchObject({ moved: 0 })
    const sync = {
      sync_status: 'success',
      sync_error: null,
      storage_backend: kind === 'ceph' ? 's3' : kind,
      encrypted: true,
      remote: 'origin',
    }
    expect(await session.get('$.session.sync')).toMatchObject(sync)
    await session.run('session.share', { with: ['ana@example.org'] })
    expect(await session.get('$.session.sync')).toMatchObject({ sync_status: 'pending' })
    expect(session.get('$.session.transport.shared_with')).toEqual(['ana@example.org'])
    const copy = await b.workspace.session('auth')
    expect(await copy.get('$.data.n')).toBe(4)
    await copy.close()
    await here.push(undefined, session, undefined)
    await there.pull(undefined, 'auth')
  })

  test('Y2 a push asks for what is behind the last one, however much is there', async () => {
    if (kind !== 's3') return
    requests.length = 0
    await session.run('state.set', { path: '$.data.n', value: 'new' })
    await here.push(undefined, session, undefined)
    // Heads from the last on, that one, epochs, whether conditions hold, the increment and its head, the index.
    expect(requests.length).toBeLessThanOrEqual(8)
    await there.pull(undefined, 'auth')
  })

  test('Y1 of two who went on apart the second is told, and chooses', async () => {
    const copy = await b.workspace.session('auth')
    await copy.run('state.set', { path: '$.data.who', value: 'b' })
    await there.push(undefined, copy, undefined)
    await session.run('state.set', { path: '$.data.who', value: 'a' })
    expect(await here.status(undefined, session.id)).toMatchObject({ standing: 'diverged', ahead: 1, behind: 1 })
    expect(await code(here.push(undefined, session, undefined))).toBe('DIVERGED')
    const refused = await failure(here.pull(undefined, 'auth'))
    expect([refused.code, refused.hint]).toEqual([
      'DIVERGED',
      expect.stringContaining(`steadfold pull ${session.id} --remote`),
    ])
    await session.close()
    await here.pull(undefined, 'auth', 'theirs')
    session = await a.workspace.session('auth')
    expect(await session.get('$.data.who')).toBe('b')
    await copy.close()
  })

  test('Y1 of two who push at the same time one is refused', async () => {
    await there.pull(undefined, 'auth')
    const copy = await b.workspace.session('auth')
    await copy.run('state.set', { path: '$.data.race', value: 'b' })
    await session.run('state.set', { path: '$.data.race', value: 'a' })
    const both = [here.push(undefined, session, undefined), there.push(undefined, copy, undefined)].map(code)
    const codes = await Promise.all(both)
    expect(codes.filter((each) => each === 'done')).toHaveLength(1)
    expect(codes.filter((each) => each === 'DIVERGED')).toHaveLength(1)
    const [loser, places, side] = codes[0] === 'done' ? [copy, there, b] : [session, here, a]
    await loser.close()
    await places.pull(undefined, 'auth', 'theirs')
    session = await a.workspace.session('auth')
    expect(await code(side.workspace.session('auth'))).toBe('done')
    await copy.close()
  })

  test('Y1 of two who push the same at the same time both are told that it is there', async () => {
    await session.run('state.set', { path: '$.data.same', value: 1 })
    const both = await Promise.all([1, 2].map(() => here.push(undefined, session, undefined)))
    expect(both.map(({ standing, seq }) => [standing, seq])).toEqual(Array(2).fill(['up to date', session.seq]))
    // S3 cannot tell an object of the same bytes from its own.
    expect([1, 2]).toContain(both.reduce((sum, { moved }) => sum + moved, 0))
  })

  test('Y4 a session that moves has one owner; who is late is refused', async () => {
    const moving = { key: undefined, actor: 'human:test' }
    await here.send(undefined, session, { ...moving, to: undefined })
    expect((await session.run('state.set', { path: '$.data.x', value: 1 })).kind).toBe('refused')
    const arrival = await there.receive(undefined, 'auth', { ...moving, root: undefined })
    expect(arrival.epoch).toBe(2)
    expect(await code(here.cancel(session, 'human:test'))).toBe('EPOCH_STALE')
    expect(await code(there.receive(undefined, 'auth', { ...moving, root: undefined }))).toBe('EPOCH_STALE')
    expect((await arrival.session.run('state.set', { path: '$.data.x', value: 1 })).kind).toBe('accepted')
    await there.send(undefined, arrival.session, { ...moving, to: undefined })
    expect(await there.cancel(arrival.session, 'human:test')).toBe(3)
    expect(await failure(here.receive(undefined, 'auth', { ...moving, root: undefined }))).toMatchObject({
      code: 'EPOCH_STALE',
      message: expect.stringContaining('taken back'),
      hint: expect.stringContaining('sent again'),
    })
    await arrival.session.close()
  })
})

/** One session that was pushed from here, and both places. */
async function pushed(name: string, session: string) {
  const [a, b] = await pair(path.join(root, `of-${name}`))
  const url = await urls.folder(name)
  const here = new Places(a.vault, a.workspace, { dir: a.dir, env })
  const there = new Places(b.vault, b.workspace, { dir: b.dir, env })
  here.add('origin', url, ['b'])
  there.add('origin', url, ['a'])
  const mine = await a.workspace.createSession({ name: session })
  await here.push(undefined, mine, undefined)
  return { a, b, url, here, there, session: mine }
}

test('Y4 who has to pull first is told the whole command', async () => {
  const { b, here, there, session } = await pushed('behind', 'log in')
  const { id } = await there.pull(undefined, session.id)
  const copy = await b.workspace.session(id)
  await copy.run('state.set', { path: '$.data.x', value: 1 })
  await there.push(undefined, copy, undefined)
  expect(await failure(here.push(undefined, session, undefined))).toMatchObject({
    code: 'CONFLICT',
    hint: `steadfold pull ${id} --remote origin`,
  })
})

test('Y1 a store that ignores conditions is refused, with what to do', async () => {
  const [a] = await pair(path.join(root, 'of-unconditional'))
  const places = new Places(a.vault, a.workspace, { dir: a.dir, env })
  places.add('origin', `s3://bucket/x?endpoint=${await s3('--unconditional')}`, ['b'])
  const session = await a.workspace.createSession({ name: 'auth' })
  expect(await code(places.push(undefined, session, undefined))).toBe('STORE_UNAVAILABLE')
})

test('Y3 an increment that was changed over there is refused, and nothing of it is written', async () => {
  const { b, url, there, session } = await pushed('changed', 'auth')
  const [file = ''] = (fs.readdirSync(url, { recursive: true }) as string[]).filter((name) => /commits\/\d/.test(name))
  const bytes = fs.readFileSync(path.join(url, file))
  bytes[bytes.length - 5] = (bytes[bytes.length - 5] ?? 0) ^ 1
  fs.writeFileSync(path.join(url, file), bytes)
  expect(await code(there.pull(undefined, session.id))).toBe('BUNDLE_INVALID')
  expect(await code(b.workspace.session(session.id))).toBe('SESSION_NOT_FOUND')
})

test('Y3 what went on here is set aside only for what can be taken', async () => {
  const { a, b, url, here, there, session } = await pushed('theirs', 'auth')
  await there.pull(undefined, 'auth')
  const copy = await b.workspace.session('auth')
  await copy.run('state.set', { path: '$.data.who', value: 'b' })
  await there.push(undefined, copy, undefined)
  await session.run('state.set', { path: '$.data.who', value: 'a' })
  await session.close()
  const names = (fs.readdirSync(url, { recursive: true }) as string[]).filter((name) => /commits\/\d/.test(name))
  const last = path.join(url, names.toSorted().at(-1) ?? '')
  const bytes = fs.readFileSync(last)
  fs.writeFileSync(last, bytes.subarray(0, -5))
  expect(await code(here.pull(undefined, 'auth', 'theirs'))).toBe('BUNDLE_INVALID')
  const mine = await a.workspace.session('auth')
  expect(await mine.get('$.data.who')).toBe('a')
  await mine.close()
  fs.writeFileSync(last, bytes)
  expect(await here.pull(undefined, 'auth', 'theirs')).toMatchObject({ standing: 'up to date', seq: 2 })
})

test('Y3 a damaged last head is told, and is not taken for nothing new', async () => {
  const { url, here, there, session } = await pushed('headless', 'auth')
  await there.pull(undefined, 'auth')
  await session.run('state.set', { path: '$.data.x', value: 1 })
  await here.push(undefined, session, undefined)
  const last = path.join(url, 'sessions', session.id, 'heads', '2'.padStart(20, '0'))
  const bytes = fs.readFileSync(last)
  fs.writeFileSync(last, bytes.subarray(0, -9))
  expect(await failure(there.pull(undefined, 'auth'))).toMatchObject({
    code: 'LOG_CORRUPT',
    message: `what is over there of session ${session.id} does not hold together at commit 2`,
  })
  fs.writeFileSync(last, bytes)
  expect(await there.pull(undefined, 'auth')).toMatchObject({ standing: 'up to date', seq: 2 })
})
