import { expect, test } from 'vitest'
import { graphOf, type StateRow } from './graph.ts'

const row = (state: string, ...next: readonly string[]): StateRow => {
  const rest = { status: 'open', entered: 0, terminal: next.length === 0, mode: 'parallel', steps: 0 } as const
  return { state, next, ...rest }
}

test('moves forward go to the right', () => {
  const { nodes, edges } = graphOf([
    row('plan', 'build'),
    row('build', 'debug', 'done'),
    row('debug', 'build'),
    row('done'),
  ])
  expect(nodes.map(({ x }) => x)).toEqual(nodes.map(({ x }) => x).toSorted((a, b) => a - b))
  expect(edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
    'plan build',
    'build debug',
    'build done',
    'debug build',
  ])
})

test('nothing stands on something else', () => {
  const { nodes } = graphOf([row('a', 'b', 'c', 'd'), row('b', 'e'), row('c', 'e'), row('d', 'e'), row('e')])
  expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length)
})

test('circles, moves to itself and names that are not there are drawn without harm', () => {
  const { nodes, edges, width, height } = graphOf([row('a', 'a', 'b', 'nowhere'), row('b', 'a')])
  expect(nodes).toHaveLength(2)
  expect(edges).toHaveLength(3)
  for (const { path } of edges) expect(path).not.toContain('NaN')
  expect(width).toBeGreaterThan(0)
  expect(height).toBeGreaterThan(0)
})
