import { expect, test } from 'vitest'
import { wordsOf } from './words.ts'

test('noun, verb, words and flags of a command', () => {
  expect(wordsOf('steadfold step release lint --session build')).toEqual({
    command: 'step release',
    rest: ['lint'],
    flags: { session: 'build' },
  })
})

test('a flag that is on or off takes no word', () => {
  expect(wordsOf('steadfold workflow retry --approve --session build')).toEqual({
    command: 'workflow retry',
    rest: [],
    flags: { approve: '', session: 'build' },
  })
})

test('a verb alone', () => {
  expect(wordsOf('steadfold recover build').command).toBe('recover')
})

test('words in quotes are one word, whatever is in them', () => {
  const { rest, flags } = wordsOf(`steadfold step release 'my step' --session 'it'\\''s --mine'`)
  expect(rest).toEqual(['my step'])
  expect(flags).toEqual({ session: `it's --mine` })
})
