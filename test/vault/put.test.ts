/* A bundle gets its name on disks that know no links, as sticks do; a place does not pretend to. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Pending, put } from '../../src/drivers/vault/put.ts'
import { fileSpot } from '../../src/drivers/vault/write.ts'
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
  expect(() => put(path.join(root, 'head'), [Buffer.from('x')])).toThrow(/EPERM/)
})

test('what a killed writer left goes a day later: all in a folder of ours, elsewhere what was to become the same file', () => {
  const folder = path.join(root, 'left')
  fs.mkdirSync(folder)
  const names = ['.a.sf.0123456789abcdef.tmp', '.b.sf.0123456789abcdef.tmp', '.a.sf.tmp', 'a.sf']
  const young = '.a.sf.fedcba9876543210.tmp'
  for (const name of [...names, young]) fs.writeFileSync(path.join(folder, name), '')
  const before = new Date(Date.now() - 25 * 3_600_000)
  for (const name of names) fs.utimesSync(path.join(folder, name), before, before)
  fileSpot(path.join(folder, 'a.sf'), 'replace').drop()
  expect(fs.readdirSync(folder).toSorted()).toEqual([...names.slice(1), young].toSorted())
  expect(() => put(path.join(folder, 'a.sf'), [])).toThrow(/EPERM/)
  expect(fs.readdirSync(folder).toSorted()).toEqual(['.a.sf.tmp', 'a.sf', young].toSorted())
})
