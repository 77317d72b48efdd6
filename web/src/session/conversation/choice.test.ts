import { expect, test } from 'vitest'
import { choicesIn, chosenOf, type ConversationRow } from './choice.ts'

const row = (id: string, more: Partial<ConversationRow> = {}): ConversationRow => ({
  id,
  title: id,
  messages: 1,
  archived: false,
  merged_into: null,
  ...more,
})

const ROWS = [row('away', { archived: true }), row('part', { merged_into: 'kept' }), row('kept'), row('other')]

test('all can be chosen, those that were put away among them, and what was merged once', () => {
  expect(choicesIn(ROWS).map(({ id }) => id)).toEqual(['away', 'kept', 'other'])
})

test.each([
  [undefined, 'kept'],
  ['other', 'other'],
  ['away', 'away'],
  ['part', 'kept'],
  ['gone', undefined],
])('%s in the address shows %s', (named, shown) => {
  expect(chosenOf(ROWS, named)?.id).toBe(shown)
})

test('where all were put away the last of them is shown', () => {
  expect(chosenOf(ROWS.slice(0, 1), undefined)?.id).toBe('away')
  expect(chosenOf([], undefined)).toBeUndefined()
})
