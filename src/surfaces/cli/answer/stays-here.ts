/* What is said without a signature where others sign: relays get none of it, and whoever said it may wait for an answer. */
import { membersOf } from '../../../kernel/json/members.ts'
import type { Event } from '../../../kernel/log/commit.ts'
import type { Session } from '../../../kernel/session.ts'

/** An author that has signed is a key. */
const KEY = /^[\da-f]{64}$/

export function staysHere(session: Session, events: readonly Event[]): string | undefined {
  const received = events.find(({ type }) => type === 'chat.received')
  const { conversation, events: said } = membersOf(received?.data)
  const [event] = Array.isArray(said) ? said.map(membersOf) : []
  if (event === undefined || event['sig'] !== null) return undefined
  const authors = membersOf(session.get(`$.conversation.threads[${JSON.stringify(conversation)}].authors`))
  if (!Object.keys(authors).some((author) => KEY.test(author))) return undefined
  return 'not signed: it stays here, and relays get none of it\nnext: --signed says it for relays, too'
}
