/* Things that need each other: their order, depth, loops, and the longest way through them. */

export interface Needing {
  readonly name: string
  readonly needs: readonly string[]
}

/** Name -> who needs it. */
export function dependants(tasks: readonly Needing[]): ReadonlyMap<string, readonly string[]> {
  const behind = new Map<string, string[]>(tasks.map(({ name }) => [name, []]))
  for (const { name, needs } of tasks) for (const need of needs) behind.get(need)?.push(name)
  return behind
}

/** Names so that needs come first; what is on a cycle is left out. */
export function inOrder(tasks: readonly Needing[]): readonly string[] {
  const behind = dependants(tasks)
  const open = new Map(tasks.map(({ name, needs }) => [name, needs.filter((need) => behind.has(need)).length]))
  const order = tasks.filter(({ name }) => open.get(name) === 0).map(({ name }) => name)
  for (const name of order) {
    for (const next of behind.get(name) ?? []) {
      const left = (open.get(next) ?? 0) - 1
      open.set(next, left)
      if (left === 0) order.push(next)
    }
  }
  return order
}

/** Depth by needs: what a person would call waves. Needs outside `tasks` count as done. */
export function waves(tasks: readonly Needing[]): readonly (readonly string[])[] {
  const depth = new Map<string, number>()
  const needs = new Map(tasks.map((task) => [task.name, task.needs]))
  const levels: string[][] = []
  for (const name of inOrder(tasks)) {
    const level = (needs.get(name) ?? []).reduce((deepest, need) => Math.max(deepest, (depth.get(need) ?? -1) + 1), 0)
    depth.set(name, level)
    ;(levels[level] ??= []).push(name)
  }
  return levels
}

/** A cycle as the path through it, its first name again at the end; undefined when there is none. */
export function findCycle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const left = new Map([...graph].map(([name, needs]) => [name, needs.filter((need) => graph.has(need))]))
  // Taking away what needs nothing leaves only what is on a cycle or behind one.
  for (let before = -1; before !== left.size;) {
    before = left.size
    for (const [name, needs] of left) if (needs.every((need) => !left.has(need))) left.delete(name)
  }
  const [first] = left.keys()
  if (first === undefined) return undefined
  const path: string[] = []
  for (let at: string | undefined = first; at !== undefined; at = left.get(at)?.find((need) => left.has(need))) {
    const seen = path.indexOf(at)
    if (seen >= 0) return [...path.slice(seen), at]
    path.push(at)
  }
  return path
}

interface End {
  readonly duration: number
  /** How many are in the chain that ends here. */
  readonly length: number
  readonly before: string | undefined
}

/** The chain of needs that takes longest; of two that take as long, the one of more. */
export function longestChain(tasks: readonly (Needing & { readonly duration: number })[]): {
  readonly duration: number
  readonly names: readonly string[]
} {
  const byName = new Map(tasks.map((task) => [task.name, task]))
  const ends = new Map<string, End>()
  let last: string | undefined
  for (const name of inOrder(tasks)) {
    const { needs = [], duration = 0 } = byName.get(name) ?? {}
    const before = longestOf(needs, ends)
    const sofar = ends.get(before ?? '') ?? { duration: 0, length: 0 }
    ends.set(name, { before, duration: duration + sofar.duration, length: sofar.length + 1 })
    last = longestOf(last === undefined ? [name] : [last, name], ends)
  }
  const names: string[] = []
  for (let at = last; at !== undefined; at = ends.get(at)?.before) names.unshift(at)
  return { duration: ends.get(last ?? '')?.duration ?? 0, names }
}

function longestOf(names: readonly string[], ends: ReadonlyMap<string, End>): string | undefined {
  return names.reduce<string | undefined>((most, name) => {
    const [end, longest] = [ends.get(name), ends.get(most ?? '')]
    return end === undefined || (longest !== undefined && !isLonger(end, longest)) ? most : name
  }, undefined)
}

const isLonger = (a: End, b: End): boolean =>
  a.duration > b.duration || (a.duration === b.duration && a.length > b.length)

/** Whether `a` needs `b`, or what needs it, on some way; `needsOf` may have cycles. */
export function leadsTo(a: string, b: string, needsOf: (name: string) => readonly string[]): boolean {
  const seen = new Set([a])
  for (const name of seen) {
    for (const need of needsOf(name)) {
      if (need === b) return true
      seen.add(need)
    }
  }
  return false
}
