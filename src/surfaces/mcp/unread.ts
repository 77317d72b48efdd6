/** What waits for an agent: messages of its inbox, work that is offered to it, conversations it takes part in. */
import type { Session } from '../../kernel/session.ts'
import { rowsOf, valueOf, type Row } from './reading.ts'

export interface Unread {
  readonly messages: readonly Row[]
  readonly handoffs: readonly Row[]
  readonly conversations: readonly { readonly conversation: string; readonly unread: unknown }[]
}

const MOST = 50

export async function unreadOf(session: Session, agent: string): Promise<Unread> {
  const messages = await rowsOf(session, 'message.list', { agent, status: 'ready' })
  const handoffs = await rowsOf(session, 'handoff.list', { agent, status: 'pending' })
  const conversations = []
  for (const { id } of await rowsOf(session, 'chat.list', { agent })) {
    const conversation = String(id)
    const unread = await valueOf(session, 'chat.unread', { conversation, agent })
    if (!isEmpty(unread)) conversations.push({ conversation, unread })
  }
  return {
    messages: messages.slice(0, MOST),
    handoffs: handoffs.filter(({ to_agent }) => to_agent === agent).slice(0, MOST),
    conversations,
  }
}

const isEmpty = (unread: unknown): boolean => (Array.isArray(unread) ? unread.length === 0 : unread === null)
