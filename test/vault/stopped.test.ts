/* What a disk says against a push or a pull is told by our own errors. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { OpenSession } from '../../src/compose.ts'
import { Places } from '../../src/drivers/vault/places.ts'
import { failure, pair, scratch, type Side } from './rig.ts'

const root = scratch()
const place = path.join(root, 'place')
let a: Side
let b: Side
let places: Places
let session: OpenSession

beforeAll(async () => {
  fs.mkdirSync(place)
  ;[a, b] = await pair(root)
  places = new Places(a.vault, a.workspace, { dir: a.dir, env: {} })
  places.add('origin', place, ['b'])
  session = await a.workspace.createSession({ name: 'stopped' })
})
afterEach(() => vi.unstubAllEnvs())
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const push = () => places.push(undefined, session, undefined)

test('a place where no folder can be made', async () => {
  fs.writeFileSync(path.join(place, 'sessions'), '')
  expect(await failure(push())).toMatchObject({
    code: 'FILE_NOT_FOUND',
    message: expect.stringContaining(`cannot use the place ${place}`) as unknown,
  })
  fs.rmSync(path.join(place, 'sessions'))
})

test('what passes through is no file anywhere: who is killed has left none', async () => {
  vi.stubEnv('TMPDIR', path.join(root, 'nowhere'))
  expect(await push()).toMatchObject({ moved: 1 })
  const there = new Places(b.vault, b.workspace, { dir: b.dir, env: {} })
  there.add('origin', place, ['a'])
  expect(await there.pull(undefined, session.id)).toMatchObject({ moved: 1 })
})

test('a session beside which nothing can be noted; what was sent is there, and the next push says so', async () => {
  const remotes = path.join(a.dir, '.steadfold/sessions', session.id, 'remotes')
  fs.rmSync(remotes, { recursive: true })
  fs.writeFileSync(remotes, '')
  await session.run('state.set', { path: '$.data.more', value: 1 })
  expect(await failure(push())).toMatchObject({ message: expect.stringContaining('cannot write') as unknown })
  fs.rmSync(remotes)
  expect(await push()).toMatchObject({ standing: 'up to date', moved: 0 })
})
