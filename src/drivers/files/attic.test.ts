import * as fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import * as path from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/conformance/kit.ts'
import { failing, instead } from '../../../test/power-cut.ts'
import { openWorkspace } from '../../compose.ts'
import { verifySession } from '../../kernel/care/verify.ts'
import { copyWorkspace } from '../../kernel/exchange/copy-workspace.ts'
import { temporaryName } from './durable.ts'

const SMALL = { segmentBytes: 2000, checkpointBytes: 1000, checkpointMs: 0 }

async function ended() {
  const dir = temporaryFolder()
  const workspace = await openWorkspace({ dir, settings: SMALL })
  const session = await workspace.createSession({ name: 'build' })
  for (let i = 0; i < 40; i++) await session.run('state.set', { path: '$.data.n', value: i })
  const hash = await workspace.kernel.log.blobs?.put(session.id, Buffer.from('kept'))
  await session.run('session.end', {})
  return { dir, root: path.join(dir, '.steadfold'), workspace, session, hash: hash ?? '' }
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const treeOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !['turn', 'vouched'].includes(entry.name))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(folder, file), fs.readFileSync(file, 'base64')]),
  )

test('A1 an archived session is read where it lies: state, past, commits, blobs, and its chain', async () => {
  const { workspace, session, hash } = await ended()
  const state = structuredClone(await session.stateAt())
  const then = await session.get('$.data.n', { at: 17 })
  await workspace.archive(session)
  const archived = await workspace.archived()
  const found = await archived.session('build')
  expect(await found.stateAt()).toEqual(state)
  expect(await found.get('$')).toMatchObject({ session: { name: 'build' } })
  expect(await found.get('$.data.n', { at: 17 })).toBe(then)
  expect(await all(found.commits())).toHaveLength(found.seq)
  expect((await archived.kernel.log.blobs?.get(found.id, hash))?.toString()).toBe('kept')
  expect(await verifySession(archived.kernel, found.id, true)).toMatchObject({ ok: true, seq: found.seq, dangling: [] })
  await expect(found.run('session.repair', { seq: 1, reason: 'x', aside: [] })).rejects.toMatchObject({
    code: 'READ_ONLY',
  })
  await expect(workspace.session('build')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

test('A1 a session comes back byte for byte, and may be archived again', async () => {
  const { root, workspace, session } = await ended()
  await session.close()
  const before = treeOf(path.join(root, 'sessions', session.id))
  await workspace.archive(await workspace.session('build'))
  expect((await workspace.unarchive('build')).id).toBe(session.id)
  expect(treeOf(path.join(root, 'sessions', session.id))).toEqual(before)
  expect(fs.readdirSync(path.join(root, 'archive'))).toEqual([])
  await workspace.archive(await workspace.session('build'))
  expect(fs.readdirSync(path.join(root, 'archive'))).toEqual([session.id])
})

test('A1 a session whose id was used again lies beside the first, and both can be read', async () => {
  const { workspace, session } = await ended()
  await workspace.archive(session)
  const again = await workspace.createSession({ name: 'second', id: session.id })
  await again.run('session.end', {})
  await workspace.archive(again)
  const names: unknown[] = []
  for await (const each of (await workspace.archived()).sessions()) names.push(each.get('$.session.name'))
  expect(names).toEqual(['build', 'second'])
  expect((await workspace.unarchive('second')).id).toBe(session.id)
  await expect(workspace.unarchive('build')).rejects.toMatchObject({ code: 'NAME_TAKEN' })
})

test('A1 a damaged archive is told, and does not come back', async () => {
  const { root, workspace, session } = await ended()
  await workspace.archive(session)
  const log = path.join(root, 'archive', session.id, 'log')
  const file = path.join(log, fs.readdirSync(log).sort()[1] ?? '')
  const bytes = fs.readFileSync(file)
  for (const damaged of [bytes.subarray(0, bytes.length / 2), undefined]) {
    if (damaged === undefined) fs.rmSync(file)
    else fs.writeFileSync(file, damaged)
    const { kernel } = await workspace.archived()
    expect(await verifySession(kernel, session.id)).toMatchObject({ ok: false, error: { code: 'LOG_CORRUPT' } })
    await expect(workspace.unarchive(session.id)).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
  }
})

test('a session whose log was taken away remains, and is not begun anew under its id', async () => {
  const { root, session } = await ended()
  await session.close()
  fs.rmSync(path.join(root, 'sessions', session.id, 'log'), { recursive: true })
  const fresh = await openWorkspace({ dir: path.dirname(root) })
  const attic = await fresh.kernel.log.attic?.()
  expect(attic === undefined ? [] : await all(attic.remains())).toEqual([session.id])
  await expect(fresh.createSession({ name: 'x', id: session.id })).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
})

test('a session whose log was emptied remains, one that never had a commit does not', async () => {
  const { root, session } = await ended()
  await session.close()
  const log = path.join(root, 'sessions', session.id, 'log')
  for (const name of fs.readdirSync(log)) fs.rmSync(path.join(log, name))
  const fresh = await openWorkspace({ dir: path.dirname(root) })
  await fresh.kernel.log.create('019f0000-0000-7000-8000-00000000000a')
  const attic = await fresh.kernel.log.attic?.()
  expect(attic === undefined ? [] : await all(attic.remains())).toEqual([session.id])
})

test('a folder whose maker was killed before it made the log is no loss: it is used, or goes when it is old', async () => {
  const root = temporaryFolder()
  const workspace = await openWorkspace({ dir: root })
  const [used, left] = ['019f0000-0000-7000-8000-000000000001', '019f0000-0000-7000-8000-000000000002']
  const folder = (id: string) => path.join(root, '.steadfold', 'sessions', id)
  fs.mkdirSync(path.join(root, '.steadfold', 'sessions'), { recursive: true, mode: 0o700 })
  for (const id of [used, left]) fs.mkdirSync(folder(id), { mode: 0o700 })
  const attic = await workspace.kernel.log.attic?.()
  if (attic === undefined) throw new Error('no attic')
  expect(await all(attic.remains())).toEqual([])
  await workspace.createSession({ name: 'used', id: used })
  expect((await attic.leftovers(0)).map((each) => each.path)).toEqual([path.join('sessions', left)])
  fs.mkdirSync(path.join(folder(left), 'log'))
  fs.rmdirSync(path.join(folder(left), 'log'))
  fs.utimesSync(folder(left), new Date(), new Date(Date.now() + 1000))
  expect(await all(attic.remains())).toEqual([left])
  expect(await attic.leftovers(0)).toEqual([])
})

test('who goes over the sessions passes over one that another process archives meanwhile', async () => {
  const { dir, workspace, session } = await ended()
  const looking = await openWorkspace({ dir, settings: SMALL })
  const { log } = looking.kernel
  const listed = log.list.bind(log)
  log.list = async function* () {
    for await (const id of listed()) {
      const name = `behind ${id}`
      const next = await workspace.createSession({ name, id: `${id}-next` })
      await next.run('session.end', {})
      yield id
      await workspace.archive(next)
      yield next.id
    }
  }
  const names = (await all(looking.sessions())).map((each) => each.id)
  const copying = copyWorkspace(looking, await openWorkspace({ dir: temporaryFolder(), settings: SMALL }))
  expect([names, (await all(copying)).map((each) => each.session)]).toEqual([[session.id], [session.id]])
})

test('A1 who had a session open lists it among the archived when another process has put it away', async () => {
  const { dir, workspace, session } = await ended()
  const looking = await openWorkspace({ dir })
  await (await looking.session('build')).close()
  await workspace.archive(session)
  const found = await all((await looking.archived()).sessions())
  expect(found.map((each) => each.id)).toEqual([session.id])
})

test.each(['spool', 'remotes', 'carried', 'carried/transcripts', 'damaged/2026-01-01T00-00-00.000Z', 'names/n-x'])(
  'A2 what a killed writer left in %s is found, and what has its name stays',
  async (where) => {
    const { root, workspace, session } = await ended()
    const folder = path.join(/^(?:spool|names)/.test(where) ? root : path.join(root, 'sessions', session.id), where)
    fs.mkdirSync(folder, { recursive: true })
    for (const name of ['.origin.json.0123456789abcdef.tmp', 'origin.json'])
      fs.writeFileSync(path.join(folder, name), 'half')
    const left = (await (await workspace.kernel.log.attic?.())?.leftovers(0)) ?? []
    expect(left.map((each) => path.join(root, each.path))).toEqual([
      path.join(folder, '.origin.json.0123456789abcdef.tmp'),
    ])
  },
)

test('A2 what was left in this very millisecond is not of the future, though its time has fractions of one', async () => {
  const { root, workspace } = await ended()
  const file = path.join(root, '.x.0123456789abcdef.tmp')
  fs.writeFileSync(file, 'half')
  fs.utimesSync(file, 1_000_000_000.0009, 1_000_000_000.0009)
  expect(fs.statSync(file).mtimeMs % 1).toBeGreaterThan(0)
  vi.spyOn(Date, 'now').mockReturnValue(1_000_000_000_000)
  const attic = await workspace.kernel.log.attic?.()
  const [left] = (await attic?.leftovers(0)) ?? []
  expect(left?.path).toBe(path.relative(root, file))
  vi.restoreAllMocks()
})

test('A2 of two who take a blob away at once one has, and the other is told of no failure but its own', async () => {
  const { workspace, session } = await ended()
  const attic = await workspace.kernel.log.attic?.()
  const [blob] = (await attic?.blobs(session.id, 0)) ?? []
  if (attic === undefined || blob === undefined) throw new Error('there is one')
  const builtin = process.getBuiltinModule('node:fs')
  const met = async (code: string) => {
    const rename = vi.spyOn(builtin, 'renameSync').mockImplementationOnce(() => {
      throw Object.assign(new Error(code), { code })
    })
    syncBuiltinESMExports()
    const done = await attic.remove(blob, 0).catch((error: unknown) => error)
    rename.mockRestore()
    syncBuiltinESMExports()
    return done
  }
  expect(await met('ENOENT')).toBe(false)
  expect(await met('EROFS')).toMatchObject({ code: 'READ_ONLY' })
})

test('A2 what killed writers left is found when it is old; a blob goes unless somebody asked for it anew', async () => {
  const { root, workspace, session, hash } = await ended()
  const attic = await workspace.kernel.log.attic?.()
  if (attic === undefined) throw new Error('files have an attic')
  fs.writeFileSync(path.join(root, 'sessions', session.id, '.checkpoint.json.0123456789abcdef.tmp'), 'half')
  fs.mkdirSync(path.join(root, 'archive'))
  fs.mkdirSync(path.join(root, 'archive', '.x.0123456789abcdef.tmp'))
  await workspace.kernel.log.create('never-begun')
  expect(await attic.leftovers(60_000)).toEqual([])
  const left = await attic.leftovers(0)
  expect(left.map(({ bytes }) => bytes)).toEqual([0, 4, 0])
  for (const each of left) expect(await attic.remove(each, 0)).toBe(true)
  expect(await attic.leftovers(0)).toEqual([])

  const [blob] = await attic.blobs(session.id, 0)
  if (blob === undefined) throw new Error('there is one')
  expect(await attic.remove(blob, 60_000)).toBe(false)
  expect((await workspace.kernel.log.blobs?.get(session.id, hash))?.toString()).toBe('kept')
  expect(await attic.remove(blob, 0)).toBe(true)
  expect(await workspace.kernel.log.blobs?.get(session.id, hash)).toBeUndefined()
})

test('a session whose log was emptied is not begun anew by who opens it by its id', async () => {
  const root = temporaryFolder()
  const workspace = await openWorkspace({ dir: root })
  const session = await workspace.createSession({ name: 'emptied' })
  await workspace.close()
  const log = path.join(root, '.steadfold', 'sessions', session.id, 'log')
  for (const name of fs.readdirSync(log)) fs.rmSync(path.join(log, name))
  const fresh = await openWorkspace({ dir: root })
  await expect(fresh.session(session.id)).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
  expect(fs.readdirSync(log)).toEqual([])
})

test('a leftover that may not be looked into is told as that', async () => {
  const { root, workspace } = await ended()
  const left = temporaryName(path.join(root, 'archive'))
  fs.mkdirSync(left)
  fs.writeFileSync(path.join(left, 'part'), 'x')
  const attic = await workspace.kernel.log.attic?.()
  const guarded = (was: typeof fs.lstatSync) =>
    ((...args: Parameters<typeof was>) => {
      if (path.basename(String(args[0])) === 'part') throw failing('EACCES', 'lstat')
      return was(...args)
    }) as typeof was
  await instead('lstatSync', guarded, () => expect(attic?.leftovers(0)).rejects.toMatchObject({ code: 'READ_ONLY' }))
})
