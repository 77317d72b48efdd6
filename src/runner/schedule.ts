/*
 * Which step starts next: the one with the longest work behind it.
 *
 * Q1. A step may start when everything it needs is done; there are no barriers. Waves are only a view.
 * Q2. Of those that may start, the one with the longest remaining path goes first; between equals, the first named.
 */
import { amount, assertFits, objects, text, type Rule } from '../kernel/arguments.ts'
import { dependants, inOrder, type Needing } from '../kernel/work/graph.ts'

export interface Task extends Needing {
  /** Any unit, the same for all. */
  readonly duration: number
}

/** Name -> longest path from the start of that task to the end of everything behind it. */
export function remainingPaths(tasks: readonly Task[]): ReadonlyMap<string, number> {
  const behind = dependants(tasks)
  const durations = new Map(tasks.map(({ name, duration }) => [name, duration]))
  const paths = new Map<string, number>()
  for (const name of inOrder(tasks).toReversed()) {
    const longest = (behind.get(name) ?? []).reduce((most, next) => Math.max(most, paths.get(next) ?? 0), 0)
    paths.set(name, (durations.get(name) ?? 0) + longest)
  }
  return paths
}

/** Names in the order in which they should start, were they all ready (Q2). */
export function byPriority(tasks: readonly Task[]): readonly string[] {
  const paths = remainingPaths(tasks)
  return tasks.map(({ name }) => name).toSorted((a, b) => (paths.get(b) ?? 0) - (paths.get(a) ?? 0))
}

const schedulable: Rule = {
  // The first rule says that each is an object; what is read of it may be anything.
  fits: (value) => objects.fits(value) && (value as readonly Readonly<Record<keyof Task, unknown>>[]).every(isTask),
  must: 'must be a list of objects with name, needs and duration',
}
const isTask = ({ name, needs, duration }: Readonly<Record<keyof Task, unknown>>): boolean =>
  text.fits(name) && Array.isArray(needs) && needs.every(text.fits) && amount.fits(duration)

/** How long `tasks` take with so many workers, started as the runner starts them. */
export function simulateSchedule(tasks: readonly Task[], workers: number): number {
  const call = "simulateSchedule([{ name: 'a', needs: [], duration: 1 }], 2)"
  assertFits(tasks, schedulable, 'simulateSchedule: the tasks', call)
  assertFits(workers, amount, 'simulateSchedule: the workers', call)
  const order = byPriority(tasks)
  const byName = new Map(tasks.map((task) => [task.name, task]))
  const done = new Set<string>()
  const started = new Set<string>()
  const running: { readonly name: string; readonly ends: number }[] = []
  let now = 0
  while (done.size < byName.size) {
    for (const name of order) {
      if (running.length >= workers) break
      const task = byName.get(name)
      if (task === undefined || started.has(name) || !task.needs.every((need) => done.has(need) || !byName.has(need)))
        continue
      started.add(name)
      running.push({ name, ends: now + task.duration })
    }
    running.sort((a, b) => b.ends - a.ends)
    const next = running.pop()
    // Nothing runs and nothing can start: a cycle, which never ends.
    if (next === undefined) return Number.POSITIVE_INFINITY
    now = next.ends
    done.add(next.name)
  }
  return now
}
