/* C1. What may count of what arrives, and why the rest may not. */
import { isDeeper, isStorableKey } from '../../kernel/json/rules.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { isActor } from '../../kernel/text/actor.ts'
import { whole } from '../../kernel/text/whole.ts'
import { DEFAULT_CONFIG } from './conversation.ts'
import type { ChatEvent, Config, ConversationEvent, ConversationSlice, Reason } from './events.ts'
import { conversationOf, isKey } from './tags.ts'

/** The same in every store, or sets would differ: characters of an event as JSON. */
export const MOST_CHARACTERS = 128 * 1024
/** An event may be this far ahead of the clock; further ones wait. */
const AHEAD_MS = 15 * 60_000
const LONGEST_NAME = 200
const MOST_QUARANTINED = 10_000
const EXCERPT = 200
const SIGNATURE = /^[0-9a-f]{128}$/
const MOST_KIND = 65_535

export interface Delivery {
  readonly origin: string
  /** Whether unsigned events are believed. */
  readonly plain: boolean
  /** For each event whether it was found whole, and signed if it is, as it came. */
  readonly verified: readonly boolean[]
  readonly sha256: (text: string) => string
}

/** NIP-01: what the id is the hash of. */
export const canonicalText = (event: Omit<ChatEvent, 'id' | 'sig'>): string =>
  JSON.stringify([0, event.pubkey, event.created_at, event.kind, event.tags, event.content])

/** The facts that a delivery comes to. Duplicates, and kinds that do not count, come to none. */
export function admit(
  slice: ConversationSlice | undefined,
  given: readonly unknown[],
  delivery: Delivery,
  { now }: Pick<Context, 'now'>,
): readonly ConversationEvent[] {
  const { kinds }: Config = slice?.config ?? DEFAULT_CONFIG
  const threads = new Map<string, ChatEvent[]>()
  const others: ConversationEvent[] = []
  const seen = new Set<string>()
  for (const [place, each] of given.entries()) {
    const event = eventOf(each)
    if (event !== undefined && isKnown(slice, event.id)) continue
    const reason = event === undefined ? 'malformed' : wrongWith(event, delivery, delivery.verified[place] === true)
    if (event === undefined || reason !== undefined) {
      others.push(...quarantined(slice, each, reason ?? 'malformed', delivery.origin))
      continue
    }
    if (!kinds.includes(event.kind) || seen.has(event.id)) continue
    seen.add(event.id)
    const conversation = conversationOf(event)
    const until = event.created_at * 1000 - AHEAD_MS
    if (until > now) others.push({ type: 'chat.held', data: { conversation, event, until } })
    else if (threads.get(conversation)?.push(event) === undefined) threads.set(conversation, [event])
  }
  const { origin } = delivery
  const received = [...threads].map(([conversation, events]): ConversationEvent => ({
    type: 'chat.received',
    data: { conversation, events, origin },
  }))
  return [...received, ...others]
}

/** A copy with nothing but the seven members, in which nobody can have hidden an answer; undefined when it is no event. */
export function eventOf(given: unknown): ChatEvent | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  // Each member is looked at before it is believed.
  const { id, pubkey, created_at, kind, tags, content, sig = null } = given as Record<string, unknown>
  if (typeof id !== 'string' || !isKey(id) || !isText(content) || !isTags(tags)) return undefined
  if (!isCount(created_at) || !isCount(kind) || kind > MOST_KIND) return undefined
  if (typeof pubkey !== 'string' || !isAuthor(pubkey, sig)) return undefined
  if (sig !== null && !isSignature(sig)) return undefined
  return { id, pubkey, created_at, kind, tags: tags.map((tag) => [...tag]), content, sig }
}

/** Keys sign; actors of this store need not. */
const isAuthor = (pubkey: string, sig: unknown): boolean => isKey(pubkey) || (sig === null && isActor(pubkey))
const isSignature = (sig: unknown): sig is string => typeof sig === 'string' && SIGNATURE.test(sig)

function wrongWith(event: ChatEvent, { plain, sha256 }: Delivery, verified: boolean): Reason | undefined {
  const text = canonicalText(event)
  if (text.length > MOST_CHARACTERS) return 'too large'
  const conversation = conversationOf(event)
  if (conversation === '' || conversation.length > LONGEST_NAME || !isStorableKey(conversation)) return 'conversation'
  // What was taken out since it was verified is a secret, which no log may hold.
  if (event.id !== sha256(text)) return verified ? 'secret' : 'id'
  if (event.sig === null) return plain && !isKey(event.pubkey) ? undefined : 'unsigned'
  return verified ? undefined : 'signature'
}

const isKnown = (slice: ConversationSlice | undefined, id: string): boolean =>
  slice !== undefined && (Object.hasOwn(slice.places, id) || Object.hasOwn(slice.held, id))

function quarantined(
  slice: ConversationSlice | undefined,
  given: unknown,
  reason: Reason,
  origin: string,
): readonly ConversationEvent[] {
  const said = isDeeper(given) ? TOO_DEEP : (JSON.stringify(given) ?? String(given))
  const excerpt = whole(clean(said), EXCERPT)
  const id = whole(clean(idOf(given) ?? excerpt), 64)
  const known = slice?.quarantine ?? {}
  const key = `${id} ${reason}`
  if (Object.hasOwn(known, key) || !isStorableKey(key) || isFull(known)) return []
  return [{ type: 'chat.quarantined', data: { id, reason, origin, excerpt } }]
}

const TOO_DEEP = 'it is nested deeper than anything that is kept'

function idOf(given: unknown): string | undefined {
  const id: unknown = typeof given === 'object' && given !== null && 'id' in given ? given.id : undefined
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** Who floods a store with rubbish gets no more room than this. */
function isFull(known: object): boolean {
  let count = 0
  for (const _key in known) if (++count >= MOST_QUARANTINED) return true
  return false
}

const clean = (text: string): string => text.replaceAll(/[\p{Surrogate}\p{Cc}]/gu, ' ')

const isText = (value: unknown): value is string => typeof value === 'string' && value.isWellFormed()
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0)

function isTags(value: unknown): value is readonly (readonly string[])[] {
  return Array.isArray(value) && value.every((tag) => Array.isArray(tag) && tag.length > 0 && tag.every(isText))
}
