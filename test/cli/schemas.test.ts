/* V1 of the programs as they are shipped: each has late schemas of its own, and some are given those of another. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as path from 'node:path'
import { Script } from 'node:vm'
import { expect, test } from 'vitest'
import { operations } from '../../src/compose/operations.ts'
import { parseInput } from '../../src/kernel/operation/input.ts'
import type { Operation } from '../../src/kernel/operation/operation.ts'

const DIST = path.join(import.meta.dirname, '../../dist')
const require = createRequire(import.meta.url)
const loaded = new Map<string, Readonly<Record<string, unknown>>>()

/** As src/main.ts loads them. */
function load(name: string): Readonly<Record<string, unknown>> {
  if (!name.endsWith('.cjs')) return require(name) as Readonly<Record<string, unknown>>
  const known = loaded.get(name)
  if (known !== undefined) return known
  const file = path.join(DIST, name)
  const module = { exports: {} }
  const program = new Script(readFileSync(file, 'latin1'), { filename: file }).runInThisContext() as (
    ...given: readonly unknown[]
  ) => void
  program(module.exports, load, module, file, DIST)
  loaded.set(name, module.exports)
  return module.exports
}

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'input' in value && 'name' in value

/** Lists of operations of all hot programs; those that a function makes are left out. */
const shipped = readdirSync(DIST)
  .filter((name) => /^hot-(?!module|postgres|nats).*\.cjs$/.test(name))
  .flatMap((name) => Object.values(load(`./${name}`)))
  .flatMap((list) => (Array.isArray(list) ? (list as readonly unknown[]).filter(isOperation) : []))

const VALUES = [
  '',
  'a',
  '$.data.a',
  'agent:a',
  'a\nb',
  '2026-01-01',
  '2026-01-01T00:00:00.000Z',
  0,
  1,
  -1,
  2.5,
  100_000,
  true,
  null,
  [],
  ['a'],
  [1],
  {},
  { a: 1 },
  { pid: 'x' },
  [{ id: 'a' }],
]

/** Nothing, and each value at one member and at all of them. */
function* inputs(keys: readonly string[]): Generator<unknown> {
  yield {}
  yield undefined
  for (const value of VALUES) {
    yield value
    yield Object.fromEntries(keys.map((key) => [key, value]))
    for (const key of keys) {
      yield { [key]: value }
      yield { ...Object.fromEntries(keys.map((each) => [each, 'a'])), [key]: value }
    }
  }
}

test('what a short command is asked is answered as by the library', async () => {
  let [taken, refused] = [0, 0]
  for (const operation of shipped) {
    const own = await operations.get(operation.name)
    if (own === undefined) throw new Error(`no ${operation.name}`)
    for (const input of inputs(Object.keys(own.input.shape))) {
      const expected = parseInput(own, input)
      expect([operation.name, input, parseInput(operation, input)]).toStrictEqual([operation.name, input, expected])
      if (expected.ok) taken++
      else refused++
    }
  }
  expect(shipped.length).toBeGreaterThan(150)
  expect(taken).toBeGreaterThan(1000)
  expect(refused).toBeGreaterThan(1000)
})
