import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chainOf, filesLog, sha256, together, type Line } from '../../../test/conformance/kit.ts'
import { START } from '../../kernel/log/chain.ts'
import type { Position } from '../../kernel/ports.ts'
import { FilesLog } from './files.ts'

const real = { fdatasyncSync: fs.fdatasyncSync, fdatasync: fs.fdatasync, fsyncSync: fs.fsyncSync }
let root: string
let log: FilesLog

beforeEach(async () => {
  ;({ root, log } = await filesLog())
})

afterEach(async () => {
  replace(real)
  await log.close()
})

function replace(methods: Partial<typeof fs>): void {
  Object.assign(fs, methods)
  syncBuiltinESMExports()
}

const failing = (syscall: string) => () => {
  throw Object.assign(new Error('EIO'), { code: 'EIO', syscall })
}

async function append(to: FilesLog, lines: readonly Line[], after: Position): Promise<Position> {
  const answer = await to.append('s', together(...lines), after, { durability: 'durable' })
  if (answer.kind === 'conflict') throw new Error('conflict')
  await answer.durable
  return answer.position
}

test('F2 a workspace that is opened again, or was open beside, vouches for nothing behind a failed sync', async () => {
  const beside = new FilesLog(root, sha256)
  const first = await append(log, chainOf(1, START), START)
  await beside.sync('s')
  replace({ fdatasyncSync: failing('fdatasync') })
  await expect(append(log, chainOf(1, first), first)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  replace(real)
  await log.close()
  for (const other of [beside, new FilesLog(root, sha256)]) {
    await expect(other.sync('s')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await expect(append(other, chainOf(1, first), first)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await other.close()
  }
})

test('F2 nor does it make a session whose folder could not be synced', async () => {
  replace({ fsyncSync: failing('fsync') })
  await expect(log.create('new')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  replace(real)
  await expect(new FilesLog(root, sha256).create('new')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
})

async function appendFollowed(lines: number, after: Position) {
  const batch = together(...chainOf(lines, after))
  const answer = await log.append('s', batch, after, { durability: 'durable', isFollowed: true })
  if (answer.kind === 'conflict') throw new Error('conflict')
  return answer
}

test('L5 a batch that is followed leaves this thread to the next one, which is not durable before it', async () => {
  const begun: fs.NoParamCallback[] = []
  replace({
    fdatasyncSync: failing('fdatasync'),
    fdatasync: Object.assign((_fd: number, done: fs.NoParamCallback) => void begun.push(done), fs.fdatasync),
  })
  const followed = await appendFollowed(2, START)
  const next = append(log, chainOf(1, followed.position), followed.position)
  await new Promise(setImmediate)
  expect(begun.length).toBe(1)
  begun[0]?.(Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'fdatasync' }))
  await expect(followed.durable).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  await expect(next).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  expect(begun.length).toBe(1)
})

test('how long those took tells nothing of the disk: this thread did something else', async () => {
  const late = (fd: number, done: fs.NoParamCallback) => real.fdatasync(fd, (error) => setTimeout(done, 3, error))
  replace({ fdatasync: Object.assign(late, fs.fdatasync) })
  let position = START
  for (let i = 0; i < 6; i++) {
    const answer = await appendFollowed(1, position)
    await answer.durable
    position = answer.position
  }
  const next = await log.append('s', together(...chainOf(1, position)), position, { durability: 'durable' })
  expect(next).toMatchObject({ kind: 'appended', durable: undefined })
})
