import * as fs from 'node:fs'
import * as path from 'node:path'
import vm from 'node:vm'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/conformance/kit.ts'
import { instead } from '../../../test/power-cut.ts'
import { replaceFile } from './durable.ts'

const MIB = 1024 * 1024

test('bytes of another realm are written as they are', () => {
  const file = path.join(temporaryFolder(), 'file')
  replaceFile(file, vm.runInNewContext('new Uint8Array([104, 105])') as Uint8Array)
  expect(fs.readFileSync(file, 'utf8')).toBe('hi')
})

test.each([
  ['one', [Buffer.alloc(3 * MIB, 'x')]],
  ['many', Array.from({ length: 48 }, (_, i) => Buffer.alloc(MIB / 16, String(i)))],
])('what is large is synced after each MiB, also in pieces: %s', async (_, pieces) => {
  const file = path.join(temporaryFolder(), 'file')
  const unsynced: number[] = [0]
  const counting = (was: typeof fs.writeSync) =>
    ((...args: Parameters<typeof fs.writeSync>) => {
      const written = was(...args)
      unsynced.push((unsynced.pop() ?? 0) + written)
      return written
    }) as typeof fs.writeSync
  const syncing = (was: typeof fs.fdatasyncSync) => (fd: number) => {
    was(fd)
    unsynced.push(0)
  }
  await instead('writeSync', counting, () => instead('fdatasyncSync', syncing, async () => replaceFile(file, pieces)))
  expect(unsynced).toEqual([MIB, MIB, MIB])
  expect(fs.readFileSync(file).equals(Buffer.concat(pieces))).toBe(true)
})
