/** Channels: who speaks, how long still, who comes next, and what was said. */
import type { ChannelRow, TurnRow } from '../../../../src/domain/turns/views.ts'
import { useOperation } from '../../api/session.ts'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useViewed } from '../session.ts'
import { Channel } from './channel.tsx'

export function TurnsTab() {
  const { id, at } = useViewed()
  const channels = useOperation<readonly ChannelRow[]>(id, 'channel.list', {}, at)
  const seats = useOperation<readonly TurnRow[]>(id, 'turn.list', {}, at)
  return (
    <Loaded of={channels}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty title="No channels yet" commands={COMMANDS}>
            In a channel agents speak one after the other.
          </Empty>
        ) : (
          rows.map((row) => (
            <Channel
              key={row.channel}
              channel={row}
              seats={(seats.data ?? []).filter(({ channel }) => channel === row.channel)}
            />
          ))
        )
      }
    </Loaded>
  )
}

const COMMANDS = [
  ['steadfold channel create design', 'makes a channel'],
  ['steadfold turn join design ada', 'ada sits down in it'],
  ['steadfold turn start design', 'gives the first turn'],
] as const
