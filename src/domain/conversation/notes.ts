/* C7. What this store knows about agents in a conversation, and how it is set up. */
import { accept, refuse, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import { endOf } from './build.ts'
import { conversationsOf, notesOf, threadOf } from './conversation.ts'
import type { Decided } from './decide.ts'
import type { AgentNotes, Config, ConversationTemplate, Cursor } from './events.ts'
import { isRefusal, placeOf } from './speak.ts'
import { authorOf } from './story.ts'

type State = Readonly<Tree>

/** Without a sign of life for so long, an execution has ended without saying so. */
const STALE_MS = 15 * 60_000

export interface OfAgent {
  readonly conversation: string
  readonly agent?: string | undefined
}

export function decideSeen(state: State, input: OfAgent & { cursor?: Cursor | undefined }, context: Context): Decided {
  const found = agentIn(state, input, context)
  if (isRefusal(found)) return found
  const { of, sources } = found
  const counts = Object.fromEntries(sources.map((id) => [id, threadOf(conversationsOf(state), id)?.events.length ?? 0]))
  const cursor = input.cursor ?? endOf(found.slice, found.timeline)
  const wrong = Object.entries(cursor).find(([id, seen]) => seen > (Object.hasOwn(counts, id) ? (counts[id] ?? 0) : 0))
  if (wrong !== undefined)
    return refuse('INPUT_INVALID', `a cursor of ${wrong[1]} is behind the end of conversation ${wrong[0]}`, {
      hint: 'take the cursor that chat read gave',
    })
  const before = found.notes.cursor
  const isKnown = Object.entries(cursor).every(([id, seen]) => seen <= (before[id] ?? 0))
  // C4: noted where it was said, too, so that it is read there, and wherever that is led to later.
  const there = sources.slice(1).flatMap((id) => {
    const seen = seenIn(found, id, cursor[id] ?? 0)
    return seen > (found.notesIn(id).cursor[id] ?? 0) ? [{ conversation: id, cursor: { [id]: seen } }] : []
  })
  if (isKnown && there.length === 0) return accept()
  return accept(
    { type: 'chat.seen', data: { ...of, cursor } },
    ...there.map((data) => ({ type: 'chat.seen' as const, data: { ...data, agent: of.agent } })),
  )
}

/** As far as all that was said there is in the conversation: of what it shares a past with, the rest was not given. */
function seenIn({ thread, notesIn, byId }: Found, id: string, given: number): number {
  const events = thread(id)?.events ?? []
  const known = Math.min(notesIn(id).cursor[id] ?? 0, given)
  const unknown = events.slice(known, given).findIndex((event) => !byId.has(event.id))
  return unknown < 0 ? given : known + unknown
}

export function decideRemember(
  state: State,
  input: OfAgent & { key: string; value?: string | undefined },
  context: Context,
): Decided {
  const found = agentIn(state, input, context)
  if (isRefusal(found)) return found
  const { key, value = null } = input
  if ((found.notes.memory[key] ?? null) === value) return accept()
  return accept({ type: 'chat.remembered', data: { ...found.of, key, value } })
}

export function decideFile(state: State, input: OfAgent & { path: string }, context: Context): Decided {
  const found = agentIn(state, input, context)
  return isRefusal(found) ? found : accept({ type: 'chat.file-read', data: { ...found.of, path: input.path } })
}

export type ExecutionAction = 'start' | 'note' | 'stop'

export function decideExecution(state: State, input: OfAgent & { action: ExecutionAction }, context: Context): Decided {
  const found = agentIn(state, input, context)
  if (isRefusal(found)) return found
  const { of, notes } = found
  const { started, active } = notes.execution
  if (started === null || active === null) {
    if (input.action === 'start') return accept({ type: 'chat.execution-started', data: of })
    return refuse('LIFECYCLE_INVALID', `${of.agent} does not run in conversation ${of.conversation}`, {
      hint: `steadfold chat execution ${of.conversation} start --agent ${quoted(of.agent)}`,
    })
  }
  const stale = isStale(notes, context.now)
  const ended = {
    type: 'chat.execution-stopped',
    data: { ...of, ms: (stale ? active : context.now) - started, stale },
  } as const
  if (input.action === 'stop') return accept(ended)
  if (stale) return accept(ended, { type: 'chat.execution-started', data: of })
  return accept({ type: 'chat.execution-noted', data: of })
}

export const isStale = ({ execution }: AgentNotes, now: number): boolean =>
  execution.active !== null && now - execution.active > STALE_MS

export const decideConfigure = (_state: State, input: Partial<Config>): Decided =>
  Object.keys(input).length === 0 ? accept() : accept({ type: 'chat.configured', data: input })

export function decideTemplate(
  state: State,
  { name, remove, template }: { name: string; remove: boolean; template: ConversationTemplate },
): Decided {
  const known = Object.hasOwn(conversationsOf(state)?.templates ?? {}, name)
  if (remove && !known) return refuse('NOT_FOUND', `no template "${name}"`, { hint: 'steadfold chat templates' })
  return accept({ type: 'chat.template-set', data: { name, template: remove ? null : template } })
}

type Found = Exclude<ReturnType<typeof agentIn>, Refusal>

/** Who is meant: named, or whoever asks. */
function agentIn(state: State, { conversation, agent }: OfAgent, { actor }: Pick<Context, 'actor'>) {
  const place = placeOf(state, conversation)
  if (isRefusal(place)) return place
  const { slice, timeline } = place
  const { id, story, sources, byId } = timeline
  const name = agent === undefined ? actor : authorOf(story, agent)
  const thread = (of: string) => threadOf(slice, of)
  const notesIn = (of: string) => notesOf(thread(of), name)
  return { of: { conversation: id, agent: name }, notes: notesIn(id), notesIn, thread, sources, byId, slice, timeline }
}
