import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { Place, PROGRAM } from '../cli/binary.ts'
import { scratch } from './rig/plan.ts'

test('the store knows of each checkpoint that a thread writes beside its callers, from its start to its end', async () => {
  // Only what was built has the program of that thread.
  const built = (await import(path.join(path.dirname(PROGRAM), 'index.js'))) as typeof import('../../src/index.ts')
  const settings = { checkpointBytes: 2_000_000, checkpointMs: 0 }
  const workspace = await built.openWorkspace({ dir: scratch('checkpoint-thread'), settings })
  const { checkpoints } = workspace.kernel.log
  const aside = checkpoints?.aside?.bind(checkpoints)
  if (checkpoints === undefined || aside === undefined) throw new Error('the files store has both')
  const made: Promise<unknown>[] = []
  Object.assign(checkpoints, {
    aside: (one: Promise<number>) => {
      made.push(one)
      return aside(one)
    },
  })
  const session = await workspace.createSession({ name: 'test' })
  for (let i = 0; i < 3; i++) await session.run('state.set', { path: `$.data.k${i}`, value: 'x'.repeat(1_000_000) })
  expect(made).toHaveLength(1)
  expect(await made[0]).toBeGreaterThan(1_000_000)
  await session.close()
  await workspace.close()
})

test('K3 a checkpoint that a thread made while a sync failed here is taken away: what it vouches for may be lost', async () => {
  const built = (await import(path.join(path.dirname(PROGRAM), 'index.js'))) as typeof import('../../src/index.ts')
  const dir = path.join(scratch('checkpoint-unsynced'), 'workspace')
  fs.mkdirSync(dir)
  const workspace = await built.openWorkspace({ dir, settings: { checkpointBytes: 100_000, checkpointMs: 0 } })
  const session = await workspace.createSession({ name: 'test', id: 's' })
  const made: Promise<unknown>[] = []
  const checkpoint = workspace.kernel.checkpoint
  Object.assign(workspace.kernel, {
    checkpoint: (...args: Parameters<typeof checkpoint>) => {
      const one = checkpoint(...args)
      made.push(one)
      return one
    },
  })
  const { fdatasync, fdatasyncSync } = fs
  const set = (value: string) => session.run('state.set', { path: '$.data.k', value })
  await set('x'.repeat(1_000_000))
  const eio = Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'fdatasync' })
  const later: unknown = (_fd: number, done: fs.NoParamCallback) => setImmediate(done, eio)
  const atOnce = () => {
    throw eio
  }
  Object.assign(fs, { fdatasync: later, fdatasyncSync: atOnce })
  syncBuiltinESMExports()
  try {
    await expect(set('y')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  } finally {
    Object.assign(fs, { fdatasync, fdatasyncSync })
    syncBuiltinESMExports()
  }
  expect(made).toHaveLength(1)
  expect(await made[0]).toBe(0)
  await workspace.close()
  expect(fs.existsSync(path.join(dir, '.steadfold/sessions/s/checkpoint.json'))).toBe(false)
})

test('that the last checkpoint is damaged is told once by the command that makes another', () => {
  const place = new Place()
  place.run('session', 'create', 'main')
  const { id } = place.data<{ readonly id: string }>('session', 'show')
  place.file('big.txt', 'x'.repeat(700_000))
  for (const name of ['a', 'b']) place.run('state', 'set', `data.${name}`, '--file', 'big.txt')
  const checkpoint = path.join(place.dir, '.steadfold/sessions', id, 'checkpoint.json')
  fs.writeFileSync(checkpoint, 'damaged')
  const { status, err } = place.run('state', 'set', 'data.a', '1')
  expect([status, err.match(/it is damaged/g)]).toEqual([0, ['it is damaged']])
  expect(fs.readFileSync(checkpoint, 'utf8')).not.toBe('damaged')
  expect(place.run('state', 'set', 'data.a', '2').err).toBe('')
  place.remove()
})
