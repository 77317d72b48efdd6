/** A call of a tool: arguments in, the answer of an operation out. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { calledNow } from '../../kernel/about-session.ts'
import { EngineError } from '../../kernel/error.ts'
import { membersOf } from '../../kernel/json/members.ts'
import type { Accepted, Answer, RunOptions } from '../../kernel/operation/answer.ts'
import { nothingAt } from '../../kernel/path/nothing-at.ts'
import type { Session } from '../../kernel/session.ts'
import { kept } from '../../kernel/text/kept.ts'
import { split, type Shared } from './arguments.ts'
import { chosenSession } from './choose.ts'
import { asRefusal, refused } from './errors.ts'
import { pageOf, placeOf } from './pages.ts'
import type { McpParts } from './parts.ts'
import type { Tool } from './tools.ts'
import { inboxOf } from './views.ts'

/** A model reads this much, and more is a mistake. */
const MOST_CHARACTERS = 100_000

export interface Callers {
  readonly parts: McpParts
  readonly tools: readonly Tool[]
  /** Who asks where the call does not say so. */
  readonly actor: string
}

export async function callTool(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  { parts, tools, actor }: Callers,
): Promise<CallToolResult> {
  try {
    return answered(tool, await resultOf(tool, args, parts, actor))
  } catch (error) {
    const no = asRefusal(error)
    const names = tools.map(({ described }) => described.name)
    // Its own hint names the command that shows the schema, which a model has before it.
    const { code, message, details } = no
    if (code === 'INPUT_INVALID' && details !== undefined)
      return refused({ code, message, details, hint: takesOf(tool) }, names)
    const hint = no.hint === undefined ? undefined : kept(no.hint, { dir: parts.dir, session: named(parts, args) })
    return refused({ code, message, details, hint }, names)
  }
}

/** The shell of the agent has to be told of the session that the call named, or the server was started for. */
function named({ sessions, session }: McpParts, args: Readonly<Record<string, unknown>>): string | undefined {
  const word = typeof args['session'] === 'string' ? args['session'] : session
  return word === undefined ? undefined : calledNow(sessions.held, word)
}

type Structured = Readonly<Record<string, unknown>>

/** A2 */
function withoutNulls({ described }: Tool, args: Structured): Structured {
  const { properties = {} } = described.inputSchema
  const isNone = ([name, value]: readonly [string, unknown]) =>
    value === null && membersOf(properties[name])['type'] !== undefined
  return Object.fromEntries(Object.entries(args).filter((each) => !isNone(each)))
}

async function resultOf(tool: Tool, args: Structured, parts: McpParts, actor: string): Promise<Structured> {
  const { shared, input } = split(withoutNulls(tool, args), tool.use, tool.fields)
  if (tool.operation === undefined) return viewOf(tool, parts, shared)
  const { name } = tool.operation
  const cut = shared.cursor === undefined ? undefined : placeOf(shared.cursor)
  if (cut !== undefined && shared.at !== undefined)
    throw new EngineError('INPUT_INVALID', 'cursor and at are two points in time', { hint: 'leave at out' })
  const options: RunOptions = {
    actor: shared.actor ?? actor,
    key: shared.idempotency_key,
    ifSeq: shared.expected_seq,
    at: cut?.seq ?? shared.at,
  }
  return parts.sessions.ask(await chosenSession(parts, shared.session), async (session) => {
    const answer = accepted(await session.run(name, input, options))
    const path = typeof input['path'] === 'string' ? input['path'] : '$'
    if (tool.use === 'read' && answer.value === undefined)
      throw nothingAt(await session.get('$', { at: answer.seq }), path, (deepest) => `steadfold state get ${deepest}`)
    return structured(tool, session, answer, cut?.from ?? 0)
  })
}

function accepted(answer: Answer): Accepted {
  if (answer.kind === 'accepted') return answer
  throw new EngineError(answer.code, answer.message, answer)
}

function structured(tool: Tool, { id }: Session, { seq, events, value, repeated }: Accepted, from: number): Structured {
  const whose = { session: id, seq }
  if (tool.use === 'list') return { ...whose, ...pageOf(Array.isArray(value) ? value : [], { seq, from }) }
  if (tool.use === 'read') return { ...whose, value }
  return {
    ...whose,
    events: events.map(({ type }) => type),
    ...(value === undefined ? {} : { value }),
    ...(repeated === true ? { repeated } : {}),
  }
}

async function viewOf({ described }: Tool, parts: McpParts, { session }: Shared): Promise<Structured> {
  if (described.name === 'inbox_list') {
    const { needs_you: all } = await inboxOf(parts)
    // A name that nothing has is said, as by every tool.
    const id = session === undefined ? undefined : await parts.sessions.use(session, async (found) => found.id)
    const items = id === undefined ? all : all.filter((need) => need.session === id)
    return { items, total: items.length }
  }
  return parts.sessions.use(await chosenSession(parts, session), async (found) => {
    const { row, lost, needs } = await parts.glance(found)
    return { session: found.id, seq: row.seq, value: { ...row, lost, needs } }
  })
}

function answered({ described }: Tool, structuredContent: Structured): CallToolResult {
  const text = JSON.stringify(structuredContent)
  if (text.length > MOST_CHARACTERS) throw tooMuch(described.name, text.length, structuredContent['value'])
  return { content: [{ type: 'text', text }], structuredContent }
}

function tooMuch(name: string, characters: number, value: unknown): EngineError {
  const members = typeof value === 'object' && value !== null ? Object.keys(value).slice(0, 30) : []
  return new EngineError('VALUE_TOO_LARGE', `${name} would answer with ${characters} characters`, {
    hint: members.length > 0 ? `ask for one of its members: ${members.join(', ')}` : 'ask for less',
  })
}

const takesOf = ({ described: { inputSchema } }: Tool): string => {
  const required = inputSchema.required ?? []
  const names = Object.keys(inputSchema.properties ?? {})
  return `it takes ${names.map((name) => (required.includes(name) ? `${name} (required)` : name)).join(', ')}`
}
