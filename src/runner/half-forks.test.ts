import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { drivers, startServers } from '../../test/conformance/drivers.ts'
import { overriding, temporaryFolder } from '../../test/conformance/kit.ts'
import { workspaceOn } from '../../test/stores/writers.ts'
import { retention } from '../care.ts'
import { filesKernel, makeWorkspace } from '../compose.ts'
import { halfForks } from './half-forks.ts'

let stopServers: () => Promise<void>
beforeAll(async () => {
  stopServers = await startServers()
})
afterAll(() => stopServers())

const HOUR_MS = 3_600_000
const cleaned = drivers.filter(({ name }) => name === 'files' || name === 'postgres')

/** A fork whose maker is killed behind the history that is shared. */
async function begin(open: (typeof drivers)[number]['open']) {
  const log = await open()
  const workspace = workspaceOn(log)
  const session = await workspace.createSession({ name: 'build' })
  await session.run('state.set', { path: '$.data.a', value: 1 })
  const killed = workspaceOn(
    overriding(log, {
      append: (id, batch, after, options) => {
        if (after.seq === 2) throw new Error('killed')
        return log.append(id, batch, after, options)
      },
    }),
  )
  await expect(killed.fork(await killed.session('build'), 'other')).rejects.toThrow('killed')
  const ids: string[] = []
  for await (const id of log.list()) if (id !== session.id) ids.push(id)
  const [half = ''] = ids
  return { log, workspace, session, half, begun: new Set([session.id]) }
}

test.each(cleaned)('G5 a half-made fork goes when nobody has written to it for an hour, on $name', async ({ open }) => {
  const { log, workspace, half, begun } = await begin(open)
  expect((await retention.plan(workspace)).steps).toEqual([])
  expect(await halfForks(workspace, begun, HOUR_MS)).toEqual([])
  const [left] = await halfForks(workspace, begun, 0)
  expect(left?.path).toContain(half)
  expect(left?.bytes).toBeGreaterThan(0)
  const attic = await log.attic?.()
  // Somebody has gone on with it since.
  expect(left && (await attic?.remove(left, HOUR_MS))).toBe(false)
  expect(await log.exists(half)).toBe(true)
  expect(left && (await attic?.remove(left, 0))).toBe(true)
  expect([await halfForks(workspaceOn(log), begun, 0), (await workspace.session('build')).seq]).toEqual([[], 2])
})

test.each(cleaned)('G5 what stands nowhere else stays, and so does a fork that began, on $name', async ({ open }) => {
  const { workspace, session, half, begun } = await begin(open)
  const fork = await workspace.fork(session, 'other')
  expect((await halfForks(workspace, begun, 0)).map(({ path }) => path)).toEqual([expect.stringContaining(half)])
  expect(fork.get('$.session.name')).toBe('other')
  await session.run('session.end', {})
  await workspace.archive(session)
  expect(await halfForks(workspace, new Set(), 0)).toEqual([])
})

test('G5 what gc plans of half-made forks it takes away', async () => {
  const [files] = cleaned
  if (files === undefined) throw new Error('there is one')
  const { log, workspace, half } = await begin(files.open)
  const now = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 2 * HOUR_MS)
  const plan = await retention.plan(workspace)
  expect(plan.steps).toMatchObject([{ kind: 'remove', session: null, what: 'half-made fork', items: [{}] }])
  expect(await retention.carryOut(workspace, plan)).toEqual(plan.steps.map((step) => ({ step })))
  vi.restoreAllMocks()
  expect(await workspaceOn(log).kernel.log.exists(half)).toBe(false)
})

const inFiles = (dir: string) => begin(async () => filesKernel(dir).log)
const logOf = (dir: string, id: string) => path.join(dir, 'sessions', id, 'log', `${'1'.padStart(20, '0')}.jsonl`)

test('G5 a half-made fork stays where its origin tells otherwise, or is damaged', async () => {
  const [dir, there] = [temporaryFolder(), temporaryFolder()]
  const { half, session, workspace, begun } = await inFiles(dir)
  const other = makeWorkspace(filesKernel(there))
  const again = await other.createSession({ id: session.id, name: 'build' })
  await again.run('state.set', { path: '$.data.a', value: 2 })
  fs.cpSync(path.join(dir, 'sessions', half), path.join(there, 'sessions', half), { recursive: true })
  expect(await halfForks(other, begun, 0)).toEqual([])
  expect(await halfForks(workspace, begun, 0)).toHaveLength(1)
  const log = logOf(dir, session.id)
  fs.writeFileSync(log, fs.readFileSync(log, 'utf8').replace('"build"', '"bulid"'))
  expect(await halfForks(makeWorkspace(filesKernel(dir)), begun, 0)).toEqual([])
})

test('G5 a half-made fork is as old as what was last written to it', async () => {
  const dir = temporaryFolder()
  const { half, workspace, begun } = await inFiles(dir)
  const now = Date.now.bind(Date)
  const later = vi.spyOn(Date, 'now').mockImplementation(() => now() + 2 * HOUR_MS)
  expect(await halfForks(workspace, begun, HOUR_MS)).toHaveLength(1)
  const soon = new Date(now() + 2 * HOUR_MS)
  fs.utimesSync(logOf(dir, half), soon, soon)
  expect(await halfForks(workspace, begun, HOUR_MS)).toEqual([])
  later.mockRestore()
})

test('G5 a fork that is under way, in whose folder files come and go, is passed over', async () => {
  const dir = temporaryFolder()
  const { half, workspace, begun } = await inFiles(dir)
  const coming = `const fs = require('fs'); for (;;) { fs.writeFileSync('a', ''); fs.unlinkSync('a') }`
  const writer = spawn(process.execPath, ['-e', coming], { cwd: path.join(dir, 'sessions', half) })
  onTestFinished(() => void writer.kill())
  const attic = await workspace.kernel.log.attic?.()
  const ends = Date.now() + 2000
  while (Date.now() < ends) expect(await attic?.half?.(half, HOUR_MS)).toEqual([])
  expect(await halfForks(workspace, begun, HOUR_MS)).toEqual([])
})

test('G5 a fork that goes on after its half-made session was taken away says so, and begins anew', async () => {
  const dir = temporaryFolder()
  const { log } = filesKernel(dir)
  const workspace = workspaceOn(log)
  const session = await workspace.createSession({ name: 'build' })
  for (const value of ['x'.repeat(300_000), 1]) await session.run('state.set', { path: '$.data.a', value })
  const stopped = workspaceOn(
    overriding(log, {
      append: (id, batch, after, options) => {
        if (id !== session.id && after.seq > 0)
          fs.rmSync(path.join(dir, 'sessions', id), { recursive: true, force: true })
        return log.append(id, batch, after, options)
      },
    }),
  )
  const from = await stopped.session('build')
  await expect(stopped.fork(from, 'other')).rejects.toMatchObject({
    code: 'CONFLICT',
    hint: 'the same again begins it anew',
  })
  expect((await workspace.fork(session, 'other')).get('$.session.name')).toBe('other')
})
