/* What a process may leave to those before it. Each folder counts that is synced until the first commit of a new process. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { filesKernel, makeWorkspace } from '../../compose.ts'

let root: string
beforeEach(() => {
  root = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'vouched-')), 'workspace')
  fs.mkdirSync(root)
})
afterEach(() => fs.rmSync(path.dirname(root), { recursive: true, force: true }))

const { fsyncSync, openSync } = fs

/** What was synced by fsync while `task` ran, below the root. */
async function synced(task: () => Promise<unknown>): Promise<readonly string[]> {
  const found: string[] = []
  const names = new Map<number, string>()
  fs.openSync = (...args) => {
    const fd = openSync(...args)
    names.set(fd, path.relative(root, String(args[0])))
    return fd
  }
  fs.fsyncSync = (fd) => {
    found.push(names.get(fd) ?? '?')
    fsyncSync(fd)
  }
  syncBuiltinESMExports()
  try {
    await task()
    return found
  } finally {
    Object.assign(fs, { fsyncSync, openSync })
    syncBuiltinESMExports()
  }
}

/** As a command of the shell does it; without checkpoints, whose folder is synced for their own sake. */
async function commit(folder: string, id: string, segmentBytes?: number): Promise<void> {
  const workspace = makeWorkspace(filesKernel(folder, { checkpoints: false, ...(segmentBytes && { segmentBytes }) }))
  const session = await workspace.session(id)
  await session.run('state.set', { path: '$.data.n', value: 'x'.repeat(300) })
  await session.close()
  await workspace.close()
}

async function begun(): Promise<string> {
  const workspace = makeWorkspace(filesKernel(root, { checkpoints: false }))
  const { id } = await workspace.createSession({ name: 'test' })
  await workspace.close()
  return id
}

const every = (id: string) => [`sessions/${id}`, 'sessions', '', `sessions/${id}/log`]

/** Where the file system tells no births, each process syncs them. */
const tellsBirths = fs.statSync(os.tmpdir()).birthtimeMs > 0

test.runIf(tellsBirths)('V1 the folders are synced by the first process, and by no other', async () => {
  const id = await begun()
  const vouched = path.join(root, 'sessions', id, 'vouched')
  fs.rmSync(vouched, { force: true })
  expect(await synced(() => commit(root, id))).toEqual(every(id))
  expect(fs.statSync(vouched).mode & 0o777).toBe(0o600)
  expect(await synced(() => commit(root, id))).toEqual([])
})

test.each([
  ['is torn', (text: string) => text.slice(0, -3)],
  ['is empty', () => ''],
  ['speaks of another folder', (text: string) => text.replace(/^\d+/, '1')],
  ['speaks of one that was there before', (text: string) => text.replace(/ \d+/, ' 1')],
])('V1 they are synced anew when what vouches for them %s', async (_what, spoil) => {
  const id = await begun()
  const vouched = path.join(root, 'sessions', id, 'vouched')
  await commit(root, id)
  fs.writeFileSync(vouched, spoil(fs.readFileSync(vouched, 'utf8')))
  expect(await synced(() => commit(root, id))).toEqual(every(id))
})

test('F2 a session whose folders could not be synced is not made by this process; the next one syncs them', async () => {
  let failures = 0
  fs.fsyncSync = (fd) => {
    if (failures++ === 1) throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO', syscall: 'fsync' })
    fsyncSync(fd)
  }
  syncBuiltinESMExports()
  const workspace = makeWorkspace(filesKernel(root, { checkpoints: false }))
  const make = () => workspace.createSession({ name: 'test', id: 'a' })
  await expect(make()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await expect(make()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  fs.fsyncSync = fsyncSync
  syncBuiltinESMExports()
  await workspace.close()
  // Nothing but another process forgets.
  vi.resetModules()
  const other = await import('../../compose.ts')
  const next = other.makeWorkspace(other.filesKernel(root, { checkpoints: false }))
  expect(await synced(() => next.createSession({ name: 'test', id: 'a' }))).toEqual(expect.arrayContaining(every('a')))
  await next.close()
})

test('V1 nothing vouches for folders whose sync failed', async () => {
  const id = await begun()
  const vouched = path.join(root, 'sessions', id, 'vouched')
  fs.rmSync(vouched, { force: true })
  fs.fsyncSync = () => {
    throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO', syscall: 'fsync' })
  }
  syncBuiltinESMExports()
  try {
    await expect(commit(root, id)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  } finally {
    fs.fsyncSync = fsyncSync
    syncBuiltinESMExports()
  }
  expect(fs.existsSync(vouched)).toBe(false)
})

test('V2 a copy vouches for nothing, nor does a session that was brought back', async () => {
  const id = await begun()
  await commit(root, id)
  const original = root
  root = `${original}-copy`
  fs.cpSync(original, root, { recursive: true, preserveTimestamps: true })
  expect(await synced(() => commit(root, id))).toEqual(every(id))
  const aside = path.join(root, 'aside')
  fs.cpSync(path.join(root, 'sessions', id), aside, { recursive: true, preserveTimestamps: true })
  fs.rmSync(path.join(root, 'sessions', id), { recursive: true })
  fs.renameSync(aside, path.join(root, 'sessions', id))
  expect(await synced(() => commit(root, id))).toEqual(every(id))
})

test.runIf(tellsBirths)('F1 the name of a new segment is synced by who makes it, and then nothing more', async () => {
  const id = await begun()
  const log = path.join(root, 'sessions', id, 'log')
  for (let n = 0; fs.readdirSync(log).length === 1 && n < 50; n++) await commit(root, id, 2048)
  expect(fs.readdirSync(log).length).toBe(2)
  await commit(root, id, 2048)
  expect(await synced(() => commit(root, id, 2048))).toEqual([])
})
