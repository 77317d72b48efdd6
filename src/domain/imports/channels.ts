/* How channels are set up: who sits in them, and in which order they speak. Not where a turn stands. */
import type { Importer } from '../../kernel/import.ts'
import { entriesOf, isMembers, membersOf, stemOf, textOf, textsOf } from './members.ts'
import { defined } from './teams.ts'
import { left } from './tasks.ts'

const MODES: ReadonlySet<unknown> = new Set(['direct', 'single', 'turn-based', 'broadcast'])

export const channelSettings: Importer = {
  kind: 'channel-settings',
  summary: 'how channels are set up: mode, agents, turnOrder, humanInterruptMode',
  detects: ({ value }) => {
    const channels = entriesOf(membersOf(value)['channels'])
    return channels.length > 0 && channels.every(([, each]) => isMembers(each) && MODES.has(each['mode']))
  },
  read: ({ value, path }) => {
    const { channels, defaults } = membersOf(value)
    const all = entriesOf(channels).map(([name, each]) => [name, membersOf(each)] as const)
    const roles = all.filter(([, { allowedRoles }]) => textsOf(allowedRoles).length > 0).length
    return {
      group: stemOf(path),
      rows: [
        { what: 'channels', count: all.length, becomes: 'channels, with their agents seated' },
        ...left('roles that may speak, which are not known here', roles),
        ...left(
          'descriptions of channels',
          all.filter(([, { description }]) => textOf(description) !== undefined).length,
        ),
        ...left('defaults for other channels', entriesOf(defaults).length),
      ],
      problems: [],
      requests: all.flatMap(([name, { mode, agents, turnOrder: order, humanInterruptMode: human, ...rest }]) => {
        const channel = textOf(rest['id']) ?? name
        return [
          { op: 'channel.create', input: { channel, ...defined({ name: rest['name'] ?? name, mode, order, human }) } },
          ...textsOf(agents).map((agent) => ({ op: 'turn.join', input: { channel, agent } })),
        ]
      }),
    }
  },
}
