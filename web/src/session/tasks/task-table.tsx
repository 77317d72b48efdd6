import type { TaskRow } from '../../../../src/domain/tasks/views.ts'
import { Age } from '../../parts/age.tsx'
import { Status } from '../../parts/badge.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { groupOf } from './groups.ts'

interface TaskTableProps {
  readonly rows: readonly TaskRow[]
  readonly open: (id: string) => void
}

export const TaskTable = ({ rows, open }: TaskTableProps) => (
  <Table caption="Tasks" columns={columns(open)} rows={rows} keyOf={({ id }) => id} />
)

const RANKS = ['critical', 'high', 'medium', 'low']

const columns = (open: (id: string) => void): readonly Column<TaskRow>[] => [
  { id: 'status', title: 'Status', sort: groupOf, cell: (row) => <Status status={groupOf(row)} /> },
  {
    id: 'title',
    title: 'Task',
    grow: true,
    sort: ({ title }) => title,
    cell: (row) => <TaskLink row={row} open={open} />,
  },
  {
    id: 'priority',
    title: 'Priority',
    sort: ({ priority }) => RANKS.indexOf(priority),
    cell: ({ priority }) => priority,
  },
  { id: 'who', title: 'Who', sort: ({ assignee }) => assignee, cell: ({ assignee }) => assignee ?? '–' },
  { id: 'waits', title: 'Waits for', cell: ({ waits_for, reason }) => reason ?? waits_for.join(', ') },
  {
    id: 'age',
    title: 'Changed',
    sort: ({ updated_at }) => updated_at,
    align: 'end',
    cell: ({ updated_at }) => <Age at={updated_at} />,
  },
]

export const TaskLink = ({
  row: { id, title },
  open,
}: {
  readonly row: TaskRow
  readonly open: (id: string) => void
}) => (
  <button type="button" class="link" onClick={() => open(id)} title={id}>
    {title}
  </button>
)
