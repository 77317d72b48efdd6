import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SEAT_STATES } from '../../src/domain/turns/events.ts'
import { TRANSITIONS } from '../../src/domain/turns/transitions.ts'

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'explanation', 'turns.md')

const rows = SEAT_STATES.flatMap((from) =>
  SEAT_STATES.flatMap((to) =>
    TRANSITIONS[from][to] === undefined ? [] : [`| ${from} | ${to} | ${TRANSITIONS[from][to]} |`],
  ),
)
const table = [
  '| from | to | when |',
  '| --- | --- | --- |',
  '| | IDLE | joins, and nobody has the turn |',
  '| | QUEUED | joins while somebody has the turn |',
  ...rows,
  '| any | | leaves |',
].join('\n')

/** DOCS=write puts the table into the page. */
if (process.env['DOCS'] === 'write') {
  const page = readFileSync(PAGE, 'utf8')
  writeFileSync(
    PAGE,
    page.replace(/<!-- table -->|\| from \| to \| when \|[^]*?(?=\n\n)/, () => table),
  )
}

test('the page has the transition table of the code', () => {
  expect(readFileSync(PAGE, 'utf8')).toContain(`\n${table}\n`)
})
