/* A place in a folder of which something cannot be read. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { folderDepot } from '../../src/drivers/vault/folder-depot.ts'
import { Remotes } from '../../src/drivers/vault/remotes.ts'
import { failure, scratch, synced } from './rig.ts'

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

test('what is put there counts after a power cut: each new folder is synced into the one above', async () => {
  const depot = folderDepot(root)
  const put = (name: string) => depot.putNew([{ name, bytes: Buffer.from('x') }])
  expect(await synced(root, () => put('sessions/a/1'))).toEqual(['', 'sessions', 'sessions/a'])
  expect(await synced(root, () => put('sessions/a/2'))).toEqual(['sessions/a'])
})

test('the name of a place, and what is known of it, count after a power cut as well', async () => {
  const remotes = new Remotes(path.join(root, 'w'))
  const place = { name: 'origin', url: '../place', recipients: null }
  expect(await synced(root, async () => remotes.add(place))).toEqual(['', 'w', 'w/remotes'])
  const position = { seq: 1, hash: 'x', segment: 1, offset: 1, first: 1 }
  const known = { position, at: new Date(0).toISOString(), status: 'success', error: null } as const
  const noted = () => synced(root, async () => remotes.note('a', place, known))
  expect(await noted()).toEqual(['w', 'w/sessions', 'w/sessions/a', 'w/sessions/a/remotes'])
  expect(await noted()).toEqual(['w/sessions/a/remotes'])
})
