/*
 * What opencode 1 loads in its own process: there its events are told as other agent CLIs tell theirs.
 *
 *   events ──► hook.sh: kept, no answer
 *   first prompt of a session, or first behind a cut ──► hook: where the agent stands ──► a part of that prompt
 *
 * O1. Whatever goes wrong, opencode goes on; only a gate that says no stops a tool.
 * O2. What is told stays in order: one program after the other.
 * O3. What a subagent does belongs to the session that asked for it.
 */
import { hasWorkspace, serverOf } from './opencode-server.ts'
import { membersOf, Teller, textOf, type Members, type Options } from './opencode-teller.ts'

export { opencodeSetup } from './opencode-two.ts'

/** Of a message; an id sorts where it stands in it. */
interface Part {
  readonly id: string
  readonly type: string
  readonly text?: string
  readonly [more: string]: unknown
}

interface Event {
  readonly type: string
  readonly properties?: Members
}

interface Called {
  readonly tool: string
  readonly sessionID: string
  readonly args?: unknown
}

/** The hooks of opencode 1.x that are used; `@opencode-ai/plugin` has their shapes. */
export function opencodeHooks(cwd: string, { gate, node }: Options) {
  const teller = new Teller(cwd, node)
  return {
    config: async (config: { mcp?: Record<string, unknown> }) => {
      if (hasWorkspace(cwd)) config.mcp = { steadfold: { ...serverOf(node), enabled: true }, ...config.mcp }
    },
    event: async ({ event }: { readonly event: Event }) => heard(teller, event),
    'chat.message': async (
      { sessionID }: { readonly sessionID: string },
      { message, parts }: { readonly message: { readonly id: string }; readonly parts: Part[] },
    ) => {
      const text = await teller.prompted(sessionID, textIn(parts))
      const before = parts.at(-1)
      if (text === '' || before === undefined) return
      parts.push({ id: `${before.id}s`, sessionID, messageID: message.id, type: 'text', text, synthetic: true })
    },
    ...toolHooks(teller, gate),
    dispose: () => teller.ended(),
  }
}

function toolHooks(teller: Teller, gate: boolean) {
  return {
    'tool.execute.before': async ({ tool, sessionID }: Called, { args }: { readonly args: unknown }) => {
      const told = ['tool.execute.before', sessionID, { tool_name: tool, tool_input: args }] as const
      const no = gate ? await teller.gate(...told) : void (await teller.tell(...told))
      if (no !== undefined) throw new Error(no)
    },
    'tool.execute.after': async (
      { tool, sessionID, args }: Called,
      { metadata, ...response }: { readonly metadata?: unknown },
    ) => {
      const tool_response = { ...response, is_error: Number(membersOf(metadata)['exit'] ?? 0) !== 0 }
      await teller.tell('tool.execute.after', sessionID, { tool_name: tool, tool_input: args, tool_response })
    },
  }
}

function heard(teller: Teller, { type, properties = {} }: Event): Promise<unknown> {
  const { sessionID, info, error, part } = properties
  const session = textOf(sessionID) || textOf(membersOf(info)['id']) || textOf(membersOf(part)['sessionID'])
  switch (type) {
    case 'session.created':
      return teller.created(session, membersOf(info)['parentID'])
    case 'session.idle':
      return teller.idle(session)
    case 'session.error':
      return failed(teller, session, membersOf(error))
    case 'session.compacted':
      return teller.cut(session)
    case 'session.deleted':
      return teller.tell(type, session)
    case 'permission.asked':
    case 'question.asked':
      return teller.tell(type, session, { message: questionIn(properties) })
    case 'message.part.updated':
      return toolFailed(teller, session, membersOf(part))
    default:
      return Promise.resolve()
  }
}

/** One that a person gave up is none. */
async function failed(teller: Teller, session: string, { name, data }: Members): Promise<void> {
  if (name === 'MessageAbortedError') return
  teller.isIdleNext(session)
  await teller.failed(session, textOf(membersOf(data)['message']) || textOf(name))
}

/** A tool that failed is told by its part alone. */
function toolFailed(teller: Teller, session: string, { type, tool, state }: Members): Promise<unknown> {
  const { status, input, error } = membersOf(state)
  if (type !== 'tool' || status !== 'error') return Promise.resolve()
  return teller.tell('tool.error', session, { tool_name: tool, tool_input: input, tool_response: { error } })
}

const textIn = (parts: readonly Part[]): string => parts.map(({ text }) => text ?? '').join('\n')

function questionIn({ permission, patterns, questions }: Members): string {
  const [first] = Array.isArray(questions) ? questions.map(membersOf) : []
  if (first !== undefined) return textOf(first['question'])
  return [permission, ...(Array.isArray(patterns) ? patterns : [])].map(String).join(' ')
}
