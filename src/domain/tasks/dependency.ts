/* What waits for what: edges, circles and the weakest edge. K5, K6 of tasks.ts. */
import type { Tree } from '../../kernel/state/module.ts'
import type { Edge, EdgeType, Task, TaskIndex, TasksSlice } from './events.ts'
import { orderOf } from './ready.ts'
import { indexOf, isMet, taskOf, tasksOf } from './tasks.ts'

/** An edge, as `waiting` waits for `source`. */
export interface Link extends Edge {
  readonly source: string
  readonly waiting: string
}

const NODE = /^(agent|resource):[\w.-]+$/

/** Whether it names something outside that tasks can wait for. */
export const isNode = (name: string): boolean => NODE.test(name)

/** As it was written down: `a blocks b`, `b requires a`. */
export const sayLink = ({ source, waiting, type }: Pick<Link, 'source' | 'waiting' | 'type'>): string =>
  type === 'requires' ? `${waiting} requires ${source}` : `${source} ${type} ${waiting}`

/** In the order of the words of `sayLink`. */
export const endsOf = ({ source, waiting, type }: Pick<Link, 'source' | 'waiting' | 'type'>) =>
  type === 'requires' ? { from: waiting, to: source } : { from: source, to: waiting }

export function linksInto(index: TaskIndex | undefined, waiting: string): readonly Link[] {
  const edges = index !== undefined && Object.hasOwn(index.edges, waiting) ? index.edges[waiting] : undefined
  return Object.entries(edges ?? {}).map(([source, edge]) => ({ source, waiting, ...edge }))
}

export const allLinks = (index: TaskIndex | undefined): readonly Link[] =>
  Object.keys(index?.edges ?? {}).flatMap((waiting) => linksInto(index, waiting))

/** The edge between two, in whichever order they are named. */
export function linkBetween(index: TaskIndex | undefined, from: string, to: string): Link | undefined {
  const find = (source: string, waiting: string) => linksInto(index, waiting).find((link) => link.source === source)
  const [forth, back] = [find(from, to), find(to, from)]
  if (forth === undefined || back === undefined) return forth ?? back
  // Both are there only in a circle of two that was imported: what was said in this order is meant.
  return endsOf(forth).from === from ? forth : back
}

/** K5: the edges by which `start` waits for `end`, through however many others; undefined when it does not. */
export function chainBetween(
  index: TaskIndex | undefined,
  start: string,
  end: string,
  counts: (link: Link) => boolean = () => true,
): readonly Link[] | undefined {
  const cameBy = new Map<string, Link>()
  const open = [start]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const link of linksInto(index, node)) {
      if (!counts(link) || (link.source !== start && cameBy.has(link.source))) continue
      if (link.source === end) return traced(cameBy, link, start)
      if (link.source === start) continue
      cameBy.set(link.source, link)
      open.push(link.source)
    }
  }
  return undefined
}

function traced(cameBy: ReadonlyMap<string, Link>, last: Link, start: string): readonly Link[] {
  const links = [last]
  for (let at = last.waiting; at !== start;) {
    const link = cameBy.get(at)
    if (link === undefined) break
    links.push(link)
    at = link.waiting
  }
  return links.reverse()
}

/** Of a chain of edges: each waits for the next. */
export const nodesOf = (chain: readonly Link[]): readonly string[] => [
  ...chain.slice(0, 1).map(({ waiting }) => waiting),
  ...chain.map(({ source }) => source),
]

/** Circles that keep their tasks waiting, one for each group of tasks that wait for each other. */
export function findCircles(root: Readonly<Tree>): readonly (readonly Link[])[] {
  const [slice, index] = [tasksOf(root), indexOf(root)]
  const left = unsettled(slice, index)
  const circles: (readonly Link[])[] = []
  for (const id of left) {
    const circle = chainBetween(index, id, id, unmet(slice, index))
    if (circle === undefined) continue
    circles.push(circle)
    for (const { source } of circle) left.delete(source)
  }
  return circles
}

/** Without what can be met, and without what nobody here waits for: circles, and what lies between two of them, are left. */
function unsettled(slice: TasksSlice, index: TaskIndex | undefined): Set<string> {
  const open = Object.values(slice).filter(({ status }) => status !== 'completed')
  const needs = (id: string) => linksInto(index, id).map(({ source }) => source)
  const waiting = (id: string) => taskOf(slice, id)?.blocking ?? []
  return peeled(peeled(new Set(open.map(({ id }) => id)), needs, waiting), waiting, needs)
}

type Neighbours = (id: string) => readonly string[]

/** Takes away, again and again, what nothing of the rest is `before`. */
function peeled(ids: ReadonlySet<string>, before: Neighbours, behind: Neighbours): Set<string> {
  const counts = new Map([...ids].map((id) => [id, before(id).filter((each) => ids.has(each)).length]))
  const free = [...counts].flatMap(([id, count]) => (count === 0 ? [id] : []))
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    counts.delete(id)
    for (const next of behind(id)) {
      const count = counts.get(next)
      if (count === undefined) continue
      counts.set(next, count - 1)
      if (count === 1) free.push(next)
    }
  }
  return new Set(counts.keys())
}

const STRENGTHS: Readonly<Record<EdgeType, number>> = { enables: 0, blocks: 1, requires: 2 }

export interface Weakest {
  readonly link: Link
  readonly because: string
}

/**
 * The edge that is the least loss: of the loosest type (enables, then blocks, then requires); among those the one whose
 * waiting task is the least urgent; among those the one that was added last.
 */
export function weakestOf(slice: TasksSlice, links: readonly Link[]): Weakest | undefined {
  const ranked = links.toSorted((a, b) => strength(a) - strength(b) || urgency(slice, b, a) || b.seq - a.seq)
  const [link, second] = ranked
  if (link === undefined) return undefined
  return { link, because: second === undefined ? 'it is the only one' : whyWeaker(slice, link, second) }
}

const strength = ({ type }: Link): number => STRENGTHS[type]
const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const

const rankOf = (task: Task | undefined): number => (task === undefined ? 0 : PRIORITIES.indexOf(task.priority))
const urgency = (slice: TasksSlice, a: Link, b: Link): number =>
  rankOf(taskOf(slice, a.waiting)) - rankOf(taskOf(slice, b.waiting))

function whyWeaker(slice: TasksSlice, link: Link, second: Link): string {
  if (strength(link) !== strength(second))
    return `"${link.type}" is looser than "${second.type}" (enables < blocks < requires)`
  if (urgency(slice, link, second) !== 0)
    return `of those that say "${link.type}", ${link.waiting} is the least urgent that waits (${taskOf(slice, link.waiting)?.priority ?? ''})`
  return `of those that say "${link.type}" for tasks of that priority, it was added last (seq ${link.seq})`
}

/** What holds a task up itself: the circle it is in, or what it waits for that is not met. */
export function holdingUp(
  root: Readonly<Tree>,
  id: string,
): { readonly links: readonly Link[]; readonly circle: boolean } {
  const [slice, index] = [tasksOf(root), indexOf(root)]
  const holds = unmet(slice, index)
  const circle = chainBetween(index, id, id, holds)
  return circle === undefined
    ? { links: linksInto(index, id).filter(holds), circle: false }
    : { links: circle, circle: true }
}

const unmet =
  (slice: TasksSlice, index: TaskIndex | undefined) =>
  ({ source }: Link): boolean =>
    !isMet(slice, index, source)

/** By priority, then age. */
export const byOrder = (a: Task, b: Task): number => orderOf(a) - orderOf(b)
