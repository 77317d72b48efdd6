import { expect, test } from 'vitest'
import { EngineError } from '../error.ts'
import { inParts } from './in-parts.ts'

/** Takes parts up to a sum. */
async function parts(list: readonly number[], most: number, room = Infinity) {
  const taken: (readonly [at: number, part: readonly number[]])[] = []
  await inParts(list, most, async (part, at) => {
    if (part.reduce((sum, each) => sum + each, 0) > room) throw new EngineError('VALUE_TOO_LARGE', 'too large')
    taken.push([at, part])
  })
  return taken
}

test('everything comes once, in order, at most so many at a time', async () => {
  expect(await parts([], 2)).toEqual([])
  expect(await parts([1, 2, 3, 4, 5], 2)).toEqual([
    [0, [1, 2]],
    [2, [3, 4]],
    [4, [5]],
  ])
})

test('what is too large together is taken in smaller parts; what is too large alone is an error', async () => {
  expect(await parts([1, 1, 1, 5, 1, 1], 10, 5)).toEqual([
    [0, [1, 1, 1]],
    [3, [5]],
    [4, [1]],
    [5, [1]],
  ])
  await expect(parts([1, 9], 10, 5)).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
})

test('any other error ends it', async () => {
  const failing = inParts([1, 2], 2, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
})
