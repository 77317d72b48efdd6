/*
 * The way of a request.
 *
 *   limits of the server ─► guard ─► page · login ─► token or cookie ─► body ─► route ─► answer
 */
import type { IncomingMessage } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono, type Context } from 'hono'
import { calledNow } from '../../kernel/about-session.ts'
import { EngineError } from '../../kernel/error.ts'
import { say, sayError, type Answered } from './answer.ts'
import { bodyOf } from './body.ts'
import type { Desk } from './desk.ts'
import type { Env } from './env.ts'
import { comesFromPage, HEADERS, hostsOf, objection } from './guard.ts'
import type { Keys } from './keys.ts'
import { logRoute } from './log-route.ts'
import { openApi } from './openapi.ts'
import { assertTaken, inputOf, optionsOf, runOperation } from './operation-route.ts'
import { ABOUT, DESCRIPTION, LINK, LOGIN } from './own.ts'
import { pageAt, pagesIn } from './pages.ts'
import type { DaemonParts, Mounted } from './parts.ts'
import { Query, type Asked, type Options, type Parameter, type Route } from './route.ts'
import { sessionRoutes } from './session-routes.ts'
import { STREAM_QUERY, type Streams } from './stream.ts'
import { workspaceRoutes } from './workspace-routes.ts'

export const ROUTES: readonly Route[] = [...workspaceRoutes, ...sessionRoutes, logRoute]

const MCP_PATH = '/mcp'

export interface ServerParts {
  readonly parts: DaemonParts
  readonly port: number
  readonly url: string
  readonly keys: Keys
  readonly desk: Desk
  readonly streams: Streams
  readonly startedAt: string
  /** What answers at `/mcp`. */
  readonly mounted: () => Promise<Mounted>
}

type Ctx = Context<Env>

export function makeServer(server: ServerParts): Hono<Env> {
  const app = new Hono<Env>()
  const hosts = hostsOf(server.port)
  app.use(async (context, next) => {
    const { incoming, outgoing } = context.env
    for (const [name, value] of Object.entries(HEADERS)) outgoing.setHeader(name, value)
    const failure = objection(incoming, hosts)
    if (failure === undefined) return next()
    outgoing.setHeader('Connection', 'close')
    return sayError(context, failure)
  })
  addMcp(app, server)
  addPages(app, server)
  app.use('/v1/*', async (context, next) => {
    assertAdmitted(server.keys, context.env.incoming)
    await next()
  })
  addOwn(app, server)
  addStreams(app, server)
  for (const route of ROUTES) addRoute(app, server, route)
  addOperations(app, server)
  app.notFound((context) => sayError(context, nothingAt(context.req.path)))
  app.onError((error, context) => {
    // What was not read to its end would be taken for the next request.
    if (!context.env.incoming.complete) context.env.outgoing.setHeader('Connection', 'close')
    const word = context.req.param('id')
    return sayError(context, error, word === undefined ? undefined : calledNow(server.desk.held, word))
  })
  return app
}

function addPages(app: Hono<Env>, { parts, keys }: ServerParts): void {
  const pages = pagesIn(parts.pages)
  app.post(LOGIN.path, async (context) => {
    const { token } = await bodyOf(context.env.incoming)
    const cookie = typeof token === 'string' ? keys.redeem(token, parts.now()) : undefined
    if (cookie === undefined) throw refusedToken('this link was used before, or is too old')
    context.header('Set-Cookie', cookie)
    return say(context, { schema: LOGIN.name, data: {} })
  })
  app.get('*', async (context, next) => {
    const { path } = context.req
    const page =
      path.startsWith('/v1/') || path === '/v1' ? undefined : pageAt(pages, path, context.req.header('Accept'))
    if (page === undefined) return next()
    return context.body(page.body, 200, { 'Content-Type': page.type, 'Cache-Control': page.cache })
  })
}

function assertAdmitted(keys: Keys, incoming: IncomingMessage): void {
  const { authorization, cookie } = incoming.headers
  const by = keys.admits(authorization, cookie)
  if (by === undefined) throw refusedToken('there is no valid token')
  const reads = incoming.method === 'GET' || incoming.method === 'HEAD'
  if (by === 'token' || reads || comesFromPage(incoming)) return
  throw new EngineError('ORIGIN_REFUSED', 'a change with a cookie must come from our own page', {
    hint: 'a program sends the token of .steadfold/daemon.json',
  })
}

