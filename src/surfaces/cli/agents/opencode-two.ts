/*
 * What opencode 2 loads: once for each folder, mostly into a service that all its clients share.
 *
 *   hooks, events of all folders ──those of this one──► Teller, as of version 1
 *   first prompt of a session, or first behind a cut ──► where the agent stands ──► the system text of its requests
 *
 * T1. Whatever goes wrong, opencode goes on; only a gate that says no stops a tool.
 * T2. What happens in other folders is told by the plugin that was loaded for those.
 * T3. A session is told of with its parent: hooks may come before the event that it was made.
 * T4. Who started the service is not who works in it.
 */
import * as path from 'node:path'
import { hasWorkspace, serverOf } from './opencode-server.ts'
import { membersOf, Teller, textOf, type Members, type Options } from './opencode-teller.ts'

type Heard<E> = (event: E) => Promise<void>

interface Prompted {
  readonly sessionID: string
  readonly prompt: { readonly text?: string }
}

interface Requested {
  readonly sessionID: string
  readonly system: { readonly type: 'text'; readonly text: string }[]
}

interface Called {
  readonly tool: string
  readonly sessionID: string
  readonly input: unknown
  /** Behind it. */
  readonly status?: string
  readonly result?: unknown
  readonly error?: unknown
}

interface Servers {
  get(name: string): unknown
  set(name: string, server: object): void
}

/** Of what opencode 2 hands a plugin; `@opencode/plugin` has the whole. */
export interface Host {
  readonly location: { readonly directory: string }
  readonly session: {
    hook(name: 'prompt', heard: Heard<Prompted>): Promise<unknown>
    hook(name: 'context', heard: (event: Requested) => void): Promise<unknown>
    get(of: { readonly sessionID: string }): Promise<unknown>
  }
  readonly tool: { hook(name: 'execute.before' | 'execute.after', heard: Heard<Called>): Promise<unknown> }
  readonly mcp: { transform(change: (servers: Servers) => void): Promise<unknown> }
  readonly event: { subscribe(until: { readonly signal: AbortSignal }): AsyncIterable<Event> }
}

interface Event {
  readonly type: string
  readonly data?: unknown
}

export async function opencodeSetup(host: Host, { gate, node }: Options): Promise<() => Promise<void>> {
  forgetStarter()
  const cwd = host.location.directory
  const teller = new Teller(cwd, node)
  const sessions = new Sessions(host, teller)
  await host.mcp.transform((servers) => {
    if (hasWorkspace(cwd) && servers.get('steadfold') === undefined) servers.set('steadfold', serverOf(node))
  })
  await prompts(host, teller, sessions)
  await tools(host, teller, { sessions, gate })
  const ended = new AbortController()
  void listening(host, ended.signal, (event) => heard(teller, sessions, event))
  return async () => {
    ended.abort()
    await teller.ended()
  }
}

/** T4 */
function forgetStarter(): void {
  if (!process.argv.includes('--service')) return
  for (const name of ['DIR', 'SESSION', 'RUN', 'ACTOR'].map((each) => `STEADFOLD_${each}`)) delete process.env[name]
  for (const name of ['CLAUDE_PROJECT_DIR', 'GEMINI_PROJECT_DIR']) delete process.env[name]
}

/** A system text lasts for one request, so it is given to each. */
async function prompts(host: Host, teller: Teller, sessions: Sessions): Promise<void> {
  const standing = new Map<string, string>()
  await host.session.hook('prompt', async ({ sessionID, prompt }) => {
    await sessions.isHere(sessionID)
    const text = await teller.prompted(sessionID, prompt.text ?? '')
    if (text !== '') standing.set(sessionID, text)
  })
  await host.session.hook('context', ({ sessionID, system }) => {
    const text = standing.get(sessionID)
    if (text !== undefined) system.push({ type: 'text', text })
  })
}

