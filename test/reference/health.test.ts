/* What the page about health says of one session is what its document has. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { figuresOf } from '../../src/domain/observability/figures.ts'
import { THRESHOLDS } from '../../src/kernel/health.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/explanation/observability.md'), 'utf8')
const names = (text = '') => [...text.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name).toSorted()

test('the page has every figure with its limits', () => {
  const said = [...page.matchAll(/^\| `(\w+)`: .*\| ([\d,]+) \| ([\d,]+) \|$/gm)]
  const number = (text = '') => Number(text.replaceAll(',', ''))
  const rows = said.map(([, name, warning, critical]) => [
    name,
    { warning: number(warning), critical: number(critical) },
  ])
  expect(Object.fromEntries(rows)).toEqual(THRESHOLDS)
})

test('the page has the figures of one session', () => {
  const [, said] = /`observability\.health` in the document has[^:]*: ([^.]*)\./.exec(page) ?? []
  const figures = figuresOf({ state: {}, at: '', now: 0, log_bytes: 0, damaged: false })
  expect(names(said)).toEqual(figures.map(({ name }) => name).toSorted())
})
