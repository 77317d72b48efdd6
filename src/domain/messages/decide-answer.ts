/* What is answered is settled in the same commit: M7 of messages.ts. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import { addressOf } from './address.ts'
import { decideSend, delivered } from './decide.ts'
import type { MessageEvent } from './events.ts'
import { find, messageOf, messagesOf } from './messages.ts'

interface Answer {
  readonly id: string
  readonly payload: unknown
  readonly agent?: string | undefined
  readonly max_deliveries: number
}

export function decideAnswer(
  root: Readonly<Tree>,
  { id, payload, agent: named, max_deliveries }: Answer,
  context: Context,
): Accepted<MessageEvent> | Refusal {
  const { actor, now, seq } = context
  const agent = named ?? addressOf(actor)
  const slice = messagesOf(root)
  const asked = messageOf(slice, id)
  const { delivery } = find(slice, id, agent)
  if (slice === undefined || asked === undefined || delivery === undefined) return gone(id, agent)
  const { lease } = delivery
  if (lease !== null && lease.by !== actor) return taken(id, lease)
  const { from, priority } = asked
  const letter = { to: [from], channel: 'direct', type: 'answer', correlation_id: id } as const
  const sent = decideSend(root, { ...letter, priority, payload, max_deliveries }, context)
  if (sent.kind === 'refused') return sent
  const token = lease?.token ?? seq
  const received = lease === null ? delivered(slice, id, { agent, token, by: actor, until: now }) : []
  return accept(...received, { type: 'message.acknowledged', data: { id, agent, token } }, ...sent.events)
}

const gone = (id: string, agent: string): Refusal =>
  refuse('NOT_FOUND', `message ${id} waits for no answer of ${agent}: it was settled, or never sent to it`, {
    hint: `steadfold message list --agent ${quoted(agent)}`,
    details: { id, agent },
  })

const taken = (id: string, { by, until }: { readonly by: string; readonly until: number }): Refusal =>
  refuse('LEASE_HELD', `${by} has taken message ${id}, and may answer it`, {
    hint: 'wait until its lease is over',
    details: { id, by, until },
  })