async function tools(
  host: Host,
  teller: Teller,
  { sessions, gate }: { readonly sessions: Sessions; readonly gate: boolean },
): Promise<void> {
  await host.tool.hook('execute.before', async ({ tool, sessionID, input }) => {
    await sessions.isHere(sessionID)
    const told = ['tool.execute.before', sessionID, { tool_name: tool, tool_input: input }] as const
    const no = gate ? await teller.gate(...told) : void (await teller.tell(...told))
    if (no !== undefined) throw new Error(no)
  })
  await host.tool.hook('execute.after', async ({ tool, sessionID, input, status, result, error }) => {
    const { output, content, metadata } = membersOf(result)
    const exit = membersOf(metadata)['exit'] ?? membersOf(output)['exit'] ?? 0
    const tool_response =
      status === 'error'
        ? { error: textOf(membersOf(error)['message']) || 'failed' }
        : { output: output ?? content, is_error: exit !== 0 }
    await teller.tell('tool.execute.after', sessionID, { tool_name: tool, tool_input: input, tool_response })
  })
}

/** T1: it ends with the plugin, or with opencode. */
async function listening(host: Host, signal: AbortSignal, take: Heard<Event>): Promise<void> {
  try {
    for await (const event of host.event.subscribe({ signal })) await take(event)
  } catch {
    // Nothing more will be heard.
  }
}

async function heard(teller: Teller, sessions: Sessions, { type, data }: Event): Promise<void> {
  const told = TOLD[type]
  const members = membersOf(data)
  const session = textOf(members['sessionID']) || textOf(membersOf(members['form'])['sessionID'])
  if (told === undefined || session === '' || !(await sessions.isHere(session))) return
  await told(teller, session, members)
}

type Telling = (teller: Teller, session: string, data: Members) => Promise<unknown>

/** That a session was made, and by which other, is told as soon as it is looked up. */
const TOLD: Readonly<Record<string, Telling>> = {
  'session.created': () => Promise.resolve(),
  'session.execution.succeeded': (teller, session) => teller.idle(session),
  'session.execution.interrupted': (teller, session) => teller.idle(session),
  'session.execution.failed': (teller, session, { error }) => {
    const { type, message } = membersOf(error)
    return teller.failed(session, textOf(message) || textOf(type))
  },
  'session.compaction.ended': (teller, session) => teller.cut(session),
  'session.deleted': (teller, session) => teller.tell('session.deleted', session),
  'permission.asked': (teller, session, { action, resources }) =>
    teller.tell('permission.asked', session, { message: [action, ...listOf(resources)].map(String).join(' ') }),
  'form.created': (teller, session, { form }) => {
    const { title, fields } = membersOf(form)
    const { title: question, description } = membersOf(listOf(fields)[0])
    return teller.tell('question.asked', session, { message: textOf(question) || textOf(description) || textOf(title) })
  },
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** T2, T3 */
class Sessions {
  readonly #host: Host
  readonly #teller: Teller
  readonly #known = new Map<string, Promise<boolean | undefined>>()

  constructor(host: Host, teller: Teller) {
    this.#host = host
    this.#teller = teller
  }

  /** What could not be looked up is asked for again. */
  async isHere(session: string): Promise<boolean> {
    const asked = this.#known.get(session) ?? this.#look(session)
    this.#known.set(session, asked)
    const isHere = await asked
    if (isHere === undefined) this.#known.delete(session)
    return isHere ?? false
  }

  async #look(session: string): Promise<boolean | undefined> {
    const got = membersOf(await this.#host.session.get({ sessionID: session }).catch(() => undefined))
    const { location, parentID } = 'data' in got ? membersOf(got['data']) : got
    const folder = textOf(membersOf(location)['directory'])
    if (folder === '') return undefined
    const isHere = path.resolve(folder) === path.resolve(this.#host.location.directory)
    if (isHere && typeof parentID === 'string') {
      await this.isHere(parentID)
      await this.#teller.created(session, parentID)
    }
    return isHere
  }
}
