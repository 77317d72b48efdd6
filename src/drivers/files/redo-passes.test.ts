import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { sha256 } from '../../../test/conformance/kit.ts'
import { copying, cut, instead, onSyncedDisk, redoIn, segment } from '../../../test/power-cut.ts'
import { START } from '../../kernel/log/chain.ts'
import { FilesLog } from './files.ts'
onSyncedDisk()

test('a session that is archived while its log is put back is not there', async () => {
  await copying()
  const after = cut()
  const folder = path.dirname(redoIn(after))
  const archiving = (was: typeof fs.openSync): typeof fs.openSync =>
    ((file, flags, mode) => {
      const writes = file === segment(after) && (Number(flags) & fs.constants.O_WRONLY) !== 0
      if (writes) fs.renameSync(folder, path.join(after, 'gone'))
      return was(file, flags, mode)
    }) satisfies typeof fs.openSync
  await instead('openSync', archiving, async () => {
    const log = new FilesLog(after, sha256)
    await expect(log.read('s', START).next()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})
