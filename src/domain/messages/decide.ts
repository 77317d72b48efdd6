/* What may happen to a message: one function an operation, M1–M6 of messages.ts. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import { timeText } from '../../kernel/log/time.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { firstKeys } from '../../kernel/state/heap.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { AgentsSlice } from '../agents/events.ts'
import { addressOf } from './address.ts'
import type {
  Channel,
  Delivered,
  Delivery,
  Message,
  MessageEvent,
  MessagesSlice,
  MessageType,
  Priority,
} from './events.ts'
import { afterFailure, EMERGENCIES, find, inboxOf, messageOf, messagesOf } from './messages.ts'

type Decided = Accepted<MessageEvent> | Refusal
type State = Readonly<Tree>

/** Of one inbox. Who has so many unread does not read. */
const MOST_OPEN = 10_000

export interface Letter {
  readonly to: readonly string[]
  readonly channel: Channel
  readonly type?: MessageType | undefined
  readonly priority: Priority
  readonly payload?: unknown
  readonly correlation_id?: string | undefined
  readonly ttl_ms?: number | undefined
  readonly max_deliveries: number
}

export function decideSend(root: State, letter: Letter, context: Context): Decided {
  const from = addressOf(context.actor)
  if (letter.channel === 'direct' && letter.to.length === 0)
    return refuse('INPUT_INVALID', 'a message needs somebody it is for', {
      hint: 'steadfold message send --to AGENT, or --channel broadcast for all',
    })
  const named = letter.to.length > 0 ? letter.to : everybody(root).filter((agent) => agent !== from)
  const to = [...new Set(named)]
  if (to.length === 0)
    return refuse('NOT_FOUND', 'nobody is there to hear it', {
      hint: 'agents are there when they are registered, or have had a message: steadfold agent list',
    })
  const full = to.find((agent) => (inboxOf(messagesOf(root), agent)?.open ?? 0) >= MOST_OPEN)
  if (full !== undefined)
    return refuse('LIMIT_REACHED', `${full} has ${MOST_OPEN} messages that it has not acknowledged`, {
      hint: `steadfold message list --agent ${quoted(full)} shows them`,
    })
  return accept(sent({ ...letter, from, to }, context))
}

export function sent(
  { from, ...letter }: Letter & { readonly from: string },
  { now, newId }: Pick<Context, 'now' | 'newId'>,
): MessageEvent & { type: 'message.sent' } {
  const { to, channel, max_deliveries } = letter
  const ttl_ms = letter.ttl_ms ?? null
  const correlation_id = letter.correlation_id ?? null
  const usual = correlation_id === null ? 'question' : 'answer'
  const message: Message = {
    id: newId(),
    from,
    to,
    channel,
    type: letter.type ?? (channel === 'direct' ? usual : 'alert'),
    priority: channel === 'emergency' ? 'critical' : letter.priority,
    payload: letter.payload ?? null,
    correlation_id,
    ttl_ms,
    expires: ttl_ms === null ? null : now + ttl_ms,
    max_deliveries,
  }
  return { type: 'message.sent', data: message }
}

/** Agents that are registered, and people with an inbox. Where no agent ever is, whoever has one. */
function everybody(root: State): readonly string[] {
  const agents = sliceOf<Pick<AgentsSlice, 'active'>>(root, 'execution.agents')?.active
  const inboxes = Object.keys(messagesOf(root)?.inboxes ?? {})
  if (agents === undefined) return inboxes
  return [...Object.keys(agents), ...inboxes.filter((name) => name.includes(':'))]
}

interface Receive {
  readonly agent?: string | undefined
  readonly max: number
  readonly lease_ms: number
}

/** M3 and M5 */
export function decideReceive(root: State, { agent, max, lease_ms }: Receive, { actor, now, seq }: Context): Decided {
  const slice = messagesOf(root)
  const name = agent ?? addressOf(actor)
  const inbox = inboxOf(slice, name)
  if (slice === undefined || inbox === undefined) return accept()
  const ids = firstKeys(inbox.ready, max, inbox.emergencies > 0 ? EMERGENCIES : Infinity)
  const lease = { agent: name, token: seq, by: actor, until: now + lease_ms }
  return accept(...ids.flatMap((id) => delivered(slice, id, lease)))
}

type Lease = Pick<Delivered, 'agent' | 'token' | 'by' | 'until'>

