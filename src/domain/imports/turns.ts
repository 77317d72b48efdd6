/* The channels of an orchestration-state.json of version 1.0. */
import type { Importer } from '../../kernel/import.ts'
import { entriesOf, isMembers, itemsOf, membersOf, stemOf } from './members.ts'

export const channelState: Importer = {
  kind: 'channel-state',
  summary: 'channels, queues and turns: orchestration-state.json of version 1.0',
  detects: ({ value }) => isMembers(value) && isMembers(value['channels']) && isMembers(value['agents']),
  read: ({ value, path }) => {
    const { channels, history } = membersOf(value)
    const told = itemsOf(history).length
    return {
      group: stemOf(path),
      rows: [
        { what: 'channels', count: entriesOf(channels).length, becomes: 'channels with their queues and turns' },
        ...(told === 0 ? [] : [{ what: 'history', count: told, becomes: 'the history of turns' }]),
      ],
      problems: [],
      requests: [{ op: 'turn.import', input: { document: value } }],
    }
  },
}
