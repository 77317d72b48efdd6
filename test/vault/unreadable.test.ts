/* Bundles and keys, and what is here of a session, that cannot be read are told as such, with the next step. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KeyRing } from '../../src/drivers/vault/keys.ts'
import { failure, OPEN, PACK, packed, pair, scratch, type Side } from './rig.ts'

const root = scratch()
let a: Side
let b: Side

beforeAll(async () => {
  ;[a, b] = await pair(root)
  fs.writeFileSync(path.join(root, 'file'), 'text\n')
  fs.symlinkSync('loop', path.join(root, 'loop'))
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

test.each(['nothing', 'file/below', 'loop', 'x'.repeat(300)])('no bundle: %s', async (name) => {
  const { code, hint } = await failure(a.vault.inspect(path.join(root, name), OPEN))
  expect([code, hint === undefined]).toEqual(['FILE_NOT_FOUND', false])
})

test('K2 a key with a secret that is none is told as damaged', async () => {
  const home = path.join(root, 'home')
  await new KeyRing(home).create('a')
  const file = path.join(home, 'keys', 'a.json')
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"secret":"M', '"secret":"X'))
  const { code, message } = await failure(Promise.resolve().then(() => new KeyRing(home).own()))
  expect([code, message]).toEqual(['INPUT_INVALID', `${file} holds no key`])
})

test('keys cannot be kept below a file', async () => {
  const { code } = await failure(new KeyRing(path.join(root, 'file', 'home')).create('a'))
  expect(code).toBe('FILE_NOT_FOUND')
})

test('nothing is appended behind what is damaged here of a session: that is told, not that others write to it', async () => {
  await b.vault.unpack(b.workspace, await packed(a, root), OPEN)
  const session = await b.workspace.session('auth')
  const file = path.join(b.dir, '.steadfold', 'sessions', session.id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
  const text = fs.readFileSync(file, 'utf8')
  const [first = ''] = text.split('\n')
  fs.writeFileSync(file, text.slice(0, first.length + 1) + text.slice(first.length + 1).replace('"op":"', '"op":"x'))
  const theirs = await a.workspace.session('auth')
  await theirs.run('state.set', { path: '$.data.more', value: 1 })
  const newer = path.join(root, 'newer.steadfold')
  await a.vault.pack(a.workspace, theirs, a.dir, { ...PACK, file: newer })
  const before = fs.readFileSync(file)
  const { code, hint } = await failure(b.vault.unpack(b.workspace, newer, OPEN))
  expect([code, hint]).toEqual([
    'LOG_CORRUPT',
    `steadfold verify --session ${session.id}; steadfold repair ${session.id}`,
  ])
  expect(fs.readFileSync(file)).toEqual(before)
})
