/* A place in a folder of which something cannot be read. */
import * as fs from 'node:fs'
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
