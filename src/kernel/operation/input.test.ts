import { afterEach, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { accept } from '../decision.ts'
import { parseInput } from './input.ts'
import { writeOperation } from './operation.ts'

const operation = writeOperation({
  name: 'x.set',
  summary: 'Set x',
  input: () =>
    z.strictObject({
      name: z.string().check(z.minLength(1), z.maxLength(3)),
      count: z.optional(z.int().check(z.gte(1))),
      mode: z.optional(z.enum(['a', 'b'])),
      step: z.optional(z.union([z.string().check(z.minLength(1)), z.array(z.string())])),
      place: z.optional(z.union([z.enum(['start', 'end']), z.int().check(z.positive())])),
      either: z.optional(z.union([z.tuple([z.string()]), z.tuple([z.int()])])),
      code: z.optional(z.string().check(z.regex(/^[a-z]$/))),
      day: z.optional(z.iso.date()),
      max: z.optional(z.int().check(z.positive())),
      share: z.optional(z.number().check(z.positive(), z.lt(2))),
      pairs: z.optional(z.record(z.string().check(z.maxLength(1)), z.int().check(z.multipleOf(2)))),
    }),
  decide: () => accept(),
})

const WRONG = [
  [{}, 'x.set: name: is missing'],
  [{ name: 1 }, 'x.set: name: must be a string'],
  [{ name: '' }, 'x.set: name: must not be empty'],
  [{ name: 'long' }, 'x.set: name: must be at most 3 characters long'],
  [{ name: 'a', count: 0 }, 'x.set: count: must be at least 1'],
  [{ name: 'a', mode: 'c' }, 'x.set: mode: must be a or b'],
  [{ name: 'a', other: 1 }, 'x.set: does not know other'],
  [{ name: 'a', step: 1 }, 'x.set: step: must be a string or an array'],
  [{ name: 'a', step: '' }, 'x.set: step: must not be empty'],
  [{ name: 'a', step: ['a', 1] }, 'x.set: step: at 1: must be a string'],
  [{ name: 'a', place: 'x' }, 'x.set: place: must be start or end or a number'],
  [{ name: 'a', place: 0 }, 'x.set: place: must be above 0'],
  [{ name: 'a', either: [] }, 'x.set: either: has none of the forms that it may have'],
  [{ name: 'a', code: 'A' }, 'x.set: code: must match /^[a-z]$/'],
  [{ name: 'a', day: 'today' }, 'x.set: day: must be a date'],
  [{ name: 'a', max: 0 }, 'x.set: max: must be above 0'],
  [{ name: 'a', max: -1 }, 'x.set: max: must be above 0'],
  [{ name: 'a', share: 0 }, 'x.set: share: must be above 0'],
  [{ name: 'a', share: 2 }, 'x.set: share: must be below 2'],
  [{ name: 'a', pairs: 'a=2' }, 'x.set: pairs: must be an object such as {"name": …}'],
  [{ name: 'a', pairs: { aa: 2 } }, 'x.set: pairs.aa: is no name that may stand here'],
  [{ name: 'a', pairs: { a: 1 } }, 'x.set: pairs.a: must be a multiple of 2'],
] as const

const before = z.config().localeError
afterEach(() => void z.config({ localeError: before }))

test.each(WRONG)('input that does not fit says what would: %j', (input, message) => {
  expect(parseInput(operation, input)).toMatchObject({ ok: false, refusal: { code: 'INPUT_INVALID', message } })
})

test.each(WRONG)('and in the same words where somebody has loaded those of the library: %j', (input, message) => {
  z.config(z.locales.en())
  expect(parseInput(operation, input)).toMatchObject({ ok: false, refusal: { code: 'INPUT_INVALID', message } })
})

test('of many problems the message says ten and how many more there are, and the details have all', () => {
  const pairs = Object.fromEntries(Array.from({ length: 700 }, (_, n) => [String(n % 10) + String(n), 2]))
  const parsed = parseInput(operation, { name: 'a', pairs })
  const { message = '', details } = parsed.ok ? {} : parsed.refusal
  expect([message.split('; ').length, message.slice(-14)]).toEqual([11, '; and 690 more'])
  expect(details).toMatchObject({ issues: { length: 700 } })
})

test('a member that the operation does not know is refused with those that it knows', async () => {
  const session = await makeWorkspace(memoryKernel()).createSession({ name: 'test' })
  expect(await session.run('task.claim', { any: true, ttlms: 1000 })).toMatchObject({
    kind: 'refused',
    code: 'INPUT_INVALID',
    message: 'task.claim: it takes no "ttlms"',
    hint: expect.stringContaining('ttl_ms') as unknown,
  })
  expect(await session.run('state.set', { path: '$.data.x', value: 1, '$if-seq': 9 })).toMatchObject({
    code: 'INPUT_INVALID',
  })
  expect(await session.run('state.set', { path: '$.data.x', value: 1, note: undefined })).toMatchObject({ seq: 2 })
})

test('a value that may be anything has to be there all the same', () => {
  const put = writeOperation({
    name: 'x.put',
    summary: 'Put x',
    input: () => z.object({ value: z.unknown() }),
    decide: () => accept(),
  })
  expect(parseInput(put, {})).toMatchObject({ ok: false, refusal: { message: 'x.put: value: is missing' } })
  expect(parseInput(put, { value: null })).toMatchObject({ ok: true })
})
