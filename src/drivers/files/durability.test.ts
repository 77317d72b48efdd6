/* D1, D2: whatever changes a workspace, a power cut right behind it undoes none of it. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { chainOf, filesLog, sha256, together } from '../../../test/conformance/kit.ts'
import { diskCalls, looseEnds, type DiskCall } from '../../../test/disk-calls.ts'
import { START } from '../../kernel/log/chain.ts'
import { archiveSession, restoreSession } from './archive.ts'
import { fileAttic } from './attic.ts'
import { createFolders } from './create.ts'
import { makeFolder, makeFolders, replaceFile } from './durable.ts'
import type { FilesLog } from './files.ts'
import { keepBeside, landSession } from './land.ts'
import type { Layout } from './layout.ts'
import { makePlace } from './place.ts'
import { cutLog, cutTold, untoldCuts } from './repair.ts'

let root: string
let log: FilesLog
let layout: Layout

beforeEach(async () => {
  ;({ root, log } = await filesLog())
  layout = log.layout
  const answer = await log.append('s', together(...chainOf(3, START)), START, { durability: 'durable' })
  if (answer.kind === 'appended') await answer.durable
})

const WHY = { seq: 2, reason: 'altered' }
const landed = (name: string) => ({ path: name, chunks: [Buffer.from('x')] })
async function* several(...names: readonly string[]) {
  yield* names.map(landed)
}

const actions: Readonly<Record<string, () => unknown>> = {
  'a folder is made': () => makeFolder(path.join(root, 'one')),
  'folders are made': () => makeFolders(path.join(root, 'one', 'two')),
  'a file is replaced': () => replaceFile(path.join(root, 'config.json'), '{}'),
  'a session is begun': () => createFolders(layout, 'new'),
  'a session is taken in': () => landSession(layout, 'new', several('log/1.jsonl', 'blobs/sha256/ab/abc', 'carried/x')),
  'a file is kept beside a session': () => keepBeside(layout, 's', landed('carried/x')),
  'the place gets its name': () => makePlace(root, () => 'place-of-mine'),
  'a blob is kept': () => log.blobs.put('s', Buffer.from('bytes')),
  'a checkpoint is kept': () => log.checkpoints.put('s', [Buffer.from('{}')]),
  'a checkpoint is taken away': async () => {
    fs.writeFileSync(layout.checkpoint('s'), '{}')
    await log.checkpoints.delete('s')
  },
  'a session is archived': () => archiveSession(layout, 's'),
}

test.each(Object.entries(actions))('nothing is loose when %s', async (_name, act) => {
  const calls = await diskCalls(act)
  expect(calls.map(({ kind }) => kind)).toContain('sync')
  expect(looseEnds(calls)).toEqual([])
})

test('nothing is loose when a log is cut that goes on behind, and has a checkpoint', async () => {
  fs.writeFileSync(layout.segment('s', 4), 'more')
  fs.writeFileSync(layout.checkpoint('s'), '{}')
  const calls = await diskCalls(() => cutLog(layout, 's', { segment: 1, offset: 10 }, WHY))
  expect(calls.filter(({ kind }) => kind === 'move' || kind === 'remove').length).toBeGreaterThan(2)
  expect(looseEnds(calls)).toEqual([])
})

test('nothing is loose when a session comes back, and it is in one place or in both', async () => {
  archiveSession(layout, 's')
  const calls = await diskCalls(() => restoreSession(layout, 's', 's'))
  expect(looseEnds(calls)).toEqual([])
  const at = (wanted: (call: DiskCall) => boolean) => calls.findIndex(wanted)
  const back = at(({ kind, to }) => kind === 'move' && to === layout.session('s'))
  const synced = calls.findIndex((call, i) => i > back && call.kind === 'sync' && call.file === layout.sessions)
  const gone = at(({ kind, file }) => kind === 'move' && file === path.join(layout.archive, 's'))
  expect([back < synced, synced < gone]).toEqual([true, true])
})

test('an archived copy has its name for good before the session goes', async () => {
  const calls = await diskCalls(() => archiveSession(layout, 's'))
  const synced = calls.findLastIndex(({ kind, file }) => kind === 'sync' && file === layout.archive)
  const gone = calls.findIndex(({ kind, file }) => kind === 'move' && file === layout.session('s'))
  expect([synced > 0, synced < gone]).toEqual([true, true])
})

test('nothing is loose when a cut was told, nor when something is taken away', async () => {
  cutLog(layout, 's', { segment: 1, offset: 10 }, WHY)
  const [cut] = untoldCuts(layout, 's')
  expect(cut).toBeDefined()
  if (cut !== undefined) expect(looseEnds(await diskCalls(() => cutTold(layout, 's', cut)))).toEqual([])
  const hash = await log.blobs.put('s', Buffer.from('bytes'))
  const file = path.join('sessions/s/blobs/sha256', hash.slice(0, 2), hash)
  const calls = await diskCalls(() => fileAttic(layout, sha256).remove({ path: file, bytes: 5 }, 0))
  expect(calls.some(({ kind }) => kind === 'remove')).toBe(true)
  expect(looseEnds(calls)).toEqual([])
})

test('the name of a blob that is there already is synced again: whoever wrote it may have died before', async () => {
  const hash = await log.blobs.put('s', Buffer.from('bytes'))
  const calls = await diskCalls(() => log.blobs.put('s', Buffer.from('bytes')))
  expect(calls).toContainEqual({
    kind: 'sync',
    file: path.join(layout.blobs('s'), 'sha256', hash.slice(0, 2)),
  })
})

test('loose ends are seen', async () => {
  const [file, other] = [path.join(root, 'a'), path.join(root, 'b')]
  const calls = await diskCalls(() => {
    fs.writeFileSync(file, 'x')
    fs.renameSync(file, other)
    fs.mkdirSync(path.join(root, 'c'))
    fs.rmSync(other)
  })
  expect(looseEnds(calls).length).toBe(6)
})
