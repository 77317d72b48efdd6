import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { Place, PROGRAM } from '../cli/binary.ts'
import { until } from '../until.ts'
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

test('a thread writes down what was taken of a small state, which is what the log says', async () => {
  const place = new Place()
  const { openWorkspace } = (await import(
    path.join(path.dirname(PROGRAM), 'index.js')
  )) as typeof import('../../src/index.ts')
  const workspace = await openWorkspace({ dir: place.dir, settings: { checkpointBytes: 2000, checkpointMs: 0 } })
  const { checkpoint } = workspace.kernel
  const made: { readonly taken: number | undefined; readonly bytes: number }[] = []
  let begun = 0
  Object.assign(workspace.kernel, {
    checkpoint: async (...args: Parameters<typeof checkpoint>) => {
      begun++
      const bytes = await checkpoint(...args)
      made.push({ taken: args[2]?.position.seq, bytes })
      return bytes
    },
  })
  const session = await workspace.createSession({ name: 'test' })
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let i = 0; i < 100; i++) {
      const value = { text: 'x'.repeat(50 + i), [`k${i % 7}`]: [i, 'ü', null] }
      await session.run('state.set', { path: `$.data.w${writer}.r${i % 9}`, value }, { key: `${writer} ${i}` })
    }
  })
  await Promise.all(writers)
  await until(() => begun > 0 && made.length === begun)
  const file = path.join(place.dir, '.steadfold/sessions', session.id, 'checkpoint.json')
  const { seq } = JSON.parse(fs.readFileSync(file, 'utf8')) as { readonly seq: number }
  expect(made.at(-1)).toEqual({ taken: seq, bytes: fs.statSync(file).size })
  // Folds the log from its beginning and compares.
  expect(place.data('verify', '--deep')).toMatchObject([{ ok: true, checkpoint: 'ok' }])
  await session.close()
  await workspace.close()
  place.remove()
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
