import { expect, test } from 'vitest'
import { nearestOf } from './nearest.ts'

const names = ['lock.break', 'lock.release', 'state.set', 'state.merge', 'task.add', 'task.start', 'task.stop']

test.each([
  ['lock.brake', ['lock.break', 'lock.release']],
  ['state.get', ['state.set', 'state.merge']],
  ['TASK.ADD', []],
  ['', []],
  ['zzzz.yyyyyyyyyy', []],
])('%s: the nearest first, at most three, none that is hardly alike', (asked, near) => {
  expect(nearestOf(asked, names)).toEqual(near)
})
