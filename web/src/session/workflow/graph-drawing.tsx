import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { counted } from '../../parts/counted.ts'
import { setParams, to, useParam } from '../../route/route.ts'
import { useViewed } from '../session.ts'
import { moveName } from './counts.ts'
import { graphOf, HIGH, WIDE, type Edge, type Node, type StateRow } from './graph.ts'
import type { StepLine } from './steps.tsx'

interface GraphDrawingProps {
  readonly rows: readonly StateRow[]
  readonly moves: ReadonlyMap<string, number>
  readonly steps: readonly StepLine[]
}

export function GraphDrawing({ rows, moves, steps }: GraphDrawingProps) {
  const { nodes, edges, width, height } = useMemo(() => graphOf(rows), [rows])
  const box = useCurrentInBox(nodes.find(({ row }) => row.status === 'current'))
  return (
    <div class="graph" ref={box}>
      <svg
        width={width}
        height={height}
        role="group"
        aria-label={`Workflow of ${counted(rows.length, 'state')}; the table says the same`}
      >
        <defs>
          <marker id="move" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0 8 4 0 8Z" class="move-tip" />
          </marker>
        </defs>
        {edges.map((edge) => (
          <Move key={moveName(edge.from, edge.to)} edge={edge} count={moves.get(moveName(edge.from, edge.to)) ?? 0} />
        ))}
        {nodes.map((node) => (
          <State key={node.row.state} node={node} steps={steps.filter(({ state }) => state === node.row.state)} />
        ))}
      </svg>
    </div>
  )
}

/** A wide drawing begins where the session stands; the page around it stays. */
function useCurrentInBox(current: Node | undefined) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (box.current === null || current === undefined) return
    const { clientWidth, clientHeight } = box.current
    box.current.scrollTo(current.x + (WIDE - clientWidth) / 2, current.y + (HIGH - clientHeight) / 2)
  }, [current?.x, current?.y])
  return box
}

const Move = ({ edge: { from, to: target, path, label }, count }: { readonly edge: Edge; readonly count: number }) => (
  <g class={count > 0 ? 'move taken' : 'move'}>
    <title>{`${from} to ${target}: ${count === 0 ? 'not taken' : `taken ${counted(count, 'time')}`}`}</title>
    <path d={path} marker-end="url(#move)" />
    {count === 0 ? null : (
      <>
        <rect x={label.x - 10} y={label.y - 8} width="20" height="16" rx="8" />
        <text x={label.x} y={label.y + 4} text-anchor="middle">
          {count}
        </text>
      </>
    )}
  </g>
)

const SIGNS: Readonly<Record<StateRow['status'], string>> = { current: '▸', intended: '…', completed: '✓', open: '○' }

function State({ node: { row, x, y }, steps }: { readonly node: Node; readonly steps: readonly StepLine[] }) {
  const { id, at } = useViewed()
  const [chosen] = useParam('state')
  const { state, status, entered, terminal } = row
  const done = steps.filter((step) => step.status === 'finished').length
  // Others than the workflow names may be begun in it.
  const all = Math.max(row.steps, steps.length)
  const facts = [
    all > 0 ? `${done}/${all} steps` : 'no steps',
    terminal ? 'end' : '',
    entered > 1 ? `${entered} times` : '',
  ]
  const said = `${state} ${facts.filter(Boolean).join(', ')}; ${status}`
  const choose = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
    setParams({ state: chosen === state ? undefined : state })
  }
  return (
    <a
      class={`state ${status}${chosen === state ? ' chosen' : ''}`}
      href={to(['session', id, 'workflow'], { at, state })}
      aria-current={status === 'current' ? 'step' : undefined}
      onClick={choose}
    >
      <title>{said}</title>
      <rect x={x} y={y} width={WIDE} height={HIGH} rx={terminal ? HIGH / 2 : 5} />
      <text class="state-name" x={x + 12} y={y + 19}>
        {SIGNS[status]} {state.length > 17 ? `${state.slice(0, 16)}…` : state}
      </text>
      <text class="state-facts" x={x + 12} y={y + 34}>
        {facts.filter(Boolean).join(', ')}
      </text>
    </a>
  )
}
