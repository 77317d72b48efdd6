import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { filesLog, line, together } from '../../../test/conformance/kit.ts'
import { START } from '../../kernel/log/chain.ts'

test('who reads a long log lets others have their turn', async () => {
  const { log } = await filesLog()
  let position = START
  for (let seq = 1; seq <= 4; seq++) {
    const answer = await log.append('s', together(line(seq, position.hash, { text: 'x'.repeat(200_000) })), position, {
      durability: 'relaxed',
    })
    if (answer.kind === 'appended') position = answer.position
  }
  let turns = 0
  const count = () => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  let chunks = 0
  for await (const chunk of log.read('s', START)) chunks += Math.sign(chunk.bytes.length)
  clearImmediate(timer)
  await log.close()
  expect(chunks).toBeGreaterThan(1)
  expect(turns).toBeGreaterThanOrEqual(chunks - 1)
})

test('whether a commit stands where nothing can be read is told as a failure of the store, with the next step', async () => {
  const { log } = await filesLog()
  // No owner may read a folder as a file.
  fs.mkdirSync(log.layout.segment('s', 1))
  await expect(log.stands('s', { ...START, seq: 1, offset: 2 })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    hint: 'a folder stands where a file of the workspace belongs; move it away',
    details: { errno: 'EISDIR' },
  })
})
