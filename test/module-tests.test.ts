import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'

/** What is counted of a module. */
interface Count {
  readonly module: string
  readonly rules: number
  readonly tables: number
  readonly cells: number
  readonly lists: number
  readonly properties: number
  readonly unnamed: readonly string[]
}
const script = path.join(import.meta.dirname, '../scripts/module-tests.mjs')
// What the script prints with --json.
const counts = JSON.parse(execFileSync(process.execPath, [script, '--json'], { encoding: 'utf8' })) as readonly Count[]

test.each(counts)(
  '$module has numbered rules, each with a test of that name, over tables, lists or random input',
  (count) => {
    expect(count.rules).toBeGreaterThan(0)
    expect(count.unnamed).toEqual([])
    expect(count.tables + count.lists + count.properties).toBeGreaterThan(0)
  },
)

test('a table has a cell for each state and command', () => {
  const { tables, cells } = counts.find(({ module }) => module === 'steps') ?? { tables: 0, cells: 0 }
  // Six places, nine commands.
  expect([tables, cells]).toEqual([1, 54])
})
