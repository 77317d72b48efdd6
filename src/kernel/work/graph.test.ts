import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findCycle, inOrder, leadsTo, longestChain, waves } from './graph.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const
const graphs = fc.tuple(
  ...NAMES.map((name) =>
    fc.record({
      name: fc.constant(name),
      needs: fc.subarray([...NAMES]),
      duration: fc.integer({ min: 0, max: 9 }),
    }),
  ),
)

test('a cycle is found exactly when not all fit into an order, and is a way from need to need', () => {
  fc.assert(
    fc.property(graphs, (tasks) => {
      const needs = new Map(tasks.map((task) => [task.name as string, task.needs as readonly string[]]))
      const cycle = findCycle(needs)
      expect(cycle === undefined).toBe(inOrder(tasks).length === tasks.length)
      if (cycle === undefined) return
      expect(cycle.at(0)).toBe(cycle.at(-1))
      for (const [i, name] of cycle.slice(0, -1).entries()) expect(needs.get(name)).toContain(cycle[i + 1])
    }),
  )
})

test('the longest chain is a way of needs, and no need makes a longer one', () => {
  fc.assert(
    fc.property(graphs, (all) => {
      const tasks = all.map((task, at) => ({ ...task, needs: task.needs.filter((need) => NAMES.indexOf(need) < at) }))
      const { duration, names } = longestChain(tasks)
      const of = new Map(tasks.map((task) => [task.name as string, task]))
      expect(names.reduce((sum, name) => sum + (of.get(name)?.duration ?? 0), 0)).toBe(duration)
      names.slice(1).forEach((name, i) => expect(of.get(name)?.needs).toContain(names[i]))
      const longest = (name: string): number => {
        const task = of.get(name)
        return (task?.duration ?? 0) + Math.max(0, ...(task?.needs ?? []).map(longest))
      }
      expect(duration).toBe(Math.max(...NAMES.map(longest)))
    }),
  )
})

test('a need is led to over others, and by nothing that is not on the way', () => {
  const needs: Readonly<Record<string, readonly string[]>> = { a: ['b'], b: ['c'], c: ['b'], d: [] }
  const of = (name: string) => needs[name] ?? []
  expect([leadsTo('a', 'c', of), leadsTo('c', 'a', of), leadsTo('a', 'd', of)]).toEqual([true, false, false])
  expect(
    waves([
      { name: 'x', needs: ['away'] },
      { name: 'y', needs: ['x'] },
    ]),
  ).toEqual([['x'], ['y']])
})

test('the longest chain of what takes no time is that of most', () => {
  const tasks = ['a', 'b', 'c'].map((name, at) => ({
    name,
    needs: at === 0 ? [] : [String.fromCharCode(96 + at)],
    duration: at === 0 ? 1 : 0,
  }))
  expect(longestChain(tasks)).toEqual({ duration: 1, names: ['a', 'b', 'c'] })
})
