import type { Tree } from '../../kernel/state/module.ts'
import type { Handoff, HandoffStatus, Inbox, MessagesSlice, MessageType, Channel, Priority } from './events.ts'
import { handoffsOf } from './handoffs.ts'
import { messagesOf } from './messages.ts'

export type DeliveryStatus = 'ready' | 'leased' | 'dead'

/** One line of `message list`: a message in one inbox. */
export interface MessageRow {
  readonly id: string
  readonly agent: string
  readonly status: DeliveryStatus
  readonly from: string
  readonly channel: Channel
  readonly type: MessageType
  readonly priority: Priority
  readonly payload: unknown
  readonly correlation_id: string | null
  readonly timestamp: string
  /** How often it was delivered. */
  readonly attempts: number
  /** Of the lease, while there is one. */
  readonly token: number | null
  /** End of its ttl; ISO 8601. */
  readonly expires_at: string | null
  /** Why it is dead. */
  readonly cause: string | null
}

interface Wanted {
  readonly agent?: string | undefined
  readonly status?: DeliveryStatus | undefined
  readonly correlation_id?: string | undefined
}

/** By inbox, in the order in which each gives its messages. */
export function messageRows(root: Readonly<Tree>, wanted: Wanted, now: number): readonly MessageRow[] {
  const slice = messagesOf(root)
  if (slice === undefined) return []
  const { agent, status, correlation_id } = wanted
  return Object.entries(slice.inboxes)
    .filter(([name]) => agent === undefined || name === agent)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, inbox]) => rowsOf(slice, name, inbox, now))
    .filter((row) => status === undefined || row.status === status)
    .filter((row) => correlation_id === undefined || row.correlation_id === correlation_id)
}

interface Entry {
  readonly id: string
  readonly order: number
  readonly attempts: number
  readonly status: DeliveryStatus
  readonly token: number | null
  readonly cause: string | null
}

function rowsOf(slice: MessagesSlice, agent: string, inbox: Inbox, now: number): readonly MessageRow[] {
  return entriesOf(slice, inbox, now)
    .toSorted((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1))
    .flatMap(({ id, attempts, status, token, cause }) => {
      const message = slice.messages[id]
      const expires = message?.expires ?? null
      if (message === undefined || (status === 'ready' && expires !== null && expires <= now)) return []
      const { from, channel, type, priority, payload, correlation_id, timestamp } = message
      const expires_at = expires === null ? null : new Date(expires).toISOString()
      const said = { from, channel, type, priority, payload, correlation_id, timestamp }
      return [{ id, agent, status, ...said, attempts, token, expires_at, cause }]
    })
}

/** As it is now: M4 may not have been told yet. */
function entriesOf({ messages }: MessagesSlice, { deliveries, dead }: Inbox, now: number): readonly Entry[] {
  return [
    ...Object.entries(deliveries).map(([id, { order, attempts, lease }]): Entry => {
      const token = lease !== null && lease.until > now ? lease.token : null
      const isSpent = lease !== null && token === null && attempts >= (messages[id]?.max_deliveries ?? Infinity)
      if (isSpent) return { id, order, attempts, status: 'dead', token, cause: 'deliveries' }
      return { id, order, attempts, status: token === null ? 'ready' : 'leased', token, cause: null }
    }),
    ...Object.entries(dead).map(([id, { order, attempts, cause, note }]): Entry => ({
      id,
      order,
      attempts,
      status: 'dead',
      token: null,
      cause: note === null ? cause : `${cause}: ${note}`,
    })),
  ]
}

interface WantedHandoffs {
  readonly agent?: string | undefined
  readonly status?: HandoffStatus | undefined
  readonly task_id?: string | undefined
}

/** Those from or to an agent, oldest first. */
export function handoffRows(root: Readonly<Tree>, { agent, status, task_id }: WantedHandoffs): readonly Handoff[] {
  return Object.values(handoffsOf(root) ?? {})
    .filter(({ from_agent, to_agent }) => agent === undefined || from_agent === agent || to_agent === agent)
    .filter((handoff) => status === undefined || handoff.status === status)
    .filter((handoff) => task_id === undefined || handoff.task_id === task_id)
    .toSorted((a, b) => (a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1))
}
