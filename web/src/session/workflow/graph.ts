/** Where states and moves stand. Moves forward go to the right; what goes back, or to itself, passes below. */

export interface StateRow {
  readonly state: string
  readonly status: 'current' | 'intended' | 'completed' | 'open'
  /** How often it was entered. */
  readonly entered: number
  readonly terminal: boolean
  readonly mode: string
  readonly steps: number
  readonly next: readonly string[]
}

export interface Node {
  readonly row: StateRow
  readonly x: number
  readonly y: number
}

export interface Edge {
  readonly from: string
  readonly to: string
  /** Of an SVG path. */
  readonly path: string
  readonly label: { readonly x: number; readonly y: number }
}

export interface Graph {
  readonly nodes: readonly Node[]
  readonly edges: readonly Edge[]
  readonly width: number
  readonly height: number
}

export const WIDE = 148
export const HIGH = 44
const GAP_X = 64
const GAP_Y = 26
const PAD = 12
const ARC = 26

export function graphOf(rows: readonly StateRow[]): Graph {
  const ranks = ranksOf(rows)
  const top = PAD + (rows.some((row) => skips(row, ranks)) ? ARC : 0)
  const filled = new Map<number, number>()
  const nodes = rows.map((row) => {
    const rank = ranks.get(row.state) ?? 0
    const place = filled.get(rank) ?? 0
    filled.set(rank, place + 1)
    return { row, x: PAD + rank * (WIDE + GAP_X), y: top + place * (HIGH + GAP_Y) }
  })
  const byName = new Map(nodes.map((node) => [node.row.state, node]))
  const bottom = Math.max(0, ...nodes.map(({ y }) => y + HIGH))
  const edges = nodes.flatMap((from) =>
    from.row.next.flatMap((name) => {
      const to = byName.get(name)
      return to === undefined ? [] : [edgeOf(from, to, ranks, bottom)]
    }),
  )
  const width = Math.max(0, ...nodes.map(({ x }) => x + WIDE)) + PAD
  return { nodes, edges, width, height: Math.max(bottom, ...edges.map(({ label }) => label.y)) + PAD }
}

const skips = ({ state, next }: StateRow, ranks: ReadonlyMap<string, number>): boolean =>
  next.some((to) => (ranks.get(to) ?? 0) - (ranks.get(state) ?? 0) > 1)

/** The longest way to each, by moves to states that were declared later. */
function ranksOf(rows: readonly StateRow[]): ReadonlyMap<string, number> {
  const places = new Map(rows.map(({ state }, i) => [state, i]))
  const ranks = new Map<string, number>()
  for (const [i, { state, next }] of rows.entries()) {
    const rank = ranks.get(state) ?? 0
    ranks.set(state, rank)
    for (const to of next) if ((places.get(to) ?? -1) > i) ranks.set(to, Math.max(ranks.get(to) ?? 0, rank + 1))
  }
  return ranks
}

function edgeOf(from: Node, to: Node, ranks: ReadonlyMap<string, number>, bottom: number): Edge {
  const names = { from: from.row.state, to: to.row.state }
  const steps = (ranks.get(names.to) ?? 0) - (ranks.get(names.from) ?? 0)
  if (steps === -1) return { ...names, ...beside(from, to) }
  if (steps <= 0) return { ...names, ...below(from, to, bottom) }
  const [x1, y1, x2, y2] = [from.x + WIDE, from.y + HIGH / 2, to.x - 3, to.y + HIGH / 2]
  if (steps > 1 && from.y === to.y) return { ...names, ...above(from, to) }
  const bend = Math.max(GAP_X / 2, (x2 - x1) / 2)
  const path = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
  return { ...names, path, label: { x: (x1 + x2) / 2, y: (y1 + y2) / 2 } }
}

/** One column back, beside the move forward. */
function beside(from: Node, to: Node) {
  const [x1, y1, x2, y2] = [from.x, from.y + HIGH * 0.8, to.x + WIDE + 3, to.y + HIGH * 0.8]
  const path = `M${x1} ${y1}C${x1 - GAP_X / 2} ${y1} ${x2 + GAP_X / 2} ${y2} ${x2} ${y2}`
  return { path, label: { x: (x1 + x2) / 2, y: (y1 + y2) / 2 } }
}

/** Over what stands between. */
function above(from: Node, to: Node) {
  const [x1, x2, y] = [from.x + WIDE - 20, to.x + 20, from.y]
  const top = y - ARC
  return {
    path: `M${x1} ${y}C${x1 + 20} ${top} ${x2 - 20} ${top} ${x2} ${y - 3}`,
    label: { x: (x1 + x2) / 2, y: y - ARC * 0.75 },
  }
}

function below(from: Node, to: Node, bottom: number) {
  const [x1, x2] = from === to ? [from.x + 40, to.x + WIDE - 40] : [from.x + WIDE / 2 - 10, to.x + WIDE / 2 + 10]
  const low = bottom + ARC
  const path = `M${x1} ${from.y + HIGH}C${x1} ${low} ${x2} ${low} ${x2} ${to.y + HIGH + 3}`
  return { path, label: { x: (x1 + x2) / 2, y: bottom + ARC * 0.75 } }
}
