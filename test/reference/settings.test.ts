import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DEFAULTS } from '../../src/kernel/kernel.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/settings.md'), 'utf8')

test('the page has every setting with its default, in their order', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.+?) \|/gm)].map(([, name, value]) => [name, value])
  const said = (value: unknown) =>
    typeof value === 'object' && !Array.isArray(value) ? 'see there' : `\`${JSON.stringify(value)}\``
  expect(rows).toEqual(Object.entries(DEFAULTS).map(([name, value]) => [name, said(value)]))
})
