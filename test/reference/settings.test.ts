import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DEFAULTS } from '../../src/kernel/kernel.ts'

const root = join(import.meta.dirname, '../..')
const [page = '', environment = ''] = readFileSync(join(root, 'docs/reference/settings.md'), 'utf8').split(
  '## Environment',
)

test('the page has every setting with its default, in their order', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.+?) \|/gm)].map(([, name, value]) => [name, value])
  const said = (value: unknown) =>
    typeof value === 'object' && !Array.isArray(value) ? 'see there' : `\`${JSON.stringify(value)}\``
  expect(rows).toEqual(Object.entries(DEFAULTS).map(([name, value]) => [name, said(value)]))
})

/** Told where they belong: what processes that were begun by another find, of tests, and what `doctor` warns of. */
const ELSEWHERE = new Set([
  'NODE_EXTRA_CA_CERTS',
  'REVIEW_PACE_MS',
  'STEADFOLD_LOCK_OWNER',
  'STEADFOLD_RETRY_SCALE',
  'STEADFOLD_RUN',
  'STEADFOLD_STEP',
])

test('the page has every variable of the environment that is read, and no other', () => {
  const files = (readdirSync(join(root, 'src'), { recursive: true }) as string[]).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  )
  const sources = files.map((name) => readFileSync(join(root, 'src', name), 'utf8')).join('\n')
  const read = [
    ...sources.matchAll(/\b(?:env\[|(?:said|named|isSet)\((?='CI|'\w+_|'CLAUDECODE))'([A-Z][A-Z_]+)'/g),
  ].flatMap(([, name = '']) => name)
  const told = environment.split('\n').flatMap((row) => row.split('|')[1]?.match(/[A-Z][A-Z_]+(?=`)/g) ?? [])
  expect(read.filter((name) => !told.includes(name) && !ELSEWHERE.has(name))).toEqual([])
  expect(told.filter((name) => !sources.includes(`'${name}'`))).toEqual([])
})
