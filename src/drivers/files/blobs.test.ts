import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { sha256, temporaryFolder } from '../../../test/conformance/kit.ts'
import { fileBlobs } from './blobs.ts'
import { makeFolder } from './durable.ts'
import { Layout } from './layout.ts'

test('a blob that was damaged is whole again when its bytes are put again', async () => {
  const layout = new Layout(temporaryFolder())
  for (const folder of [layout.sessions, layout.session('s')]) makeFolder(folder)
  const blobs = fileBlobs(layout, sha256)
  const bytes = Buffer.from('what was paid for')
  const hash = await blobs.put('s', bytes)
  fs.writeFileSync(path.join(layout.blobs('s'), 'sha256', hash.slice(0, 2), hash), 'what was')
  expect(await blobs.put('s', bytes)).toBe(hash)
  expect(await blobs.get('s', hash)).toEqual(bytes)
})

test('a blob is missing where a file stands in place of its folder, and cannot be put there', async () => {
  const layout = new Layout(temporaryFolder())
  for (const folder of [layout.sessions, layout.session('s'), layout.blobs('s')]) makeFolder(folder)
  fs.writeFileSync(path.join(layout.blobs('s'), 'sha256'), 'no folder')
  const blobs = fileBlobs(layout, sha256)
  const bytes = Buffer.from('what was paid for')
  expect(await blobs.has?.('s', sha256(bytes))).toBe(false)
  expect(await blobs.get('s', sha256(bytes))).toBeUndefined()
  await expect(blobs.put('s', bytes)).rejects.toMatchObject({ code: 'WORKSPACE_UNSAFE' })
})
