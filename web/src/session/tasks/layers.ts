/*
 * Where boxes of a graph stand: each one column behind the last of what it waits for.
 *
 * Y1. It ends for graphs with circles, too: what is met again on its own way counts as the beginning.
 */
export interface Link {
  readonly from: string
  readonly to: string
}

/** Columns of ids, in the order in which they were given. `from` waits for `to`. */
export function layersOf(ids: readonly string[], links: readonly Link[]): readonly (readonly string[])[] {
  const known = new Set(ids)
  const needs = Map.groupBy(
    links.filter(({ from, to }) => known.has(from) && known.has(to)),
    ({ from }) => from,
  )
  const depths = new Map<string, number>()
  const depthOf = (id: string, way: ReadonlySet<string>): number => {
    const found = depths.get(id)
    if (found !== undefined) return found
    if (way.has(id)) return 0
    const behind = new Set(way).add(id)
    const depth = Math.max(-1, ...(needs.get(id) ?? []).map(({ to }) => depthOf(to, behind))) + 1
    depths.set(id, depth)
    return depth
  }
  const layers: string[][] = []
  for (const id of ids) (layers[depthOf(id, new Set())] ??= []).push(id)
  return Array.from(layers, (layer) => layer ?? [])
}
