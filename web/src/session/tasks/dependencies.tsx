import type { EdgeRow, TaskRow } from '../../../../src/domain/tasks/views.ts'
import { Badge, Status } from '../../parts/badge.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { groupOf } from './groups.ts'
import { layersOf } from './layers.ts'
import { TaskLink } from './task-table.tsx'

interface DependenciesProps {
  readonly tasks: readonly TaskRow[]
  readonly edges: readonly EdgeRow[]
  readonly open: (id: string) => void
}

const MOST = 500

export function Dependencies({ tasks, edges, open }: DependenciesProps) {
  const without =
    tasks.length > MOST ? `${tasks.length} tasks are too many to draw: here they are as a list.` : undefined
  return (
    <Chart
      title="What waits for what"
      without={without}
      chart={without === undefined ? <Graph tasks={tasks} edges={edges} open={open} /> : null}
      table={
        <Table
          caption="Dependencies"
          columns={COLUMNS}
          rows={edges}
          keyOf={({ from, to, type }) => `${from} ${to} ${type}`}
        />
      }
      legend="What is needed first stands to the left. A dashed line is met, a full one is waited for."
    />
  )
}

const COLUMNS: readonly Column<EdgeRow>[] = [
  { id: 'from', title: 'Task', sort: ({ from }) => from, cell: ({ from }) => from },
  { id: 'type', title: 'Needs', cell: ({ type }) => type },
  { id: 'to', title: 'What it needs', grow: true, sort: ({ to }) => to, cell: ({ to }) => to },
  {
    id: 'met',
    title: 'Met',
    sort: ({ met }) => Number(met),
    cell: ({ met }) =>
      met ? (
        <Badge icon="check" tone="good">
          met
        </Badge>
      ) : (
        <Badge icon="clock">waits</Badge>
      ),
  },
]

const BOX = { width: 200, height: 58, across: 64, down: 16 }

interface Place {
  readonly x: number
  readonly y: number
}

function Graph({ tasks, edges, open }: DependenciesProps) {
  const layers = layersOf(
    tasks.map(({ id }) => id),
    edges,
  )
  const places = new Map(layers.flatMap((layer, column) => layer.map((id, row) => [id, placeAt(column, row)] as const)))
  const width = layers.length * (BOX.width + BOX.across)
  const height = Math.max(...layers.map(({ length }) => length)) * (BOX.height + BOX.down)
  return (
    <div class="graph" tabIndex={0} role="region" aria-label="What waits for what, drawn">
      <div class="graph-plane" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true">
          {edges.map((edge) => (
            <Edge
              key={`${edge.from} ${edge.to}`}
              from={places.get(edge.to)}
              to={places.get(edge.from)}
              met={edge.met}
            />
          ))}
        </svg>
        {tasks.map((task) => (
          <Box key={task.id} task={task} place={places.get(task.id)} open={open} />
        ))}
      </div>
    </div>
  )
}

const placeAt = (column: number, row: number): Place => ({
  x: column * (BOX.width + BOX.across),
  y: row * (BOX.height + BOX.down),
})

function Edge({
  from,
  to,
  met,
}: {
  readonly from: Place | undefined
  readonly to: Place | undefined
  readonly met: boolean
}) {
  if (from === undefined || to === undefined) return null
  const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x, to.y + BOX.height / 2]
  // At the height of what is needed up to the last gap, so that it does not run into boxes of other rows.
  const turn = x2 - BOX.across
  const path = `M${x1} ${y1}H${turn}C${x2 - BOX.across / 2} ${y1} ${turn + BOX.across / 4} ${y2} ${x2 - 5} ${y2}`
  return <path class={met ? 'edge met' : 'edge'} d={`${path}M${x2 - 9} ${y2 - 4}l5 4l-5 4`} />
}

interface BoxProps {
  readonly task: TaskRow
  readonly place: Place | undefined
  readonly open: (id: string) => void
}

const Box = ({ task, place, open }: BoxProps) => (
  <div
    class="card box"
    style={{
      left: `${place?.x ?? 0}px`,
      top: `${place?.y ?? 0}px`,
      width: `${BOX.width}px`,
      height: `${BOX.height}px`,
    }}
  >
    <TaskLink row={task} open={open} />
    <Status status={groupOf(task)} />
  </div>
)
