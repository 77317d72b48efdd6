import { expect, test } from 'vitest'
import { ranked } from './rank.ts'

const NAMES = ['Sessions', 'Show this map', 'build-session', 'Inbox']

test.each([
  ['', NAMES],
  ['se', ['Sessions', 'build-session']],
  ['map', ['Show this map']],
  ['ibx', ['Inbox']],
  ['zz', []],
])('%j finds %j', (typed, found) => {
  expect(ranked(NAMES, typed, (name) => name)).toEqual(found)
})
