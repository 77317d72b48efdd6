/** The graph in words. */
import { Status } from '../../parts/badge.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { moveName } from './counts.ts'
import type { StateRow } from './graph.ts'

interface StateTableProps {
  readonly rows: readonly StateRow[]
  readonly moves: ReadonlyMap<string, number>
}

export const StateTable = ({ rows, moves }: StateTableProps) => (
  <Table caption="States" columns={columnsFor(moves)} rows={rows} keyOf={({ state }) => state} />
)

const columnsFor = (moves: StateTableProps['moves']): readonly Column<StateRow>[] => [
  { id: 'state', title: 'State', sort: ({ state }) => state, cell: ({ state }) => <b>{state}</b> },
  { id: 'status', title: 'Status', sort: ({ status }) => status, cell: ({ status }) => <Status status={status} /> },
  { id: 'entered', title: 'Entered', align: 'end', sort: ({ entered }) => entered, cell: ({ entered }) => entered },
  { id: 'mode', title: 'Mode', cell: ({ mode }) => mode },
  { id: 'steps', title: 'Steps', align: 'end', sort: ({ steps }) => steps, cell: ({ steps }) => steps },
  {
    id: 'next',
    title: 'May go to',
    grow: true,
    cell: ({ state, next, terminal }) =>
      terminal ? 'the end' : next.map((to) => `${to} (${moves.get(moveName(state, to)) ?? 0})`).join(', '),
  },
]
