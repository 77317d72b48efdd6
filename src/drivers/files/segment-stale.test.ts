import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { chainOf, filesLog, line, together } from '../../../test/conformance/kit.ts'
import { instead } from '../../../test/power-cut.ts'
import { START } from '../../kernel/log/chain.ts'

/** What a writer reads, in bytes, who is told that others wrote what he has not seen. */
async function readBehind(theirs: (first: { readonly seq: number; readonly hash: string }) => readonly string[]) {
  const { log } = await filesLog()
  const answer = await log.append('s', together(...chainOf(1, START)), START, { durability: 'durable' })
  if (answer.kind === 'conflict') throw new Error('conflict')
  const first = answer.position
  const file = log.layout.segment('s', 1)
  fs.appendFileSync(file, theirs(first).join(''))
  const before = fs.readFileSync(file)
  let read = 0
  const counting = (was: typeof fs.readSync) =>
    ((...args: Parameters<typeof was>) => {
      const length = was(...args)
      read += length
      return length
    }) as typeof was
  await instead('readSync', counting, async () => {
    const ours = together(line(first.seq + 1, first.hash, 'ours'))
    expect((await log.append('s', ours, first, { durability: 'durable' })).kind).toBe('conflict')
  })
  expect(fs.readFileSync(file)).toEqual(before)
  await log.close()
  return read
}

test('L5 who is late writes nothing, and reads no more of what others wrote than tells it', async () => {
  expect(await readBehind((first) => chainOf(500, first).map((each) => each.line))).toBeLessThan(4096)
})

test('L5 nor does who finds one commit that is longer than that', async () => {
  expect(await readBehind(({ seq, hash }) => [line(seq + 1, hash, 'x'.repeat(100_000)).line])).toBeGreaterThan(100_000)
})
