/* A bundle gets its name on disks that know no links, as sticks do; a place does not pretend to. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Pending, putNew } from '../../src/drivers/vault/put.ts'
import { scratch } from './rig.ts'

const root = scratch()
const { linkSync } = fs

beforeAll(() => {
  fs.linkSync = () => {
    throw Object.assign(new Error('no links here'), { code: 'EPERM' })
  }
  syncBuiltinESMExports()
})
afterAll(() => {
  fs.linkSync = linkSync
  syncBuiltinESMExports()
  fs.rmSync(root, { recursive: true, force: true })
})

function placed(file: string, text: string): boolean {
  const pending = new Pending(file)
  pending.write(Buffer.from(text))
  const done = pending.place('free')
  pending.drop()
  return done
}

test('a bundle is written where there are no links, and replaces nothing', () => {
  const file = path.join(root, 'auth.steadfold')
  expect([placed(file, 'one'), placed(file, 'two')]).toEqual([true, false])
  expect([fs.readFileSync(file, 'utf8'), fs.readdirSync(root)]).toEqual(['one', ['auth.steadfold']])
})

test('an object that counts only when nobody was first is refused there', () => {
  expect(() => putNew(path.join(root, 'head'), [Buffer.from('x')])).toThrow(/EPERM/)
})
