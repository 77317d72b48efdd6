import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { host } from '../../drivers/host/host.ts'
import { verifySession } from '../care/verify.ts'
import { stateAt } from '../history/history.ts'
import { canonicalJson } from '../json/canonical.ts'
import type { Kernel } from '../kernel.ts'
import { Session } from '../session.ts'
import { decodeCheckpoint, encodeCheckpoint, stateHash } from './checkpoint.ts'
import { makeCheckpoint } from './make-checkpoint.ts'

const keys = new Map([
  ['k,"check":"', 2],
  ['],"shape":"', 3],
])
const position = { seq: 3, hash: 'a'.repeat(64), segment: 1, offset: 900 }
const text = Buffer.concat(
  encodeCheckpoint(
    {
      position,
      at: '2026-01-01T00:00:00.000Z',
      keys: () => keys,
      shape: 's',
      state: { b: 1, a: { é: '😀' } },
    },
    host,
  ),
).toString()

test.each([false, true])(
  'K1 K2 a checkpoint comes back as it was, whatever its keys look like (in parts: %j)',
  (inParts) => {
    const decoded = decodeCheckpoint(Buffer.from(text), host, { inParts })
    expect(decoded).toMatchObject({ position, shape: 's', state: { a: { é: '😀' }, b: 1 } })
    expect(decoded?.keys()).toEqual(keys)
    expect(JSON.parse(text)).toMatchObject({ seq: 3, state: { b: 1 } })
  },
)

test('a large state comes in pieces, which are the whole', () => {
  const tasks = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`t${i}`, { title: 'x'.repeat(300) }]))
  const state = { data: { tasks }, session: { name: 'large' } }
  const pieces = encodeCheckpoint({ position, at: '', keys: () => keys, shape: 's', state }, host)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000)
  const decoded = decodeCheckpoint(Buffer.concat(pieces), host)
  expect(decoded?.state).toEqual(state)
  expect(decoded?.stateHash).toBe(sha256(canonicalJson(state)))
})

test.each([
  ['its sum', host],
  ['both its hashes', { sha256 }],
])('K2 no altered or shortened checkpoint is believed by %s', (_, hashes) => {
  const bytes = Buffer.from(text)
  fc.assert(
    fc.property(fc.nat({ max: bytes.length - 2 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const altered = Buffer.from(bytes)
      altered[at] = (altered[at] ?? 0) ^ change
      const decoded = decodeCheckpoint(altered, hashes)
      // A sum that is itself altered leaves the rest as it was.
      if (decoded !== undefined) expect(decoded.state).toEqual({ a: { é: '😀' }, b: 1 })
      expect(decodeCheckpoint(bytes.subarray(0, at), hashes)).toBeUndefined()
    }),
  )
})

async function begin(warnings: string[] = []) {
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), warn: (message) => warnings.push(message) }
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  const put = (key: string, value: unknown) =>
    session.run('state.set', { path: `$.data.${key}`, value }, { key: `key-${key}` })
  const reopen = (from: Kernel = kernel) => new Session(from, session.id).open()
  return { kernel, session, put, reopen }
}

test('P9 the state is the same from every checkpoint and from the log alone', async () => {
  const { kernel, session, put, reopen } = await begin()
  const hashes: string[] = []
  for (let i = 0; i < 12; i++) {
    await put(`k${i % 5}-${i}`, { i, list: [i] })
    hashes.push(stateHash(await session.stateAt(), host.digest))
    await makeCheckpoint(kernel, session.id)
    const opened = await reopen()
    expect(stateHash(await opened.stateAt(), host.digest)).toBe(hashes[i])
    expect(stateHash(await stateAt(kernel, session.id, i + 2), host.digest)).toBe(hashes[i])
  }
})

test('L7 a key is known after a start from a checkpoint', async () => {
  const { kernel, session, put, reopen } = await begin()
  await put('a', 1)
  await makeCheckpoint(kernel, session.id)
  const opened = await reopen()
  expect(await opened.run('state.set', { path: '$.data.a', value: 2 }, { key: 'key-a' })).toMatchObject({
    seq: 2,
    repeated: true,
  })
})

test('a damaged checkpoint is ignored with a warning; state comes from the log', async () => {
  const warnings: string[] = []
  const { kernel, session, put, reopen } = await begin(warnings)
  await put('a', 1)
  await makeCheckpoint(kernel, session.id)
  const bytes = (await kernel.log.checkpoints?.get(session.id))?.toString().replace('"a":1', '"a":2') ?? ''
  await kernel.log.checkpoints?.put(session.id, [Buffer.from(bytes)])
  expect((await reopen()).get('$.data.a')).toBe(1)
  expect(warnings).toHaveLength(1)
  expect(await verifySession(kernel, session.id)).toMatchObject({ ok: true, checkpoint: 'damaged' })
})

test('K4 a checkpoint that other code folded is made anew, and is no fault', async () => {
  const warnings: string[] = []
  const { kernel, session, put, reopen } = await begin(warnings)
  await put('a', 1)
  await makeCheckpoint({ ...kernel, shape: 'older' }, session.id)
  const opened = await reopen()
  expect(opened.get('$.data.a')).toBe(1)
  expect(opened.opened.checkpoint).toBeNull()
  expect(await verifySession({ ...kernel, shape: 'newer' }, session.id, true)).toMatchObject({ checkpoint: 'ok' })
  await makeCheckpoint(kernel, session.id)
  expect((await reopen()).opened.checkpoint).toBe(2)
  expect(warnings).toEqual([])
})

test('a checkpoint of another log is ignored with a warning', async () => {
  const warnings: string[] = []
  const { kernel, session, put, reopen } = await begin(warnings)
  const foreign = await begin()
  await put('a', 1)
  await foreign.put('b', 2)
  await makeCheckpoint(foreign.kernel, foreign.session.id)
  await kernel.log.checkpoints?.put(session.id, [
    (await foreign.kernel.log.checkpoints?.get(foreign.session.id)) ?? Buffer.alloc(0),
  ])
  const opened = await reopen()
  expect(opened.get('$.data')).toEqual({ a: 1 })
  expect(warnings).toHaveLength(1)
})

test('K3 a checkpoint ahead of its log is damage: reads go on, writes are refused, verify says so', async () => {
  const { kernel, session, put } = await begin()
  await put('a', 1)
  const short = await begin()
  await put('b', 2)
  await makeCheckpoint(kernel, session.id)
  await short.kernel.log.checkpoints?.put(short.session.id, [
    (await kernel.log.checkpoints?.get(session.id)) ?? Buffer.alloc(0),
  ])
  const opened = await short.reopen()
  expect(opened.get('$.session.name')).toBe('test')
  await expect(opened.run('state.set', { path: '$.data.c', value: 1 })).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
  expect(await verifySession(short.kernel, short.session.id)).toMatchObject({
    ok: false,
    error: { code: 'CHECKPOINT_AHEAD' },
  })
})
