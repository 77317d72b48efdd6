import type { ChannelRow, TurnRow } from '../../../../src/domain/turns/views.ts'
import { Age } from '../../parts/age.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { duration } from '../../parts/time.ts'
import { placeOf, rankOf } from './place.ts'

interface QueueProps {
  readonly channel: ChannelRow
  readonly seats: readonly TurnRow[]
}

/** Who speaks, who comes then, and who waits for no turn, in this order. */
export function Queue({ channel, seats }: QueueProps) {
  const rows = seats.toSorted((a, b) => rankOf(channel, a) - rankOf(channel, b))
  return (
    <Table
      caption={`Seats in ${channel.name}`}
      columns={columns(channel)}
      rows={rows}
      keyOf={({ agent }) => agent}
      sortParam={`${channel.channel}-sort`}
    />
  )
}

const columns = (channel: ChannelRow): readonly Column<TurnRow>[] => [
  { id: 'place', title: 'Turn', cell: (seat) => <Place channel={channel} seat={seat} /> },
  { id: 'agent', title: 'Agent', grow: true, cell: ({ agent, role }) => (role === null ? agent : `${agent}, ${role}`) },
  { id: 'state', title: 'State', cell: ({ state }) => state.toLowerCase() },
  { id: 'time', title: 'Time for a turn', align: 'end', cell: ({ timeout_ms }) => duration(timeout_ms) },
  { id: 'active', title: 'Last heard', align: 'end', cell: ({ last_activity }) => <Age at={last_activity} /> },
]

function Place({ channel, seat }: { readonly channel: ChannelRow; readonly seat: TurnRow }) {
  const isActive = seat.agent === channel.active
  const icon = isActive ? 'play' : channel.queue.includes(seat.agent) ? 'clock' : 'idle'
  return (
    <Badge icon={icon} tone={isActive ? 'work' : 'plain'}>
      {placeOf(channel, seat)}
    </Badge>
  )
}
