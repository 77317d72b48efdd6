import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fit, type Column } from './fit.ts'
import { makePaint } from './paint.ts'
import { rowsText } from './rows.ts'
import { widthOf } from './text.ts'

const UUID = '01a20191-f9f5-7000-8cea-db4adb755af7'
const ALL: readonly Column[] = [
  { name: 'id' },
  { name: 'title', least: 8, rank: 1 },
  { name: 'at', rank: 3 },
  { name: 'count', right: true, rank: 2 },
]
const ROWS = [
  ['id', 'title', 'at', 'count'],
  [UUID, 'hash the passwords of everybody', '2m ago', '3'],
]

test('F2 all of it where there is room', () => {
  expect(fit(ROWS, ALL, 100)).toEqual({
    lines: [
      `id${' '.repeat(34)}  title                            at      count`,
      `${UUID}  hash the passwords of everybody  2m ago      3`,
    ],
    missing: [],
  })
})

test('F2 F3 the widest is made narrower, then the highest rank goes, and is told', () => {
  expect(fit(ROWS, ALL, 80).lines[1]).toBe(`${UUID}  hash the passwords of ever…  2m ago      3`)
  expect(fit(ROWS, ALL, 60)).toMatchObject({ missing: ['at'] })
  expect(fit(ROWS, ALL, 50)).toMatchObject({ missing: ['at', 'count'] })
  expect(fit(ROWS, ALL, 40)).toEqual({ lines: [`id`, UUID], missing: ['title', 'at', 'count'] })
})

test('F4 where there is no terminal all of it is shown, and a long cell moves only what stands behind it', () => {
  const long = 'x'.repeat(90)
  const rows = [...ROWS, ['task-1', long, '1h ago', '12'], ['task-2', 'short', '1h ago', '4']]
  const { lines, missing } = fit(rows, ALL, Infinity)
  expect(missing).toEqual([])
  expect(lines[2]).toBe(`task-1${' '.repeat(30)}  ${long}  1h ago     12`)
  expect(lines[3]).toBe(`task-2${' '.repeat(30)}  short                            1h ago      4`)
})

const cell = fc.stringMatching(/^[a-z]{0,40}$/)
const table = fc.record({
  rows: fc.array(fc.tuple(fc.uuid(), cell, cell, cell), { minLength: 1, maxLength: 6 }),
  width: fc.integer({ min: 1, max: 120 }),
})

describe('whatever is in the cells', () => {
  test('F1 a name is never cut, and nothing but names makes a line wider than asked', () => {
    fc.assert(
      fc.property(table, ({ rows, width }) => {
        const { lines } = fit(rows, ALL, width)
        lines.forEach((line, i) => expect(line.startsWith(rows[i]?.[0] ?? '')).toBe(true))
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(width, UUID.length))
      }),
    )
  })

  test('F3 a column is shown or told', () => {
    fc.assert(
      fc.property(table, ({ rows, width }) => {
        const head = ALL.map(({ name }) => name)
        const { lines, missing } = fit([head, ...rows], ALL, width)
        const shown = (lines[0] ?? '').split(/ +/)
        expect([...shown, ...missing].toSorted()).toEqual(head.toSorted())
      }),
    )
  })
})

test('F1 a list of eighty columns shows ids and states whole, and says what it leaves out', () => {
  const row = {
    id: 'task-1',
    title: 'hash the passwords of everybody who signs in from tomorrow on',
    type: 'feature',
    status: 'in_progress',
    ready: false,
    priority: 'medium',
    assignee: 'agent:engineering-fullstack',
    token: 12,
    lease_until: '2099-01-01T00:00:00.000Z',
    waits_for: [],
    epic_id: 'epic-1',
    sprint_id: null,
    attempts: 1,
    updated_at: '2026-01-01T00:00:00.000Z',
  }
  const text = rowsText({ paint: makePaint(false), io: { width: 80 }, now: Date.now }, [row]) ?? ''
  const [head = '', line = '', more] = text.split('\n')
  expect(head).toMatch(/^id +title +type +status +priority .*token/)
  expect(line).toMatch(/^task-1 .*in_progress .*12/)
  expect(Math.max(head.length, line.length)).toBeLessThanOrEqual(80)
  expect(more).toMatch(/^not shown: .*updated at; --json has all$/)
})

test('F1 a command that answers a row is shown whole: what is cut cannot be given', () => {
  const resume = 'cd /home/ana/src/app && claude --resume e320fd86-398a-4d76-875a-8a77b5149980'
  const row = { agent: 'claude', run: 'e320fd86', status: 'crashed', tool: 'Bash', tools: 12, tokens: 9000, resume }
  expect(rowsText({ paint: makePaint(false), io: { width: 80 }, now: Date.now }, [row])).toContain(resume)
})
