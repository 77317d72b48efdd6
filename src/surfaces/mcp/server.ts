/*
 * The protocol around an offer: one server for each connection, or for each request where there are none.
 *
 * M1. What a rule refuses is the result of a tool with isError: a model reads it and goes on. What fails is an error of the
 *     protocol: a person reads it.
 * M2. Arguments are checked by the operation itself, whose words say what to do.
 * M3. A request without what its method takes has invalid parameters: the SDK would call it a failure of the server.
 */
import {
  CLIENT_INFO_META_KEY,
  isInputRequiredResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Client, Offer } from './offer.ts'
import { COMPLETION, PAGE, PROMPT, RESOURCE } from './params.ts'
import type { Subscriptions } from './subscriptions.ts'

/** Lists stay the same while the program runs. */
const LASTING = { ttlMs: 3_600_000, cacheScope: 'public' } as const

export function makeServer(offer: Offer, subscriptions?: Subscriptions): McpServer {
  const made = new Offered(offer)
  const { server } = made
  const client = (context: ServerContext): Client => ({ name: clientName(server, context), context })
  server.setRequestHandler('tools/list', () => ({ tools: [...offer.tools] }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = offer.tools.find(({ name }) => name === params.name)
    if (tool === undefined) throw unknown('tool', params.name, offer.tools)
    const result = await offer.call(tool.name, params.arguments ?? {}, client(context))
    return isInputRequiredResult(result) ? result : server.projectCallToolResult(result, tool.outputSchema)
  })
  server.setRequestHandler('prompts/list', () => ({ prompts: [...offer.prompts] }))
  server.setRequestHandler('prompts/get', PROMPT, (params, context) => {
    if (offer.prompts.some(({ name }) => name === params.name))
      return offer.prompt(params.name, params.arguments ?? {}, client(context))
    throw unknown('prompt', params.name, offer.prompts)
  })
  server.setRequestHandler('completion/complete', COMPLETION, (params) => offer.complete(params))
  addResources(server, offer, client)
  if (subscriptions !== undefined) addSubscriptions(server, subscriptions)
  return made
}

/** Where HTTP repeats arguments in headers, the SDK asks for the schema of a tool by this name. */
class Offered extends McpServer {
  readonly #offer: Offer

  constructor(offer: Offer) {
    const { name, version, instructions, logs } = offer
    super(
      { name, version, title: 'Steadfold' },
      {
        instructions,
        capabilities: {
          tools: { listChanged: false },
          prompts: { listChanged: false },
          completions: {},
          resources: { subscribe: true, listChanged: true },
          ...(logs === true ? { logging: {} } : {}),
        },
        cacheHints: { 'tools/list': LASTING, 'prompts/list': LASTING, 'resources/templates/list': LASTING },
      },
    )
    this.#offer = offer
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#offer.tools.find((tool) => tool.name === name)?.inputSchema
  }
}

function addResources(server: Server, offer: Offer, client: (context: ServerContext) => Client): void {
  server.setRequestHandler('resources/list', PAGE, ({ cursor }) => offer.resources(cursor))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...offer.templates] }))
  server.setRequestHandler('resources/read', RESOURCE, ({ uri }, context) => offer.read(uri, client(context)))
}

/** Of the handshake before 2026-07-28; after it a client listens, see `Subscriptions`. */
function addSubscriptions(server: Server, subscriptions: Subscriptions): void {
  server.setRequestHandler('resources/subscribe', RESOURCE, async ({ uri }) => {
    await subscriptions.add(uri, [uri])
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', RESOURCE, ({ uri }) => {
    subscriptions.remove(uri)
    return {}
  })
}

function clientName(server: Server, { mcpReq }: ServerContext): string {
  const { [CLIENT_INFO_META_KEY]: info } = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>
  const said = typeof info === 'object' && info !== null && 'name' in info ? info.name : undefined
  // The only place where a connection of the older handshake keeps it.
  return typeof said === 'string' ? said : (server.getClientVersion()?.name ?? 'mcp')
}

const unknown = (kind: string, name: string, known: readonly { readonly name: string }[]): ProtocolError =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `there is no ${kind} ${JSON.stringify(name.slice(0, 200))}; there are: ${known.map((each) => each.name).join(', ')}`,
  )
