/* A place in a folder of which something cannot be read. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { folderDepot } from '../../src/drivers/vault/folder-depot.ts'
import { failure, scratch } from './rig.ts'

const root = scratch()
afterAll(() => {
  fs.rmSync(root, { recursive: true, force: true })
})

test('what cannot be read is told, and is not taken for what is not there', async () => {
  fs.mkdirSync(path.join(root, 'heads'))
  fs.writeFileSync(path.join(root, 'heads/1'), 'one')
  fs.symlinkSync('loop', path.join(root, 'loop'))
  const depot = folderDepot(root)
  expect(await depot.list('heads/')).toEqual(['heads/1'])
  expect([await depot.list('none/'), await depot.get('none/1')]).toEqual([[], undefined])
  // A loop is refused to everybody, as a folder of another user is to all but root.
  for (const work of [depot.list('loop/'), depot.get('loop/1')])
    expect((await failure(work)).message).toContain(`cannot use the place ${root}`)
})

/** The folders that are synced while `work` is done. */
async function synced(work: () => Promise<unknown>): Promise<readonly string[]> {
  const { openSync, fsyncSync } = fs
  const [opened, folders] = [new Map<number, string>(), new Set<string>()]
  fs.openSync = (file, ...rest) => {
    const fd = openSync(file, ...rest)
    opened.set(fd, String(file))
    return fd
  }
  fs.fsyncSync = (fd) => {
    fsyncSync(fd)
    if (fs.fstatSync(fd).isDirectory()) folders.add(opened.get(fd) ?? '')
  }
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    Object.assign(fs, { openSync, fsyncSync })
    syncBuiltinESMExports()
  }
  return [...folders].map((folder) => path.relative(root, folder))
}

test('what is put there counts after a power cut: each new folder is synced into the one above', async () => {
  const depot = folderDepot(root)
  const put = (name: string) => depot.putNew([{ name, bytes: Buffer.from('x') }])
  expect(await synced(() => put('sessions/a/1'))).toEqual(['', 'sessions', 'sessions/a'])
  expect(await synced(() => put('sessions/a/2'))).toEqual(['sessions/a'])
})
