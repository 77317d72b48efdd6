import { expect, test } from 'vitest'
import { operations } from '../../../compose/operations.ts'
import type { App } from '../context/app.ts'
import { makeTable } from '../table/commands.ts'
import { inputOf } from './words.ts'

const commands = await makeTable({ operations } as unknown as App).all()
const claim = commands.find(({ name }) => name === 'task claim')

const read = (ttl: string): unknown =>
  claim && inputOf(claim, { positionals: ['task-1'], flags: { 'ttl-ms': ttl } })['ttl_ms']

test.each([
  ['60s', 60_000],
  ['1000', 1000],
  ['250ms', 250],
  ['2h', 7_200_000],
  // The operation says what is wrong with it.
  ['-5', -5],
])('what an operation takes in milliseconds is a number of them, or a time: %s', (word, ms) => {
  expect(read(word)).toBe(ms)
})

test('what is neither is refused', () => {
  expect(() => read('soon')).toThrow(expect.objectContaining({ code: 'USAGE' }) as Error)
})