/** One that is taken is told whole. */
export function delivered(slice: MessagesSlice, id: string, lease: Lease): readonly MessageEvent[] {
  const stored = messageOf(slice, id)
  const { delivery } = find(slice, id, lease.agent)
  if (stored === undefined || delivery === undefined) return []
  const { id: _id, refs: _refs, ...message } = stored
  return [{ type: 'message.delivered', data: { id, ...lease, attempt: delivery.attempts + 1, message } }]
}

interface Answer {
  readonly id: string
  readonly token: number
  readonly agent?: string | undefined
}

export function decideAck(root: State, input: Answer, { actor }: Context): Decided {
  const { id, token } = input
  const agent = input.agent ?? addressOf(actor)
  return stale(root, id, agent, token) ?? accept({ type: 'message.acknowledged', data: { id, agent, token } })
}

export function decideRenew(
  root: State,
  input: Answer & { readonly lease_ms: number },
  { actor, now }: Context,
): Decided {
  const { id, token, lease_ms } = input
  const agent = input.agent ?? addressOf(actor)
  const until = now + lease_ms
  return stale(root, id, agent, token) ?? accept({ type: 'message.renewed', data: { id, agent, token, until } })
}

interface Return extends Answer {
  readonly reject: boolean
  readonly note?: string | undefined
}

export function decideReturn(root: State, input: Return, { actor }: Context): Decided {
  const { id, token, reject, note = null } = input
  const agent = input.agent ?? addressOf(actor)
  const refusal = stale(root, id, agent, token)
  if (refusal !== undefined) return refusal
  if (reject) return accept({ type: 'message.died', data: { id, agent, cause: 'rejected', note } })
  const slice = messagesOf(root)
  const attempts = find(slice, id, agent).delivery?.attempts ?? 0
  return accept(
    { type: 'message.returned', data: { id, agent, token, note } },
    ...afterFailure({ id, agent }, attempts, messageOf(slice, id)?.max_deliveries ?? 1),
  )
}

interface Dead {
  readonly id: string
  readonly agent: string
}

export const decideRevive = (root: State, { id, agent }: Dead, { now }: Context): Decided =>
  notDead(root, { id, agent }) ??
  overSince(root, { id, agent }, now) ??
  accept({ type: 'message.revived', data: { id, agent } })

export const decideDrop = (root: State, { id, agent }: Dead): Decided =>
  notDead(root, { id, agent }) ?? accept({ type: 'message.dropped', data: { id, agent } })

/** M3 */
function stale(root: State, id: string, agent: string, token: number): Refusal | undefined {
  const { delivery, inbox } = find(messagesOf(root), id, agent)
  if (delivery?.lease?.token === token) return undefined
  if (delivery === undefined && inbox === undefined)
    return refuse('NOT_FOUND', `${agent} has had no messages`, { hint: 'steadfold message list' })
  const sent = messageOf(messagesOf(root), id)
  if (sent !== undefined && !sent.to.includes(agent))
    return refuse('NOT_FOUND', `message ${id} was not sent to ${agent}`, { hint: 'steadfold message list' })
  const isDead = Object.hasOwn(inbox?.dead ?? {}, id)
  // What everybody has settled is forgotten.
  const message =
    delivery === undefined && sent === undefined && !isDead
      ? `message ${id} is not in the inbox of ${agent}: it was settled, or never sent to it`
      : `${agent} does not have message ${id} under token ${token}: ${placeOf(delivery, isDead)}`
  return refuse('LEASE_LOST', message, {
    hint: 'steadfold message receive gives what is to be done now',
    details: { id, agent, token },
  })
}

function placeOf(delivery: Delivery | undefined, isDead: boolean): string {
  if (delivery === undefined) return isDead ? 'it is a dead letter' : 'it is settled'
  return delivery.lease === null ? 'its lease ended' : 'it was delivered anew'
}

function notDead(root: State, { id, agent }: Dead): Refusal | undefined {
  if (Object.hasOwn(inboxOf(messagesOf(root), agent)?.dead ?? {}, id)) return undefined
  return refuse('NOT_FOUND', `${agent} has no dead letter ${id}`, { hint: 'steadfold message list --status dead' })
}

/** M6 */
function overSince(root: State, { id, agent }: Dead, now: number): Refusal | undefined {
  const expires = messageOf(messagesOf(root), id)?.expires ?? null
  if (expires === null || expires > now) return undefined
  return refuse(
    'LIFECYCLE_INVALID',
    `the ttl of message ${id} is over since ${timeText(expires)}: it would go at once`,
    {
      hint: `steadfold message send says it anew; steadfold message drop ${id} ${quoted(agent)} forgets it`,
      details: { id, agent, expires },
    },
  )
}
