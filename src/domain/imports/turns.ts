/* The channels of an orchestration-state.json of version 1.0. */
import type { Importer } from '../../kernel/exchange/importer.ts'
import { KEPT } from '../turns/events.ts'
import { entriesOf, isMembers, itemsOf, membersOf, stemOf, textsOf } from './members.ts'
import { left } from './tasks.ts'

export const channelState: Importer = {
  kind: 'channel-state',
  summary: 'channels, queues and turns: orchestration-state.json of version 1.0',
  detects: ({ value }) => isMembers(value) && isMembers(value['channels']) && isMembers(value['agents']),
  read: ({ value, path }) => {
    const { channels, history, agents } = membersOf(value)
    const told = itemsOf(history).length
    const kept = Math.min(told, KEPT)
    const seated = new Set(entriesOf(channels).flatMap(([, each]) => textsOf(membersOf(each)['queue'])))
    const others = entriesOf(agents).filter(([agent]) => !seated.has(agent)).length
    return {
      group: stemOf(path),
      rows: [
        { what: 'channels', count: entriesOf(channels).length, becomes: 'channels with their queues and turns' },
        ...(kept === 0 ? [] : [{ what: 'history', count: kept, becomes: 'the history of turns' }]),
        ...left(`entries of history before the last ${KEPT}`, told - kept),
        ...left('agents in no channel', others),
      ],
      problems: [],
      requests: [{ op: 'turn.import', input: { document: value } }],
    }
  },
}
