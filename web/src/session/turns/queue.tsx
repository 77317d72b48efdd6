import type { ChannelRow, TurnRow } from '../../../../src/domain/turns/views.ts'
import { Age } from '../../parts/age.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { duration } from '../../parts/time.ts'

interface QueueProps {
  readonly channel: ChannelRow
  readonly seats: readonly TurnRow[]
}

/** Who speaks, who comes then, and who is not there, in this order. */
export function Queue({ channel: { channel, active, queue, name }, seats }: QueueProps) {
  const placeOf = (agent: string): number => (agent === active ? 0 : queue.indexOf(agent) + 1 || queue.length + 1)
  const rows = seats.toSorted((a, b) => placeOf(a.agent) - placeOf(b.agent))
  return (
    <Table
      caption={`Seats in ${name}`}
      columns={columns(placeOf, queue.length)}
      rows={rows}
      keyOf={({ agent }) => agent}
      sortParam={`${channel}-sort`}
    />
  )
}

const columns = (placeOf: (agent: string) => number, waiting: number): readonly Column<TurnRow>[] => [
  { id: 'place', title: 'Turn', cell: ({ agent }) => <Place place={placeOf(agent)} waiting={waiting} /> },
  { id: 'agent', title: 'Agent', grow: true, cell: ({ agent, role }) => (role === null ? agent : `${agent}, ${role}`) },
  { id: 'state', title: 'State', cell: ({ state }) => state.toLowerCase() },
  { id: 'time', title: 'Time for a turn', align: 'end', minor: true, cell: ({ timeout_ms }) => duration(timeout_ms) },
  { id: 'active', title: 'Last heard', align: 'end', cell: ({ last_activity }) => <Age at={last_activity} /> },
]

function Place({ place, waiting }: { readonly place: number; readonly waiting: number }) {
  if (place === 0)
    return (
      <Badge icon="play" tone="work">
        speaks
      </Badge>
    )
  if (place > waiting) return <Badge icon="idle">not in the queue</Badge>
  return <Badge icon="clock">{place === 1 ? 'next' : `${place}.`}</Badge>
}
