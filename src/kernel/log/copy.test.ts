import { expect, test } from 'vitest'
import { chainOf, overriding, together } from '../../../test/conformance/kit.ts'
import { memoryKernel } from '../../compose.ts'
import { EngineError } from '../error.ts'
import type { Log } from '../ports.ts'
import { START } from './chain.ts'
import { copyLog } from './copy.ts'

/** Of a log that takes one line of several, as where a write is cut short. */
function takingOne(log: Log, next: () => void): Log {
  return overriding(log, {
    append: async (id, { lines, bytes }, after, how) => {
      if (lines[0]?.seq !== 1) next()
      return log.append(id, { lines: lines.slice(0, 1), bytes: bytes.subarray(0, lines[0]?.end) }, after, how)
    },
  })
}

test('of a copy that is taken in parts the rest follows, and what keeps it out is told', async () => {
  const { log, host } = memoryKernel({ checkpoints: false })
  const lines = chainOf(3, START)
  for (const id of ['from', 'to', 'full']) await log.create(id)
  await log.append('from', together(...lines), START, { durability: 'durable' })
  const all = await copyLog({ log: takingOne(log, () => undefined), host }, 'from', 'to', 3)
  expect(all).toMatchObject({ seq: 3, hash: lines.at(-1)?.hash })
  const full = new EngineError('FILE_TOO_LARGE', 'it does not fit')
  const keepingOut = () => {
    throw full
  }
  await expect(copyLog({ log: takingOne(log, keepingOut), host }, 'from', 'full', 3)).rejects.toBe(full)
})
