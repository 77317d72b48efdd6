import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/conformance/kit.ts'
import { fileCheckpoints } from './checkpoints.ts'
import { makeFolder } from './durable.ts'
import { Layout } from './layout.ts'

test('what killed makers of checkpoints left is removed, what others write just now is not', async () => {
  const layout = new Layout(temporaryFolder())
  for (const folder of [layout.sessions, layout.session('s'), layout.log('s')]) makeFolder(folder)
  const left = path.join(layout.session('s'), `.checkpoint.json.${'0'.repeat(16)}.tmp`)
  const fresh = path.join(layout.session('s'), `.checkpoint.json.${'1'.repeat(16)}.tmp`)
  for (const file of [left, fresh]) fs.writeFileSync(file, 'half')
  fs.utimesSync(left, 1, 1)
  await fileCheckpoints(layout).put('s', 'whole')
  expect(fs.readdirSync(layout.session('s')).sort()).toEqual([path.basename(fresh), 'checkpoint.json', 'log'])
})
