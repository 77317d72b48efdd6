/* `communication.message_queues` and `communication.channels`: what somebody still wants, in the order in which it comes. */
import type { View } from '../../kernel/document/view.ts'
import type { Channel, Stored } from './events.ts'
import { messagesOf } from './messages.ts'
import { handoffRows, messageRows } from './views.ts'

type Messages = Readonly<Record<string, Stored>>

export const queuesView: View = {
  derive: (state, { now }) => {
    const messages = messagesOf(state)?.messages ?? {}
    const queues: Record<string, unknown[]> = {}
    for (const { agent, id, status } of messageRows(state, {}, now)) {
      const message = messages[id]
      if (message !== undefined && status !== 'dead') (queues[agent] ??= []).push(asDocument(message))
    }
    return queues
  },
}

export const channelsView: View = {
  derive: (state, { now }) => {
    const messages = messagesOf(state)?.messages ?? {}
    return {
      broadcast: inChannel(messages, 'broadcast', now),
      emergency: inChannel(messages, 'emergency', now),
      handoffs: handoffRows(state, {}),
    }
  },
}

const inChannel = (messages: Messages, channel: Channel, now: number) =>
  Object.values(messages)
    .filter((message) => message.channel === channel && (message.expires ?? Infinity) > now)
    .map(asDocument)

function asDocument({ id, timestamp, from, to, type, priority, payload, correlation_id, ttl_ms }: Stored) {
  const [only] = to
  return {
    id,
    timestamp,
    from,
    to: to.length === 1 && only !== undefined ? only : to,
    type,
    priority,
    payload,
    correlation_id,
    ttl: ttl_ms === null ? null : Math.ceil(ttl_ms / 1000),
  }
}
