/* Each object at a place, damaged: it is told to whom it matters, and nothing of it is taken. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openWorkspace } from '../../src/compose.ts'
import { Places } from '../../src/drivers/vault/places.ts'
import { EngineError } from '../../src/kernel/error.ts'
import { failure, pair, scratch, type Side } from './rig.ts'

const root = scratch()
const [place, whole] = [path.join(root, 'place'), path.join(root, 'whole')]
let a: Side
let b: Side
let here: Places
let id = ''

beforeAll(async () => {
  fs.mkdirSync(place)
  ;[a, b] = await pair(root)
  here = new Places(a.vault, a.workspace, { dir: a.dir, env: {} })
  here.add('origin', place, ['b'])
  const session = await a.workspace.createSession({ name: 'auth' })
  id = session.id
  for (const n of [1, 2, 3]) {
    await here.push(undefined, session, undefined)
    await session.run('state.set', { path: '$.data.n', value: n })
  }
  await session.close()
  fs.cpSync(place, whole, { recursive: true })
})
beforeEach(() => {
  fs.rmSync(place, { recursive: true })
  fs.cpSync(whole, place, { recursive: true })
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const twenty = (n: number) => String(n).padStart(20, '0')
const head = (first: number) => path.join(place, 'sessions', id, 'heads', twenty(first))

function increment(first: number): string {
  const folder = path.join(place, 'sessions', id, 'commits')
  return path.join(folder, fs.readdirSync(folder).find((name) => name.startsWith(twenty(first))) ?? '')
}

const ways: Readonly<Record<string, (file: string) => void>> = {
  'a bit flipped': (file) => {
    const bytes = fs.readFileSync(file)
    // Of what a head points to, or inside of what is sealed.
    const named = bytes.indexOf('"head":"')
    const at = named < 0 ? bytes.length - 20 : named + 20
    bytes[at] = (bytes[at] ?? 0) ^ 1
    fs.writeFileSync(file, bytes)
  },
  'cut off': (file) => fs.truncateSync(file, fs.statSync(file).size - 5),
  empty: (file) => fs.truncateSync(file, 0),
  'taken away': (file) => fs.rmSync(file),
  'another in its place': (file) => {
    const others = fs.readdirSync(path.dirname(file)).filter((name) => name !== path.basename(file))
    fs.copyFileSync(path.join(path.dirname(file), others[0] ?? ''), file)
  },
}

const forget = () => fs.rmSync(path.join(a.dir, '.steadfold/sessions', id, 'remotes'), { recursive: true })

/** A workspace where nothing of it is yet. */
let machines = 0
async function fresh(): Promise<Places> {
  const dir = path.join(root, `new-${(machines += 1)}`)
  fs.mkdirSync(dir)
  const there = new Places(b.vault, await openWorkspace({ dir }), { dir, env: {} })
  there.add('origin', place, ['a'])
  return there
}

const pulled = async (): Promise<EngineError> => failure((await fresh()).pull(undefined, id))

test.each(Object.entries(ways))('Y3 an increment: %s', async (_what, damage) => {
  for (const first of [1, 2, 3]) {
    const file = increment(first)
    const bytes = fs.readFileSync(file)
    damage(file)
    const told = await pulled()
    expect([told.code, told.hint]).toEqual(['BUNDLE_INVALID', expect.stringContaining('pushed to another place')])
    expect(told.message).toContain(path.basename(file))
    fs.writeFileSync(file, bytes)
  }
})

test.each(Object.entries(ways))('Y1 a head: %s', async (what, damage) => {
  for (const first of [1, 2, 3]) {
    const file = head(first)
    const bytes = fs.readFileSync(file)
    damage(file)
    // The last that is taken away was never there for whom knows nothing of it.
    const isLast = first === 3 && what === 'taken away'
    if (!isLast) expect(['LOG_CORRUPT', 'BUNDLE_INVALID']).toContain((await pulled()).code)
    const session = await a.workspace.session('auth')
    if (first === 3) expect((await failure(here.push(undefined, session, undefined))).code).toBe('LOG_CORRUPT')
    // Who has all of it, and knows nothing of the place any more, is not told that two histories went apart.
    const noted = path.join(a.dir, '.steadfold/sessions', id, 'remotes/origin.json')
    const known = fs.readFileSync(noted)
    forget()
    const answer: unknown = await here.pull(undefined, id).catch((error: unknown) => error)
    const said = answer instanceof EngineError ? answer.code : 'done'
    expect([first, isLast ? ['done'] : ['LOG_CORRUPT', 'BUNDLE_INVALID']]).toEqual([
      first,
      expect.arrayContaining([said]),
    ])
    fs.mkdirSync(path.dirname(noted), { recursive: true })
    fs.writeFileSync(noted, known)
    await session.close()
    fs.writeFileSync(file, bytes)
  }
})

test('Y1 Y4 what a program that syncs keeps of a head or a claim under another name counts for nothing', async () => {
  const epochs = path.join(place, 'sessions', id, 'epochs')
  fs.mkdirSync(epochs)
  for (const file of [head(1), head(3), path.join(epochs, twenty(1))])
    fs.writeFileSync(`${file}.sync-conflict-20261125-101500-ABCDEFG`, '{}')
  expect(await (await fresh()).pull(undefined, id)).toMatchObject({ moved: 3 })
  const session = await a.workspace.session('auth')
  expect(await here.push(undefined, session, undefined)).toMatchObject({ standing: 'up to date', moved: 1 })
  await session.close()
  forget()
})

test('Y5 without its index a session is found by its id, and by its name once it was pushed again', async () => {
  fs.rmSync(path.join(place, 'index'), { recursive: true })
  const session = await a.workspace.session('auth')
  const machine = await fresh()
  expect(await failure(machine.pull(undefined, 'auth'))).toMatchObject({
    code: 'SESSION_NOT_FOUND',
    hint: 'nothing is there yet: steadfold push SESSION, over there',
  })
  expect(await machine.pull(undefined, id)).toMatchObject({ moved: 3 })
  await here.push(undefined, session, undefined)
  expect(await (await fresh()).pull(undefined, 'auth')).toMatchObject({ moved: 4 })
  await session.close()
})
