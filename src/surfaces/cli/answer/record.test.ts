import { expect, test } from 'vitest'
import { makePaint } from '../show/paint.ts'
import { rowsText } from '../show/rows.ts'
import { recordText, whyText } from './record.ts'

const page = { paint: makePaint(false), io: { width: 60 }, now: Date.now }

test('a record is a line a member, then what is nested, and nothing of what is empty', () => {
  const value = {
    id: 'task-1',
    waits_for: ['a', 'b'],
    none: null,
    no: [],
    context: { team: 'core' },
    edges: [{ from: 'a', to: 'b' }],
  }
  expect(recordText(page, value)).toBe(
    ['id         task-1', 'waits for  a, b', 'context', '  team  core', 'edges', '  from  to', '  a     b'].join('\n'),
  )
  expect(recordText(page, { a: null, b: {} })).toBe('nothing')
  expect(recordText(page, { hour: { from: 1_795_346_500_000 } })).toBe('hour\n  from  2026-11-22T11:21:40.000Z')
  expect(recordText(page, 'text')).toBeUndefined()
})

test('what agents wrote does not steer the terminal', () => {
  expect(recordText(page, { title: '\x1b[2J', 'a\nb': 1 })).toBe('title  \\e[2J\na\\nb   1')
})

test('a text of several lines is shown whole, below its name', () => {
  const story = `turn 1 went to ${'coder, '.repeat(12)}qa\n  coder: \x1b[2Jdone`
  expect(recordText(page, { story, id: 'a' })).toBe(
    `id  a\nstory\n  turn 1 went to ${'coder, '.repeat(12)}qa\n    coder: \\e[2Jdone`,
  )
})

test('a list shows the members that were asked for, in that order', () => {
  const rows = [{ id: 'x', b: 2, a: 'one' }]
  expect(rowsText(page, rows, ['a', 'id', 'missing'])).toBe('a    id\none  x')
})

test('why is one sentence, then the chain', () => {
  const chain = [
    { depth: 0, id: 'task-2', title: 'test', why: 'waits', next: null },
    { depth: 1, id: 'task-1', title: 'hash', why: 'is blocked', next: 'steadfold task unblock task-1' },
  ]
  expect(whyText({ ...page, kept: (text) => text }, { because: 'task-2 waits', chain })).toBe(
    [
      'task-2 waits',
      '  task-2    test  waits',
      '    task-1  hash  is blocked',
      'next: steadfold task unblock task-1',
    ].join('\n'),
  )
})
