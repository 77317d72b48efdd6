/* Whole events out of templates, and what arrives from elsewhere, as facts. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { admit, canonicalText, eventOf, MOST_CHARACTERS } from './admit.ts'
import { conversationsOf } from './conversation.ts'
import type { ChatEvent, ConversationEvent } from './events.ts'
import type { ConversationPorts } from './ports.ts'
import { isRefusal, type By, type Draft } from './speak.ts'
import { conversationOf } from './tags.ts'

export type Decided = Accepted<ConversationEvent> | Refusal
type State = Readonly<Tree>
type Make<Input> = (state: State, input: Input, by: By) => Draft

/** Filled in by `prepareSpeech` alone: what was signed, or why it was not. */
export interface Signing {
  readonly signed: boolean
  readonly event?: unknown
}

const SECOND = 1000

/** Signs what is to be said when that is asked for; `decide` says the rest itself. */
export async function prepareSpeech<Input extends Signing>(
  state: State,
  input: Input,
  make: Make<Input>,
  ports: ConversationPorts,
): Promise<Input> {
  if (!input.signed) return { ...input, event: undefined }
  const signer = await ports.signer()
  const draft = make(state, input, { author: signer.author, at: Math.floor(ports.now() / SECOND) })
  return { ...input, event: isRefusal(draft) ? draft : signer.sign(draft) }
}

export function decideSpeech<Input extends Signing>(
  state: State,
  input: Input,
  { make, sha256, context }: { make: Make<Input>; sha256: ConversationPorts['sha256']; context: Context },
): Decided {
  const event = input.signed ? signed(input.event) : plain(make(state, input, byOf(context)), sha256, context)
  if (isRefusal(event)) return event
  if (canonicalText(event).length > MOST_CHARACTERS)
    return refuse('VALUE_TOO_LARGE', `the message is longer than ${MOST_CHARACTERS} characters`, {
      hint: 'keep long texts in a file and say where it is',
    })
  if (event.id !== sha256(canonicalText(event)))
    return refuse('INPUT_INVALID', 'the message holds a secret, and what was signed cannot be changed', {
      hint: 'say it without; steadfold redact test FILE shows what is found',
    })
  const delivery = { origin: 'local', plain: true, verified: [true], sha256 }
  return accept(...admit(conversationsOf(state), [event], delivery, context))
}

export interface Ingest {
  readonly events: readonly unknown[]
  readonly origin: string
  readonly plain: boolean
  /** Conversations: what belongs to others is left. */
  readonly of?: readonly string[] | undefined
  /** Filled in by `prepareIngest` alone. */
  readonly verified?: unknown
}

/** C1: on copies, and before anything counts. What is known already is not looked at again. */
export async function prepareIngest<Given extends Ingest>(
  state: State,
  input: Given,
  ports: ConversationPorts,
): Promise<Given> {
  const places = conversationsOf(state)?.places ?? {}
  const given = input.events.filter((each) => isAmong(input.of, eventOf(each)))
  const events = given.map((each) => {
    const event = eventOf(each)
    return event === undefined || Object.hasOwn(places, event.id) ? undefined : event
  })
  const bySomebody = events.flatMap((event) => (event === undefined || event.sig === null ? [] : [event]))
  const verdicts = await ports.verify(bySomebody)
  const good = new Set<ChatEvent | undefined>(bySomebody.filter((_event, i) => verdicts[i] === true))
  const isWhole = (event: ChatEvent) => event.sig === null && event.id === ports.sha256(canonicalText(event))
  return {
    ...input,
    events: given,
    verified: events.map((event) => event !== undefined && (good.has(event) || isWhole(event))),
  }
}

/** What is no event is put on record, whatever was asked for. */
const isAmong = (of: readonly string[] | undefined, event: ChatEvent | undefined): boolean =>
  of === undefined || event === undefined || of.includes(conversationOf(event))

export function decideIngest(
  state: State,
  { events, origin, plain: believesPlain, verified }: Ingest,
  { sha256, context }: { sha256: ConversationPorts['sha256']; context: Context },
): Decided {
  // Made by prepareIngest from what the port answered, whatever came in.
  const delivery = { origin, plain: believesPlain, verified: verified as readonly boolean[], sha256 }
  return accept(...admit(conversationsOf(state), events, delivery, context))
}

const byOf = ({ now, actor }: Context): By => ({ author: actor, at: Math.floor(now / SECOND) })

/** What prepareSpeech has left: a refusal, or a whole event. */
function signed(prepared: unknown): ChatEvent | Refusal {
  if (typeof prepared === 'object' && prepared !== null && 'kind' in prepared && prepared.kind === 'refused')
    // Only `refuse` makes these.
    return prepared as Refusal
  return eventOf(prepared) ?? refuse('INPUT_INVALID', 'the signer gave no event')
}

/** The salt keeps two equal messages of one second apart. */
function plain(draft: Draft, sha256: ConversationPorts['sha256'], { actor, newId }: Context): ChatEvent | Refusal {
  if (isRefusal(draft)) return draft
  const { created_at, kind, content } = draft
  const event = { pubkey: actor, created_at, kind, tags: [...draft.tags, ['salt', newId()]], content }
  return { id: sha256(canonicalText(event)), ...event, sig: null }
}
