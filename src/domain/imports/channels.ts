/* How channels are set up: who sits in them, and in which order they speak. Not where a turn stands. */
import type { Importer, ImportRequest, ImportRow } from '../../kernel/exchange/importer.ts'
import { entriesOf, isMembers, membersOf, stemOf, textOf, textsOf, type Members } from './members.ts'
import { left } from './tasks.ts'
import { defined } from './teams.ts'

const MODES: ReadonlySet<unknown> = new Set(['direct', 'single', 'turn-based', 'broadcast'])

export const channelSettings: Importer = {
  kind: 'channel-settings',
  summary: 'how channels are set up: mode, agents, turnOrder, humanInterruptMode',
  detects: ({ value }) => {
    const channels = channelsOf(value)
    return channels.length > 0 && channels.every(([, { mode }]) => MODES.has(mode))
  },
  read: ({ value, path }) => ({
    group: stemOf(path),
    rows: channelRows(value),
    problems: [],
    requests: channelRequests(value, new Map()),
  }),
}

/** What one does not say, the defaults of the file say. */
function channelsOf(value: unknown): readonly (readonly [string, Members])[] {
  const { channels, defaults } = membersOf(value)
  const all = entriesOf(channels)
  if (!all.every(([, each]) => isMembers(each))) return []
  return all.map(([name, each]) => [name, { ...membersOf(defaults), ...membersOf(each) }])
}

export function channelRows(value: unknown): readonly ImportRow[] {
  const all = channelsOf(value)
  const roles = all.filter(([, { allowedRoles }]) => textsOf(allowedRoles).length > 0).length
  return [
    { what: 'channels', count: all.length, becomes: 'channels, with their agents seated' },
    ...left('roles that may speak, which are not known here', roles),
    ...left('descriptions of channels', all.filter(([, { description }]) => textOf(description) !== undefined).length),
  ]
}

/** `seats`: what is known of agents. A channel that is there is set as the file says. */
export function channelRequests(value: unknown, seats: ReadonlyMap<string, Members>): readonly ImportRequest[] {
  return channelsOf(value).flatMap(([name, { mode, agents, turnOrder: order, humanInterruptMode: human, ...rest }]) => {
    const channel = textOf(rest['id']) ?? name
    const input = { channel, ...defined({ name: rest['name'] ?? name, mode, order, human }) }
    return [
      { op: 'channel.create', input, unless: 'NAME_TAKEN' },
      { op: 'channel.set', input },
      ...textsOf(agents).map((agent) => ({ op: 'turn.join', input: { channel, agent, ...seats.get(agent) } })),
    ]
  })
}
