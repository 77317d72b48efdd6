/* R1. What the store owes a relay, offered to it; what it answered is noted. */
import type { ChatStore, Exchanged } from './exchange.ts'
import { GONE, type RelayEvent, type RelayLink } from './link.ts'

const MOST_ROUNDS = 1000
/** A relay checks each before it answers. */
const AT_A_TIME = 50

export async function publishAll(link: RelayLink, store: ChatStore, done: Exchanged): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { outbox } = await store.exchange(link.url)
    if (outbox.length === 0) return
    const offered = outbox.slice(0, AT_A_TIME)
    const answered = await offerAll(link, store, offered, done)
    done.waiting = outbox.length - answered
    if (answered < offered.length) return
  }
}

/** What the relay refused, once: it may want it by now. */
export async function offerAgain(link: RelayLink, store: ChatStore, done: Exchanged): Promise<void> {
  const { refused } = await store.exchange(link.url)
  for (let at = 0; at < refused.length; at += AT_A_TIME)
    await offerAll(link, store, refused.slice(at, at + AT_A_TIME), done)
}

/** Answers how many the relay has said its last word of. */
async function offerAll(
  link: RelayLink,
  store: ChatStore,
  offered: readonly RelayEvent[],
  done: Exchanged,
): Promise<number> {
  const answers = await Promise.all(offered.map(async (event) => ({ id: event.id, ...(await offer(link, event)) })))
  const published = answers.filter(({ refused }) => refused === null || !isPassing(refused))
  await store.synced({ relay: link.url, published })
  const left = answers.flatMap(({ refused }) => refused ?? [])
  done.published += answers.length - left.length
  done.refused += published.length - (answers.length - left.length)
  done.why = left[0] ?? done.why
  return published.length
}

/** Null when the relay has it now, or had it before. */
async function offer(link: RelayLink, event: RelayEvent): Promise<{ readonly refused: string | null }> {
  const { ok, message } = await link.publish(event)
  return { refused: ok || isKnown(message) ? null : message }
}

const isKnown = (message: string): boolean => message.startsWith('duplicate')

/** What may be otherwise next time; anything else is the relay's last word. */
const isPassing = (message: string): boolean => message === GONE || /^(error|rate-limited|auth-required):/.test(message)
