/** Sessions at a glance. */
import type { SessionRow } from '../../../../src/kernel/care/inbox.ts'
import { Age } from '../../parts/age.tsx'
import { Status } from '../../parts/badge.tsx'
import { SessionName } from '../../parts/session-name.tsx'
import { Table, type Column } from '../../parts/table.tsx'

interface RowsProps {
  readonly title: string
  readonly rows: readonly SessionRow[]
  readonly onSeen?: ((row: SessionRow) => void) | undefined
}

export const Rows = ({ title, rows, onSeen }: RowsProps) => (
  <Table
    caption={title}
    columns={onSeen === undefined ? COLUMNS : [...COLUMNS, seenColumn(onSeen)]}
    rows={rows}
    keyOf={({ id }) => id}
    order="-changed"
  />
)

const COLUMNS: readonly Column<SessionRow>[] = [
  {
    id: 'name',
    title: 'Session',
    sort: ({ name }) => name,
    grow: true,
    cell: ({ id, name, goal }) => <SessionName id={id} name={name} goal={goal} />,
  },
  { id: 'status', title: 'Status', sort: ({ status }) => status, cell: ({ status }) => <Status status={status} /> },
  { id: 'state', title: 'State', sort: ({ workflow }) => workflow?.current ?? null, cell: stateOf },
  { id: 'steps', title: 'Steps', align: 'end', sort: ({ steps }) => steps.total, cell: stepsOf },
  {
    id: 'agents',
    title: 'Agents',
    align: 'end',
    sort: ({ agents }) => agents,
    cell: ({ agents }) => some(agents),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    align: 'end',
    sort: ({ tokens }) => tokens,
    cell: ({ tokens }) => some(tokens),
  },
  {
    id: 'cost',
    title: 'Cost',
    align: 'end',
    sort: ({ cost_usd }) => cost_usd,
    cell: ({ cost_usd }) => (cost_usd === 0 ? DASH : `$${cost_usd.toFixed(2)}`),
  },
  { id: 'seq', title: 'Seq', align: 'end', sort: ({ seq }) => seq, cell: ({ seq }) => some(seq) },
  {
    id: 'changed',
    title: 'Changed',
    align: 'end',
    sort: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Age at={updated_at} />,
  },
]

const DASH = <span class="faint">–</span>

const some = (n: number) => (n === 0 ? DASH : n.toLocaleString('en'))

function stateOf({ workflow }: SessionRow) {
  if (workflow === null) return DASH
  const { current, wave } = workflow
  return wave === null ? current : `${current}, wave ${wave.at}/${wave.of}`
}

function stepsOf({ steps: { total, finished, running, failed } }: SessionRow) {
  if (total === 0) return DASH
  const more = [running > 0 ? `${running} running` : '', failed > 0 ? `${failed} failed` : ''].filter(Boolean)
  return `${finished}/${total}${more.length > 0 ? `, ${more.join(', ')}` : ''}`
}

const seenColumn = (onSeen: (row: SessionRow) => void): Column<SessionRow> => ({
  id: 'seen',
  title: 'Action',
  align: 'end',
  cell: (row) => (
    <button type="button" onClick={() => onSeen(row)} aria-label={`Mark ${row.name} as seen`}>
      Seen
    </button>
  ),
})
