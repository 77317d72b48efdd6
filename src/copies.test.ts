/* Two copies of the package in one process, as two installs bring: they share a folder as two processes do. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import * as ours from './index.ts'

vi.resetModules()
const theirs: typeof ours = await import('./index.ts')

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'steadfold-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const open = (copy: typeof ours) => copy.openWorkspace({ dir, settings: { checkpointBytes: 2000, checkpointMs: 0 } })

test('what both write, both have, and each knows the errors of the other', async () => {
  expect(theirs.EngineError).not.toBe(ours.EngineError)
  await using a = await open(ours)
  await using b = await open(theirs)
  const one = await a.createSession({ name: 'shared' })
  const other = await b.session('shared')
  const sessions = Array.from({ length: 100 }, (_, i) => [i, i % 2 === 0 ? one : other] as const)
  const answers = await Promise.all(
    sessions.map(([i, each]) => each.state.set({ path: `$.data.k${i}`, value: 'x'.repeat(100) })),
  )
  expect(new Set(answers.map((answer) => answer.kind === 'accepted' && answer.seq)).size).toBe(100)
  await Promise.all([one.refresh(), other.refresh()])
  expect(other.get('$.data')).toEqual(one.get('$.data'))
  expect(await one.lock.acquire({ resource: 'r' }, { actor: 'agent:a' })).toMatchObject({ kind: 'accepted' })
  expect(await other.lock.acquire({ resource: 'r' }, { actor: 'agent:b' })).toMatchObject({
    kind: 'refused',
    code: 'LEASE_HELD',
  })
  await expect(b.session('nobody')).rejects.toThrow(ours.EngineError)
})

test('what is of the other copy is told so: it was called a folder that there is none of, or no object', async () => {
  await using workspace = await open(theirs)
  await using own = await open(ours)
  const session = await workspace.createSession({ name: 'theirs' })
  const no = { code: 'INPUT_INVALID', message: expect.stringContaining('is of another copy of steadfold') }
  await expect(ours.serve(workspace)).rejects.toMatchObject(no)
  await expect(ours.openRunner(workspace)).rejects.toMatchObject(no)
  await expect(ours.retention.plan(workspace)).rejects.toMatchObject(no)
  await expect(ours.recovery.plan(session)).rejects.toMatchObject(no)
  await expect(own.fork(session, 'fork')).rejects.toMatchObject(no)
})

test('a workspace that nobody awaited is a promise, not one without a folder', async () => {
  const opening = open(ours)
  const given = opening as unknown as Awaited<typeof opening>
  const no = { code: 'INPUT_INVALID', message: expect.stringContaining('must be an open one, not a promise') }
  await expect(ours.serve(given)).rejects.toMatchObject(no)
  await expect(ours.openRunner(given)).rejects.toMatchObject(no)
  await (await opening).close()
})
