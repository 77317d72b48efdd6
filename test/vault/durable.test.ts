/* What was pushed, and a key that was made, stay when the power goes: each file is whole before it has its name. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolders } from '../../src/drivers/vault/folders.ts'
import { Pending, put } from '../../src/drivers/vault/put.ts'
import { diskCalls, looseEnds } from '../disk-calls.ts'
import { scratch } from './rig.ts'

const root = scratch()
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const at = (name: string): string => path.join(root, name)

test.each([
  ['an object is put', () => put(at('one'), [Buffer.from('x')])],
  ['an object is replaced', () => put(at('two'), [Buffer.from('x')], 'replace')],
  ['folders are made', () => makeFolders(at('a/b/c'))],
  [
    'a bundle is written',
    () => {
      const pending = new Pending(at('three'))
      pending.write(Buffer.from('x'))
      pending.place('free')
      pending.drop()
    },
  ],
])('nothing is loose when %s', async (_name, act) => {
  const calls = await diskCalls(act)
  expect(calls.map(({ kind }) => kind)).toContain('sync')
  expect(looseEnds(calls)).toEqual([])
})
