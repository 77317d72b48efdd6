import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chainOf, filesLog, sha256, together, type Line } from '../../../test/conformance/kit.ts'
import { START } from '../../kernel/log/chain.ts'
import type { Position } from '../../kernel/ports.ts'
import { FilesLog } from './files.ts'

const real = { fdatasyncSync: fs.fdatasyncSync, fsyncSync: fs.fsyncSync }
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
