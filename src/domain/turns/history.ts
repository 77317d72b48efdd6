/* What of an event goes into the history, in the words of `orchestration-state.json`. */
import type { Channel, ChannelEvent, Ended, HistoryEntry } from './events.ts'

type Told = readonly [event: string, agent: string | null, details: Readonly<Record<string, unknown>>]

/** Undefined for what is no history: messages, extensions, settings. */
export function historyOf(channel: Channel, event: ChannelEvent, at: string): HistoryEntry | undefined {
  const told = tell(channel, event, at)
  if (told === undefined) return undefined
  const [name, agentId, details] = told
  const timestamp = event.type === 'turn.ended' ? event.data.at : at
  return { timestamp, event: name, ...(agentId === null ? {} : { agentId }), channelId: channel.id, details }
}

function tell(channel: Channel, { type, data }: ChannelEvent, at: string): Told | undefined {
  const { turn } = channel
  if (type === 'turn.started')
    return ['turn_started', data.agent, { timeoutAt: new Date(data.deadline).toISOString(), token: data.token }]
  if (type === 'turn.ended') return tellEnd(channel, data)
  if (type === 'turn.joined') return ['agent_registered', data.agent, { channelId: channel.id }]
  if (type === 'turn.left') return ['agent_removed', data.agent, { channelId: channel.id }]
  if (type === 'turn.went-offline' || type === 'turn.came-back') {
    const from = channel.seats[data.agent]?.state ?? null
    return ['agent_state_change', data.agent, { from, to: type === 'turn.went-offline' ? 'OFFLINE' : data.state }]
  }
  if (type === 'turn.held' && data.kind === 'guard')
    return ['error', turn?.agent ?? null, { message: data.note, trip: data.trip, at }]
  if (turn === null) return undefined
  if (type === 'turn.held') return ['agent_state_change', turn.agent, { from: 'ACTIVE', to: 'WAITING', by: data.by }]
  if (type === 'turn.resumed') return ['agent_state_change', turn.agent, { from: 'WAITING', to: 'ACTIVE', by: data.by }]
  return undefined
}

function tellEnd({ turn }: Channel, { agent, reason, at, token }: Ended): Told {
  const lasted = turn === null ? 0 : Math.max(0, Date.parse(at) - Date.parse(turn.started_at))
  const details = { durationSeconds: Math.round(lasted / 1000), token }
  if (reason === 'timeout') return ['turn_timeout', agent, details]
  return ['turn_completed', agent, { reason: reason === 'complete' ? 'TURN_COMPLETE' : reason, ...details }]
}
