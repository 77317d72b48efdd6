/* What of an event goes into the history, in the words of `orchestration-state.json`. */
import type { Channel, ChannelEvent, Ended, Held, HistoryEntry } from './events.ts'

/** Of an agent from a channel. */
export const removalOf = (channelId: string, agentId: string, timestamp: string): HistoryEntry => ({
  timestamp,
  event: 'agent_removed',
  agentId,
  channelId,
  details: { channelId },
})

type Told = readonly [event: string, agent: string | null, details: Readonly<Record<string, unknown>>]

/** Undefined for what is no history: messages, extensions, settings. */
export function historyOf(channel: Channel, event: ChannelEvent, at: string): HistoryEntry | undefined {
  const told = tell(channel, event)
  if (told === undefined) return undefined
  const [name, agentId, details] = told
  const timestamp = event.type === 'turn.ended' ? event.data.at : at
  return { timestamp, event: name, ...(agentId === null ? {} : { agentId }), channelId: channel.id, details }
}

function tell(channel: Channel, { type, data }: ChannelEvent): Told | undefined {
  if (type === 'turn.started')
    return ['turn_started', data.agent, { timeoutAt: new Date(data.deadline).toISOString(), token: data.token }]
  if (type === 'turn.ended') return tellEnd(channel, data)
  if (type === 'turn.joined') return ['agent_registered', data.agent, { channelId: channel.id }]
  if (type === 'turn.left') return ['agent_removed', data.agent, { channelId: channel.id }]
  if (type === 'turn.went-offline') return tellChange(channel, data.agent, 'OFFLINE')
  if (type === 'turn.came-back') return tellChange(channel, data.agent, data.state)
  if (type === 'turn.held') return tellHold(channel, data)
  return type === 'turn.resumed' && channel.turn !== null
    ? tellChange(channel, channel.turn.agent, 'ACTIVE', { by: data.by })
    : undefined
}

const tellChange = (channel: Channel, agent: string, to: string, more: object = {}): Told => [
  'agent_state_change',
  agent,
  { from: channel.seats[agent]?.state ?? null, to, ...more },
]

function tellHold(channel: Channel, { kind, by, note, trip }: Held): Told | undefined {
  const agent = channel.turn?.agent ?? null
  if (kind === 'guard') return ['error', agent, { message: note, trip }]
  return agent === null ? undefined : tellChange(channel, agent, 'WAITING', { by })
}

function tellEnd({ turn }: Channel, { agent, reason, at, token }: Ended): Told {
  const lasted = turn === null ? 0 : Math.max(0, Date.parse(at) - Date.parse(turn.started_at))
  const details = { durationSeconds: Math.round(lasted / 1000), token }
  if (reason === 'timeout') return ['turn_timeout', agent, details]
  return ['turn_completed', agent, { reason: reason === 'complete' ? 'TURN_COMPLETE' : reason, ...details }]
}
