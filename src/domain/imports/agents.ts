/*
 * What agents of channels are like, a file each; with the channels where they speak, when those come along.
 *
 * B1. A seat has what the file says of turns: role, priority, time, and the words at which it interrupts. All of it is kept in
 *     `data.agent_settings`, for whoever starts the agent.
 * B2. One that is not enabled has its places, and is offline there.
 * B3. A channel of which nothing is known but its name is begun, where it is not there.
 */
import type { Detected, Importer, ImportPlan, ImportRequest, Source } from '../../kernel/exchange/importer.ts'
import { channelRequests, channelRows, channelSettings } from './channels.ts'
import { isMembers, membersOf, stemOf, textOf, textsOf, type Members } from './members.ts'
import { defined } from './teams.ts'

const SEATS = 'seats with role, priority, time and triggers'

export const agentSettings: Importer = {
  kind: 'agent-settings',
  summary: 'what an agent of channels is like: id, role, channels, turnBehavior, systemPrompt',
  detects: ({ value }) =>
    isMembers(value) &&
    textOf(value['role']) !== undefined &&
    (textOf(value['systemPrompt']) !== undefined ||
      (textOf(value['id']) !== undefined && Array.isArray(value['channels']) && isMembers(value['turnBehavior']))),
  read: (source) => planOf([source], undefined),
}

/** Agents that come together go into one session, and the only settings of channels with them. */
export function channelFolder(sources: readonly Source[]): readonly Detected[] {
  const files = sources.filter(agentSettings.detects)
  const [settings, second] = sources.filter(channelSettings.detects)
  const channels = second === undefined ? settings : undefined
  if (files.length === 0 || files.length + (channels === undefined ? 0 : 1) < 2) return []
  const joined = channels === undefined ? files : [channels, ...files]
  return [{ kind: agentSettings.kind, sources: joined, ...planOf(files, channels) }]
}

function planOf(files: readonly Source[], settings: Source | undefined): ImportPlan {
  const agents = files.map(agentOf)
  const seats = new Map(agents.map(({ id, seat }) => [id, seat]))
  const rest = agents.flatMap(({ id, channels, seat }) => channels.map((channel) => ({ channel, agent: id, ...seat })))
  const [first] = files
  const folder = first?.path.split('/').slice(0, -1).at(-1)
  return {
    group: stemOf(settings?.path ?? (files.length > 1 ? folder : undefined) ?? first?.path ?? 'agents'),
    rows: [
      ...(settings === undefined ? [] : channelRows(settings.value)),
      { what: 'agents', count: agents.length, becomes: 'data.agent_settings' },
      ...(rest.length === 0 ? [] : [{ what: 'channels of agents', count: rest.length, becomes: SEATS }]),
    ],
    problems: [],
    requests: [
      ...(settings === undefined ? [] : channelRequests(settings.value, seats)),
      ...[...new Set(rest.map(({ channel }) => channel))].map((channel) => ({
        op: 'channel.create',
        input: { channel },
        unless: 'NAME_TAKEN',
      })),
      ...rest.map((input) => ({ op: 'turn.join', input })),
      ...agents.flatMap(({ kept }) => kept),
    ],
  }
}

/** B1 B2 */
function agentOf({ value, path }: Source) {
  const { id: named, channels, turnBehavior, enabled, role, priority } = membersOf(value)
  const id = textOf(named) ?? stemOf(path)
  const { timeoutSeconds, canInterrupt: can_interrupt, interruptTriggers } = membersOf(turnBehavior)
  const triggers = textsOf(interruptTriggers)
  const seat: Members = defined({
    role,
    priority,
    timeout_ms: typeof timeoutSeconds === 'number' ? timeoutSeconds * 1000 : undefined,
    can_interrupt,
    ...(triggers.length > 0 ? { triggers } : {}),
  })
  const own = textsOf(channels)
  const away = enabled === false ? own : []
  const kept: readonly ImportRequest[] = [
    ...away.map((channel) => ({ op: 'turn.leave', input: { channel, agent: id, keep: true } })),
    { op: 'state.set', input: { path: `$.data.agent_settings[${JSON.stringify(id)}]`, value } },
  ]
  return { id, channels: own, seat, kept }
}
