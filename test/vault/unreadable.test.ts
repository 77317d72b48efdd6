/* Bundles and keys that cannot be read are told as such, with the next step. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KeyRing } from '../../src/drivers/vault/keys.ts'
import { failure, OPEN, pair, scratch, type Side } from './rig.ts'

const root = scratch()
let a: Side

beforeAll(async () => {
  ;[a] = await pair(root)
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
