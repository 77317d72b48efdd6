/* Waits until there is something in an inbox. */
import type { Received } from '../domain/messages/events.ts'
import { assertSession } from '../kernel/about-session.ts'
import { actor, amount, assertOptions, signal, text, type Rule } from '../kernel/arguments.ts'
import { EngineError } from '../kernel/error.ts'
import { accepted } from '../kernel/operation/answer.ts'
import type { Session } from '../kernel/session.ts'
import { duration } from '../kernel/text/duration.ts'
import { firstDue, search } from './change.ts'

export interface InboxRequest {
  /** Whose inbox; that of the actor when left out. */
  readonly agent?: string | undefined
  /** At most so many; 1 when left out. */
  readonly max?: number | undefined
  /** Nobody else gets them for so long; 30,000 when left out. */
  readonly lease_ms?: number | undefined
  /** Waits no longer; Infinity when left out. */
  readonly wait_ms?: number | undefined
  readonly actor?: string | undefined
  /** Ends the waiting, with its reason. */
  readonly signal?: AbortSignal | undefined
}

const RULES: Readonly<Record<keyof InboxRequest, Rule>> = {
  agent: text,
  max: amount,
  lease_ms: amount,
  wait_ms: amount,
  actor,
  signal,
}

/** Takes the next messages, one at least. Throws WAIT_TIMEOUT, and what `signal` aborts with. */
export async function receiveMessages(session: Session, request: InboxRequest): Promise<readonly Received[]> {
  assertSession(session, 'receiveMessages')
  assertOptions('receiveMessages', request, RULES)
  const { agent, max, lease_ms, wait_ms = Infinity, actor: by } = request
  return search(session, request, {
    look: async () => {
      const { value } = accepted(await session.run('message.receive', { agent, max, lease_ms }, { actor: by }))
      // The answer of message.receive.
      const messages = value as readonly Received[]
      return messages.length > 0 ? messages : undefined
    },
    due: () => firstDue(session, '$.communication.messages.deadlines'),
    late: () =>
      new EngineError('WAIT_TIMEOUT', `no message came within ${duration(wait_ms)}`, {
        hint: 'steadfold message list shows what is in the inboxes',
      }),
  })
}