const refusedToken = (message: string): EngineError =>
  new EngineError('TOKEN_INVALID', message, {
    hint: 'steadfold ui opens the pages; a program sends Authorization: Bearer with the token of .steadfold/daemon.json',
  })

/** Before the pages: what a browser may show is not asked for here. */
function addMcp(app: Hono<Env>, { keys, mounted }: ServerParts): void {
  app.all(MCP_PATH, async ({ env: { incoming, outgoing } }) => {
    assertAdmitted(keys, incoming)
    const body = incoming.method === 'POST' ? await bodyOf(incoming) : undefined
    await (await mounted()).answer(incoming, outgoing, body)
    return RESPONSE_ALREADY_SENT
  })
}

/** What concerns the daemon itself. */
function addOwn(app: Hono<Env>, { parts, url, keys, desk, startedAt }: ServerParts): void {
  app.get(ABOUT.path, (context) =>
    say(context, {
      schema: ABOUT.name,
      data: {
        version: parts.version,
        workspace: parts.folder,
        source: parts.source ?? null,
        url,
        pid: process.pid,
        started_at: startedAt,
      },
    }),
  )
  app.post(LINK.path, (context) => {
    const { word, expires } = keys.issue(parts.now())
    const data = { url: `${url}/#token=${word}`, expires_at: new Date(expires).toISOString() }
    return say(context, { schema: LINK.name, data, status: LINK.status })
  })
  app.get(DESCRIPTION.path, async (context) => {
    const operations = await desk.kernel.operations.all()
    return context.json(openApi(ROUTES, operations, { version: parts.version, url }))
  })
}

function addStreams(app: Hono<Env>, server: ServerParts): void {
  const { streams } = server
  const add = (path: string, open: (asked: Asked, context: Ctx) => Promise<void>) =>
    app.get(path, async (context) => {
      if (context.req.method !== 'GET') throw new EngineError('METHOD_NOT_ALLOWED', 'a stream is read with GET')
      await open(askedFor(context, server, { query: STREAM_QUERY }), context)
      return RESPONSE_ALREADY_SENT
    })
  add('/v1/stream', (asked, { env }) => streams.workspace(asked, env))
  add('/v1/sessions/:id/stream', (asked, { env }) => streams.session(asked, env))
}

function addRoute(app: Hono<Env>, server: ServerParts, route: Route): void {
  const { method, path, query, run } = route
  app[method](path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
    const sent = method === 'get' ? {} : await bodyOf(context.env.incoming)
    const options = optionsOf(context.env.incoming.headers, sent, server.parts.actor)
    assertTaken(route, options)
    const asked = askedFor(context, server, { query, body: inputOf(sent), options })
    return say(context, await run(asked))
  })
}

function addOperations(app: Hono<Env>, server: ServerParts): void {
  app.post('/v1/sessions/:id/:operation', async (context) => {
    const body = await bodyOf(context.env.incoming)
    const options = optionsOf(context.env.incoming.headers, body, server.parts.actor)
    const asked = askedFor(context, server, { body: inputOf(body), options })
    const answered: Answered = await runOperation(asked, context.req.param('operation'))
    return say(context, answered)
  })
}

interface Given {
  readonly query?: readonly Parameter[] | undefined
  readonly body?: Readonly<Record<string, unknown>>
  readonly options?: Options
}

function askedFor(context: Ctx, { parts, desk }: ServerParts, { query = [], body = {}, options }: Given): Asked {
  const { search } = new URL(context.req.url)
  return {
    parts,
    desk,
    id: context.req.param('id') ?? '',
    query: new Query(search, query),
    body,
    options: options ?? { actor: parts.actor },
  }
}

const nothingAt = (path: string): EngineError =>
  new EngineError('NOT_FOUND', `there is nothing at ${JSON.stringify(path.slice(0, 200))}`, {
    hint: 'GET /v1/openapi.json lists what there is',
  })
