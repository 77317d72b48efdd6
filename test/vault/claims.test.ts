/* Y4 when something of a place, or of what is known of it, was lost: still nobody takes back what has arrived. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import type { OpenSession } from '../../src/compose.ts'
import { Places } from '../../src/drivers/vault/places.ts'
import { failure, pair, scratch, type Side } from './rig.ts'

const root = scratch()
const moving = { key: undefined, actor: 'human:test', to: undefined, root: undefined }
let round = 0
let home: string
let a: Side
let b: Side
let here: Places
let there: Places
let session: OpenSession

beforeEach(async () => {
  home = path.join(root, String((round += 1)))
  const [first, second] = await pair(home)
  a = first
  b = second
  fs.mkdirSync(path.join(home, 'place'))
  here = new Places(a.vault, a.workspace, { dir: a.dir, env: {} })
  there = new Places(second.vault, second.workspace, { dir: second.dir, env: {} })
  here.add('origin', '../place', ['b'])
  there.add('origin', '../place', ['a'])
  session = await a.workspace.createSession({ name: 'auth' })
  await here.send(undefined, session, moving)
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

test.each([
  ['what is known here', () => path.join(a.dir, '.steadfold/sessions', session.id, 'remotes')],
  ['the claim of who received it', () => path.join(home, 'place/sessions', session.id, 'epochs')],
])('Y4 without %s a session that has arrived is not taken back', async (_what, lost) => {
  const { session: copy } = await there.receive(undefined, 'auth', moving)
  fs.rmSync(lost(), { recursive: true })
  expect((await failure(here.cancel(session, 'human:test'))).code).toBe('EPOCH_STALE')
  expect((await copy.run('state.set', { path: '$.data.x', value: 1 })).kind).toBe('accepted')
  await copy.close()
})

test('Y4 without what is known here the claim is made all the same, and nobody receives it any more', async () => {
  fs.rmSync(path.join(a.dir, '.steadfold/sessions', session.id, 'remotes'), { recursive: true })
  expect(await here.cancel(session, 'human:test')).toBe(2)
  expect((await failure(there.receive(undefined, 'auth', moving))).code).toBe('EPOCH_STALE')
})

test('Y4 a place that cannot be reached stops nobody who never sent anything there', async () => {
  here.add('elsewhere', '../nowhere', ['b'])
  expect(await here.cancel(session, 'human:test')).toBe(2)
})

test('Y4 the place that it was sent to must be reached', async () => {
  fs.renameSync(path.join(home, 'place'), path.join(home, 'gone'))
  fs.rmSync(path.join(a.dir, '.steadfold/sessions', session.id, 'remotes'), { recursive: true })
  expect((await failure(here.cancel(session, 'human:test'))).code).toBe('STORE_UNAVAILABLE')
})

test('Y7 a session that departed goes to no second place', async () => {
  fs.mkdirSync(path.join(home, 'second'))
  here.add('second', '../second', ['b'])
  for (const work of [here.push('second', session, undefined), here.send('second', session, moving)])
    expect((await failure(work)).code).toBe('SESSION_DEPARTED')
  expect(await here.there('second')).toEqual([])
  expect(await here.send('origin', session, moving)).toMatchObject({ moved: 0 })
  expect(await here.push('origin', session, undefined)).toMatchObject({ moved: 0 })
})

test('Y7 whoever has a copy of what departed sends it nowhere', async () => {
  fs.mkdirSync(path.join(home, 'second'))
  there.add('second', '../second', ['a'])
  await there.pull('origin', 'auth')
  const copy = await b.workspace.session('auth')
  expect((await failure(there.push('second', copy, undefined))).code).toBe('SESSION_DEPARTED')
  await copy.close()
})

test('M2 who died behind the arrival is told that it is here, and how the place learns of it', async () => {
  const push = vi.spyOn(there, 'push').mockRejectedValueOnce(new Error('killed'))
  await expect(there.receive(undefined, 'auth', moving)).rejects.toThrow('killed')
  push.mockRestore()
  expect(await failure(there.receive(undefined, 'auth', moving))).toMatchObject({
    code: 'EPOCH_STALE',
    message: 'session auth is here already (epoch 2)',
    hint: 'go on with it; so that over there it is known as well: steadfold push auth --remote origin',
  })
})
