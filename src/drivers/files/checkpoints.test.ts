import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { chainOf, sha256, temporaryFolder, together } from '../../../test/conformance/kit.ts'
import { START } from '../../kernel/log/chain.ts'
import { fileCheckpoints } from './checkpoints.ts'
import { makeFolder } from './durable.ts'
import { FilesLog } from './files.ts'
import { Layout } from './layout.ts'
import { SyncGauge } from './sync-gauge.ts'

test('what killed makers of checkpoints left is removed, what others write just now is not', async () => {
  const layout = new Layout(temporaryFolder())
  for (const folder of [layout.sessions, layout.session('s'), layout.log('s')]) makeFolder(folder)
  const left = path.join(layout.session('s'), `.checkpoint.json.${'0'.repeat(16)}.tmp`)
  const fresh = path.join(layout.session('s'), `.checkpoint.json.${'1'.repeat(16)}.tmp`)
  for (const file of [left, fresh]) fs.writeFileSync(file, 'half')
  fs.utimesSync(left, 1, 1)
  await fileCheckpoints(layout, new SyncGauge()).put('s', [Buffer.from('who'), Buffer.from('le')])
  expect(fs.readdirSync(layout.session('s')).sort()).toEqual([path.basename(fresh), 'checkpoint.json', 'log'])
  expect(fs.readFileSync(layout.checkpoint('s'), 'utf8')).toBe('whole')
})

test('a checkpoint that is begun makes the last one count as new, and what has none stays without', async () => {
  const layout = new Layout(temporaryFolder())
  for (const folder of [layout.sessions, layout.session('s'), layout.log('s')]) makeFolder(folder)
  const store = fileCheckpoints(layout, new SyncGauge())
  store.begin?.('s')
  expect(store.latest?.('s')).toBeUndefined()
  await store.put('s', [Buffer.from('{"v":1,"seq":7,"more":0}')])
  fs.utimesSync(layout.checkpoint('s'), 1, 1)
  expect(store.latest?.('s')?.age).toBeGreaterThan(1_000_000)
  store.begin?.('s')
  expect(store.latest?.('s')?.age).toBeLessThan(1_000_000)
  expect(store.latest?.('s')?.seq).toBe(7)
})

test('while a checkpoint is made on another thread no caller waits for the disk where it stands', async () => {
  const log = new FilesLog(temporaryFolder(), sha256)
  fs.mkdirSync(log.layout.sessions)
  await log.create('s')
  let [after, made] = [START, () => {}]
  const append = async () => {
    const appended = await log.append('s', together(...chainOf(1, after)), after, { durability: 'durable' })
    if (appended.kind !== 'appended') throw new Error(appended.kind)
    after = appended.position
    await appended.durable
    return appended.durable !== undefined
  }
  await append()
  const aside = log.checkpoints.aside?.(new Promise<void>((resolve) => (made = resolve)))
  for (let i = 0; i < 20; i++) expect(await append()).toBe(true)
  made()
  await aside
  await log.close()
})
