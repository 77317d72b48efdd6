/* Waits until there is something in an inbox. */
import type { Received } from '../domain/messages/events.ts'
import { assertSession } from '../kernel/about-session.ts'
import { actor, amount, assertOptions, signal, text, type Rule } from '../kernel/arguments.ts'
import { failure } from '../kernel/decision.ts'
import { EngineError } from '../kernel/error.ts'
import type { Session } from '../kernel/session.ts'
import { duration } from '../kernel/text/duration.ts'
import { changed, countdown, whileOpen } from './change.ts'

/** Where time gives something back and no file changes, it is looked at again so often. */
const LOOK_MS = 10_000

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
  return whileOpen(session, request.signal, (until) => waiting(session, request, until))
}

async function waiting(session: Session, asked: InboxRequest, until: AbortSignal): Promise<readonly Received[]> {
  const { agent, max, lease_ms, wait_ms = Infinity, actor: by } = asked
  const left = countdown(wait_ms)
  for (;;) {
    until.throwIfAborted()
    const answer = await session.run('message.receive', { agent, max, lease_ms }, { actor: by })
    if (answer.kind === 'refused') throw failure(answer)
    // The answer of message.receive; undefined where it wrote nothing.
    const messages = (answer.value ?? []) as readonly Received[]
    if (messages.length > 0) return messages
    if (left() <= 0)
      throw new EngineError('WAIT_TIMEOUT', `no message came within ${duration(wait_ms)}`, {
        hint: 'steadfold message list shows what is in the inboxes',
      })
    await changed(session, Math.min(left(), LOOK_MS, nextDeadline(session) - session.now()), until)
  }
}

/** When time alone may give a message back. */
function nextDeadline(session: Session): number {
  const first: unknown = session.get("$.communication.messages.deadlines.slots['0'][0]")
  return typeof first === 'number' ? first : Infinity
}
