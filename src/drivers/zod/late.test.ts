import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ZodMiniType } from 'zod/mini'
import { lateSchemas } from './late.ts'
import * as zod from './zod.ts'

type Zod = typeof zod
/** How a schema is written, by either. */
type Written = (z: Zod) => ZodMiniType

/** The builders, and how often zod itself was asked for. */
function begin() {
  const asked = { count: 0 }
  const load = () => {
    asked.count++
    return zod
  }
  // Same names, same calls: that is what is tested.
  return { late: lateSchemas(Object.keys(zod), load) as unknown as Zod, asked }
}

const SCALARS: readonly (string | number | boolean | null)[] = ['', 'a', 'abc', 'abcdef', 0, 1, -1, 2.5, 7, true, null]
const ODD = [undefined, NaN, Infinity, -0, 2 ** 53, new Date(0), Object.create(null), new Map(), [], {}, ['a', 1]]
const KEYS = ['a', 'b', 'c'] as const

const { written } = fc.letrec<{ readonly leaf: Written; readonly written: Written }>((tie) => ({
  leaf: fc.oneof(
    fc.tuple(fc.nat(3), fc.nat(5)).map(
      ([least, most]): Written =>
        (z) =>
          z.string().check(z.minLength(least), z.maxLength(most)),
    ),
    fc.tuple(fc.integer({ min: -2, max: 2 }), fc.nat(5)).map(
      ([least, most]): Written =>
        (z) =>
          z.number().check(z.minimum(least), z.maximum(most)),
    ),
    fc.constantFrom<Written>(
      (z) => z.string(),
      (z) => z.string().check(z.regex(/^[a-c]+$/)),
      (z) => z.string().check(z.refine((text) => text.length !== 1)),
      (z) => z.int().check(z.positive()),
      (z) => z.int().check(z.nonnegative(), z.multipleOf(2)),
      (z) => z.boolean(),
      (z) => z.unknown(),
      (z) => z.enum(['a', 'abc']),
      (z) => z.literal('a'),
      (z) => z.iso.date(),
      (z) =>
        z._default(
          z.pipe(
            z.string(),
            z.transform((text: string) => text[1]),
          ),
          'none',
        ),
      (z) =>
        z.array(
          z.pipe(
            z.string(),
            z.transform((...all: readonly [string, ...unknown[]]) => all.length),
          ),
        ),
      (z) =>
        z
          .string()
          .check((payload) => void (payload.value === 'a' && payload.issues.push({ code: 'custom', input: 'a' }))),
      (z) => z.union([z.string(), z._default(z.number(), 1)]),
      (z) => z.record(z.string(), z.number()),
      (z) =>
        z.pipe(
          z._default(z.string(), 'a'),
          z.transform((text: string) => `${text}!`),
        ),
    ),
  ),
  written: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    fc.tuple(tie('written'), fc.constantFrom('optional', 'nullable', 'array', 'exactOptional')).map(
      ([inner, around]): Written =>
        (z) =>
          z[around](inner(z)),
    ),
    fc.tuple(tie('written'), fc.constantFrom(...SCALARS, [])).map(
      ([inner, value]): Written =>
        (z) =>
          z._default(inner(z), value),
    ),
    fc.dictionary(fc.constantFrom(...KEYS), tie('written')).map(
      (shape): Written =>
        (z) =>
          z.object(Object.fromEntries(Object.entries(shape).map(([key, inner]) => [key, inner(z)]))),
    ),
  ),
}))

const { input } = fc.letrec<{ readonly input: unknown }>((tie) => ({
  input: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(...SCALARS, ...ODD),
    fc.array(tie('input'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS, 'other'), tie('input')),
  ),
}))

test('V1 it takes what zod takes, as zod gives it, and refuses what zod refuses', () => {
  let [taken, refused] = [0, 0]
  const agrees = (write: Written, given: unknown) => {
    const { late, asked } = begin()
    const [ours, theirs] = [write(late).safeParse(given), write(zod).safeParse(given)]
    expect(ours.success).toBe(theirs.success)
    if (theirs.success) expect(ours.data).toStrictEqual(theirs.data)
    else expect(ours.error?.issues).toStrictEqual(theirs.error.issues)
    if (asked.count === 0) taken++
    else if (!theirs.success) refused++
  }
  fc.assert(fc.property(written, input, agrees), { numRuns: 6000 })
  expect(taken).toBeGreaterThan(200)
  expect(refused).toBeGreaterThan(300)
})

test('what is plainly right is taken without zod, and that a member is missing is told by zod', () => {
  const { late, asked } = begin()
  const write: Written = (z) =>
    z.object({
      path: z.string().check(z.minLength(1)),
      value: z.unknown(),
      of: z.optional(z.record(z.string(), z.int())),
    })
  const schema = write(late)
  expect(schema.safeParse({ path: '$.a', value: [1] })).toEqual({ success: true, data: { path: '$.a', value: [1] } })
  expect(asked.count).toBe(0)
  expect(schema.safeParse({ value: 1 }).error?.issues).toMatchObject([{ path: ['path'] }])
  expect(asked.count).toBeGreaterThan(0)
  expect(schema.safeParse({ path: '' }, { error: () => 'no' }).error?.issues[0]?.message).toBe('no')
})

test('an input with members of its own kind, or inherited ones, is left to zod', () => {
  class Own {
    a = 'a'
  }
  for (const given of [Object.create({ a: 'a' }), new Own()]) {
    const { late, asked } = begin()
    expect(late.object({ a: late.string() }).safeParse(given)).toEqual(zod.object({ a: zod.string() }).safeParse(given))
    expect(asked.count).toBeGreaterThan(0)
  }
})
