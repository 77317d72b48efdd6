/* Y5: a session at a place is found by its name, too, as far as who asks may know it. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenSession } from '../../src/compose.ts'
import { Places } from '../../src/drivers/vault/places.ts'
import { failure, pair, scratch, side, type Side } from './rig.ts'

const root = scratch()
const url = path.join(root, 'place')
const moving = { key: undefined, actor: 'human:test' }
let a: Side
let b: Side
let here: Places
let there: Places

function placesOf(one: Side, recipients: readonly string[]): Places {
  const places = new Places(one.vault, one.workspace, { dir: one.dir, env: {} })
  places.add('origin', url, recipients)
  return places
}

beforeAll(async () => {
  fs.mkdirSync(url)
  ;[a, b] = await pair(root)
  here = placesOf(a, ['b'])
  there = placesOf(b, ['a'])
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

async function pushed(one: Side, places: Places, name: string): Promise<OpenSession> {
  const session = await one.workspace.createSession({ name })
  await places.push(undefined, session, undefined)
  return session
}

test('Y5 an empty place says that nothing is there', async () => {
  const missing = await failure(there.pull(undefined, 'two'))
  expect([missing.code, missing.hint]).toEqual([
    'SESSION_NOT_FOUND',
    'nothing is there yet: steadfold push SESSION, over there',
  ])
})

test('Y5 a session that is not here yet is pulled by the name it has now', async () => {
  const session = await pushed(a, here, 'first')
  await session.run('session.rename', { name: 'two' })
  await here.push(undefined, session, undefined)
  expect((await failure(there.pull(undefined, 'first'))).code).toBe('SESSION_NOT_FOUND')
  expect(await there.pull(undefined, 'two')).toMatchObject({ id: session.id, moved: 2 })
  expect(await there.pull(undefined, 'two')).toMatchObject({ id: session.id, moved: 0 })
})

test('Y5 a session that is here by an older name is found by the one that it has there', async () => {
  const session = await pushed(a, here, 'older')
  await there.pull(undefined, 'older')
  await session.run('session.rename', { name: 'newer' })
  await here.push(undefined, session, undefined)
  expect(await there.pull(undefined, 'newer')).toMatchObject({ id: session.id, moved: 1 })
})

test('U5 who was renamed over there has that name here, too, unless another has it', async () => {
  const session = await pushed(a, here, 'before')
  await there.pull(undefined, 'before')
  const own = await b.workspace.createSession({ name: 'own' })
  for (const name of ['own', 'after']) {
    await session.run('session.rename', { name })
    await here.push(undefined, session, undefined)
    expect(await there.pull(undefined, session.id)).toMatchObject({ moved: 1 })
  }
  expect((await failure(b.workspace.createSession({ name: 'after' }))).code).toBe('NAME_TAKEN')
  expect([(await b.workspace.session('own')).id, (await b.workspace.session('after')).id]).toEqual([own.id, session.id])
  await (await b.workspace.createSession({ name: 'before' })).close()
})

test('Y5 what lies at a place and is no session is not listed', async () => {
  const before = await there.there(undefined)
  for (const name of ['\x1b[31mred', 'a b', '.hidden']) fs.writeFileSync(path.join(url, 'index', name), '')
  expect(await there.there(undefined)).toEqual(before)
})

test('Y5 a session that was sent is received by its name', async () => {
  const session = await pushed(a, here, 'moving')
  await here.send(undefined, session, { ...moving, to: undefined })
  const arrival = await there.receive(undefined, 'moving', { ...moving, root: undefined })
  expect([arrival.session.id, arrival.epoch]).toEqual([session.id, 2])
})

test('Y5 of several with one name none is chosen, and their ids are told', async () => {
  const [c, d] = [await side(root, 'c'), await side(root, 'd')]
  for (const one of [c, d]) b.vault.keys.trust(one.key)
  for (const one of [c, d]) one.vault.keys.trust(b.key)
  const ids = await Promise.all([c, d].map(async (one) => (await pushed(one, placesOf(one, ['b']), 'twins')).id))
  const refused = await failure(there.pull(undefined, 'twins'))
  expect([refused.code, refused.message]).toEqual(['SESSION_AMBIGUOUS', '2 sessions "twins" at origin'])
  for (const id of ids) expect(refused.hint).toContain(`${id}  twins`)
  expect(refused.details).toEqual({ sessions: ids.toSorted() })
  expect(await there.pull(undefined, ids[0] ?? '')).toMatchObject({ id: ids[0], moved: 1 })
})

test('Y5 the name of what is sealed for others, or signed by a stranger, is not known; what is there is listed', async () => {
  const [e, f] = [await side(root, 'e'), await side(root, 'f')]
  const sealed = await pushed(e, placesOf(e, ['e']), 'secret')
  f.vault.keys.trust(b.key)
  const strange = await pushed(f, placesOf(f, ['b']), 'strange')
  for (const word of ['secret', 'strange', 'nobody']) {
    const missing = await failure(there.pull(undefined, word))
    expect([missing.code, missing.message]).toEqual(['SESSION_NOT_FOUND', `no session "${word}" at origin`])
    expect(missing.hint).toContain(`${sealed.id}  (sealed for others)`)
    expect(missing.hint).toContain(`${strange.id}  (signed by a stranger)`)
    expect(missing.hint).toMatch(/[\da-f-]{36} {2}two$/m)
  }
  expect((await failure(there.pull(undefined, strange.id))).code).toBe('SIGNER_UNKNOWN')
})

test('Y5 one of which nothing is there yet is told from one that is damaged', async () => {
  const { id } = await pushed(a, here, 'half')
  const heads = path.join(url, 'sessions', id, 'heads')
  fs.truncateSync(path.join(heads, '1'.padStart(20, '0')))
  expect((await failure(there.pull(undefined, 'half'))).hint).toContain(`${id}  (damaged)`)
  expect((await failure(there.pull(undefined, id))).code).toBe('LOG_CORRUPT')
  fs.rmSync(heads, { recursive: true })
  expect((await failure(there.pull(undefined, 'half'))).hint).toContain(`${id}  (nothing there yet)`)
  expect((await failure(there.pull(undefined, id))).code).toBe('SESSION_NOT_FOUND')
  fs.rmSync(path.join(url, 'index', id))
})

test('Y5 a session here is not taken for another of its name there', async () => {
  const own = await b.workspace.createSession({ name: 'same' })
  expect(await there.pull(undefined, 'same')).toMatchObject({ id: own.id, standing: 'ahead' })
  const { id } = await pushed(a, here, 'same')
  const refused = await failure(there.pull(undefined, 'same'))
  expect([refused.code, refused.details]).toEqual(['SESSION_AMBIGUOUS', { sessions: [id, own.id] }])
  const taken = await failure(there.pull(undefined, id))
  expect([taken.code, taken.hint]).toEqual([
    'NAME_TAKEN',
    expect.stringContaining(`steadfold session rename ${own.id} NEW-NAME`),
  ])
  await own.run('session.rename', { name: 'mine' })
  expect(await there.pull(undefined, 'same')).toMatchObject({ id, moved: 1 })
})
