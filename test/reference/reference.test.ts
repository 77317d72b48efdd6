/* The reference says what the program does. GOLDEN=write makes it anew. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exitStatus } from '../../src/kernel/error.ts'
import { bounds } from './bounds.ts'
import { codesOf } from './codes.ts'
import { pages } from './pages.ts'

const folder = join(import.meta.dirname, '../../docs/reference')
const made = await pages()

if (process.env['GOLDEN'] === 'write') {
  mkdirSync(folder, { recursive: true })
  for (const name of generated()) rmSync(join(folder, name))
  for (const [name, text] of made) writeFileSync(join(folder, name), text)
}

test('there is a page for each noun, and no other', () => {
  expect(generated().toSorted()).toEqual([...made.keys()].toSorted())
})

test.each([...made])('docs/reference/%s is what the program says', (name, text) => {
  expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
})

test('help says of every word and flag what it is, not its name again', () => {
  const rows = [...made.values()].flatMap((text) => [...text.matchAll(/^\| `(-.*|[A-Z-]+)` \| .* \| (.*) \|$/gm)])
  const bare = rows.filter(([, words = '', said = '']) => {
    const name = /--([a-z-]+)/.exec(words)?.[1] ?? words
    return said.replace(' (needed)', '') === name.toLowerCase().replaceAll('-', ' ')
  })
  expect(bare.map(([row]) => row)).toEqual([])
  expect(rows.length).toBeGreaterThan(300)
})

test.each([
  [{ type: 'integer', minimum: 1, maximum: 10, default: 5 }, 'integer from 1 to 10; `5` when left out'],
  [{ type: 'integer', exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER }, 'integer from 1'],
  [{ type: 'number', exclusiveMinimum: 0, maximum: 24 }, 'number above 0, at most 24'],
  [{ type: 'number', exclusiveMinimum: 0 }, 'number above 0'],
  [{ type: 'number', minimum: 0, maximum: 1 }, 'number from 0 to 1'],
  [{ type: 'string', maxLength: 9, pattern: '^a' }, 'text up to 9 long as `^a`'],
  [{ type: 'array', items: { enum: ['a', 'b'] }, default: [] }, 'several: `a`, `b`'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'text or null'],
])('%j is said as %s', (schema, said) => {
  expect(bounds(schema)).toBe(said)
})

test.each([
  ['lock', [6, 7, 11]],
  ['task', [6, 11]],
  ['message', [6, 7, 11]],
  ['turn', [6, 11]],
  ['consent', [11]],
  ['handoff', [6, 11]],
  ['supervise', [6, 11]],
  ['chat', [4, 11]],
  ['state', [6]],
  ['teleport', [3, 6]],
  ['remote', [6]],
  ['commands', [3, 6, 7, 8, 9, 10, 11]],
] as const)('what steadfold %s usually answers is among its exit codes: %j', (noun, usual) => {
  const known = new Set(codesOf(noun).map((code) => exitStatus(code)))
  expect(usual.filter((status) => !known.has(status))).toEqual([])
})

test('what bundles are refused with is among the codes of whoever opens them', () => {
  const codes = ['BUNDLE_INVALID', 'BUNDLE_SEALED', 'DIVERGED', 'FILE_NOT_FOUND', 'SIGNER_UNKNOWN']
  for (const noun of ['bundle', 'teleport', 'commands']) expect(codesOf(noun)).toEqual(expect.arrayContaining(codes))
  expect(codesOf('key')).not.toContain('BUNDLE_INVALID')
})

/** Pages of surfaces that are not made of commands are written by hand: `http.md`. */
function generated(): readonly string[] {
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name), 'utf8').includes('test/reference'))
}
