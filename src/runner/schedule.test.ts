import fc from 'fast-check'
import { expect, test } from 'vitest'
import { waves } from '../kernel/work/graph.ts'
import { byPriority, remainingPaths, simulateSchedule, type Task } from './schedule.ts'

/** Needs point back, so there is no cycle. */
const graphs = fc
  .array(
    fc.record({
      duration: fc.integer({ min: 1, max: 60 }),
      back: fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 2 }),
    }),
    { minLength: 12, maxLength: 51 },
  )
  .map((nodes) =>
    nodes.map(({ duration, back }, at): Task => ({
      name: `s${at}`,
      duration,
      needs: [...new Set(back.map((distance) => at - distance).filter((need) => need >= 0))].map((need) => `s${need}`),
    })),
  )

const task = (name: string, duration: number, ...needs: string[]): Task => ({ name, duration, needs })

test('Q1 a step starts when its needs are done, not when its wave is', () => {
  const tasks = [task('slow', 10), task('quick', 1), task('after-quick', 10, 'quick')]
  expect(waves(tasks)).toEqual([['slow', 'quick'], ['after-quick']])
  expect(simulateSchedule(tasks, 2)).toBe(11)
})

test('Q2 the longest remaining path goes first', () => {
  const tasks = [task('lone', 5), task('head', 1), task('tail', 9, 'head')]
  expect(remainingPaths(tasks).get('head')).toBe(10)
  expect(byPriority(tasks)).toEqual(['head', 'tail', 'lone'])
})

test('a cycle never ends instead of hanging the simulation', () => {
  expect(simulateSchedule([task('a', 1, 'b'), task('b', 1, 'a')], 2)).toBe(Number.POSITIVE_INFINITY)
})

test('a schedule is never shorter than the bound, nor longer than twice it', () => {
  fc.assert(
    fc.property(graphs, fc.integer({ min: 1, max: 8 }), (tasks, workers) => {
      const ratio = simulateSchedule(tasks, workers) / lowerBound(tasks, workers)
      expect(ratio).toBeGreaterThan(0.999999)
      expect(ratio).toBeLessThan(2)
    }),
  )
})

test('S10 the median makespan of 400 random graphs is at most 1.05 of the bound', () => {
  const ratios = fc
    .sample(fc.tuple(graphs, fc.integer({ min: 4, max: 8 })), { numRuns: 400, seed: 10 })
    .map(([tasks, workers]) => simulateSchedule(tasks, workers) / lowerBound(tasks, workers))
    .toSorted((a, b) => a - b)
  expect(ratios[200]).toBeLessThanOrEqual(1.05)
})

/** No schedule is shorter: the longest chain, or all work shared evenly. */
function lowerBound(tasks: readonly Task[], workers: number): number {
  const longest = Math.max(0, ...remainingPaths(tasks).values())
  return Math.max(longest, tasks.reduce((sum, { duration }) => sum + duration, 0) / workers)
}

test.each([undefined, null, 5, {}, [{ id: 'a' }], [{ name: 'a', needs: 'b', duration: 1 }]])(
  '%j are no tasks to schedule',
  (tasks) => {
    const simulate = simulateSchedule as unknown as (...given: unknown[]) => number
    expect(() => simulate(tasks, 1)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }))
    expect(() => simulate([], '1')).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }))
  },
)
