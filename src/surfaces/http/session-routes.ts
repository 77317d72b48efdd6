/** Sessions as such, and what a session holds, now or then. */
import * as z from 'zod/mini'
import { goneLines, lineOf, nameOf, STATUSES, type SessionLine } from '../../kernel/about-session.ts'
import { verifiedAll, verifiedData, verifiedOne } from '../../kernel/care/verified.ts'
import { originOf, type CreateSession, type Shared } from '../../kernel/create-session.ts'
import { EngineError } from '../../kernel/error.ts'
import { blame, blameData, historyData } from '../../kernel/history/blame.ts'
import { difference, differenceData } from '../../kernel/history/difference.ts'
import { lastValues } from '../../kernel/history/last-values.ts'
import { nothingAt } from '../../kernel/path/nothing-at.ts'
import { formatPath, parsePath } from '../../kernel/path/path.ts'
import type { Session } from '../../kernel/session.ts'
import { schemaWords } from '../../kernel/text/schema-words.ts'
import type { Workspace } from '../../kernel/workspace.ts'
import type { Answered } from './answer.ts'
import { remembering } from './remembering.ts'
import { usage, type Asked, type Parameter, type Route } from './route.ts'

const AT: Parameter = { name: 'at', kind: 'text', summary: 'as it was then: 17, @-3, a mark, 2h, an ISO time' }
const PATH: Parameter = { name: 'path', kind: 'text', summary: 'place in the state; $ when left out' }
const NEEDED_PATH: Parameter = { name: 'path', kind: 'text', summary: 'place in the state', needed: true }
const DEEP: Parameter = { name: 'deep', kind: 'flag', summary: 'also fold the log again and compare the checkpoint' }

const MOST_VALUES = 10_000

const creation = z.strictObject({
  name: z.string(),
  goal: z.optional(z.string()),
  mode: z.optional(z.string()),
  context: z.optional(z.record(z.string(), z.unknown())),
  hold: z.optional(z.boolean()),
  id: z.optional(z.string()),
  key: z.optional(z.string()),
})

const fork = z.strictObject({ name: z.string(), at: z.optional(z.union([z.string(), z.int()])) })

const remembered = remembering<SessionLine>()

const list: Route = {
  method: 'get',
  path: '/v1/sessions',
  name: 'session.list',
  summary: 'All sessions of the workspace',
  query: [{ name: 'status', kind: 'text', summary: `only those: ${STATUSES.join(', ')}` }],
  run: async ({ desk, query: words }) => {
    const wanted = oneOf(STATUSES, words.text('status'), 'status')
    const lineAt = (id: string) => remembered(desk, id, async (session) => describe(desk, session))
    const there = await desk.each(await desk.ids(), lineAt)
    // One that is held open here is told of as long as it is.
    const gone = (await goneLines(desk.kernel)).filter((line) => !there.some(({ id }) => id === line.id))
    const found = [...there, ...gone]
    return { schema: 'session.list', data: found.filter(({ status }) => wanted === undefined || status === wanted) }
  },
}

const create: Route = {
  method: 'post',
  path: '/v1/sessions',
  name: 'session.create',
  summary: 'Begin a session',
  body: creation,
  takes: ['key', 'reason', 'dryRun'],
  begins: true,
  run: async ({ desk, parts, body, options: { key, dryRun, ...who } }) => {
    const asked = { ...parsed(creation, body), ...who }
    const creating = key === undefined ? asked : { ...asked, key }
    if (dryRun === true) return rehearsed(parts.workspace, creating)
    const session = await parts.workspace.createSession(creating)
    const data = { session: describe(desk, session), created: true }
    await session.close()
    await desk.look(session.id)
    return { schema: 'session.create', data, status: 201 }
  },
}

const show: Route = {
  method: 'get',
  path: '/v1/sessions/{id}',
  name: 'session.show',
  summary: 'One session: goal, state of life, marks, lease',
  run: ({ desk, id }) =>
    desk.use(id, async (session) => ({
      schema: 'session.show',
      data: { ...describe(desk, session), session: (await session.get('$.session')) ?? null },
    })),
}

const forks: Route = {
  method: 'post',
  path: '/v1/sessions/{id}/session.fork',
  name: 'session.fork',
  summary: 'A new session that shares history up to a point',
  body: fork,
  takes: ['key', 'reason', 'dryRun'],
  begins: true,
  run: ({ desk, parts, id, body, options: { dryRun, ...who } }) =>
    desk.use(id, async (session) => {
      const { name, at } = parsed(fork, body)
      const seq = await session.resolve(at ?? '@')
      if (dryRun === true) return rehearsed(parts.workspace, { name, ...who }, { from: session, seq })
      const made = await parts.workspace.fork(session, name, seq, who)
      const data = {
        session: describe(desk, made),
        from: { id: session.id, name: nameOf(session), seq: originOf(made)?.seq ?? seq },
      }
      await made.close()
      await desk.look(made.id)
      return { schema: 'session.fork', data, status: 201 }
    }),
}

const state: Route = {
  method: 'get',
  path: '/v1/sessions/{id}/state',
  name: 'state',
  summary: 'The value at a path, now or then; 404 where there is none',
  query: [PATH, AT],
  run: ({ desk, id, query }) =>
    desk.use(id, async (session) => {
      const path = query.text('path') ?? '$'
      const seq = await session.resolve(query.text('at') ?? '@')
      const value: unknown = await session.get(path, { at: seq })
      if (value === undefined) throw nothing(await session.get('$', { at: seq }), path)
      return { schema: 'state', data: { path: formatPath(parsePath(path)), seq, value } }
    }),
}

const query: Route = {
  method: 'get',
  path: '/v1/sessions/{id}/query',
  name: 'query',
  summary: 'The values that an RFC 9535 JSONPath finds, now or then',
  query: [{ name: 'q', kind: 'text', summary: 'the JSONPath', needed: true }, AT],
  run: ({ desk, id, query: words }) =>
    desk.use(id, async (session) => {
      const seq = await session.resolve(words.text('at') ?? '@')
      const nodes = await session.nodes(needed(words.text('q'), 'q'), { at: seq })
      return {
        schema: 'query',
        data: nodes.map(({ path, value }) => ({ path: formatPath(path), value })),
        more: { seq },
      }
    }),
}

const differences: Route = {
  method: 'get',
  path: '/v1/sessions/{id}/diff',
  name: 'diff',
  summary: 'What changed between two points, and who changed it',
  query: [
    { name: 'from', kind: 'text', summary: 'the earlier point', needed: true },
    { name: 'to', kind: 'text', summary: 'the later point; now when left out' },
    PATH,
  ],
  run: ({ desk, id, query: words }) =>
    desk.use(id, async (session) => {
      const between = { from: needed(words.text('from'), 'from'), to: words.text('to'), path: words.text('path') }
      return { schema: 'diff', data: differenceData(await difference(desk.kernel, session, between)) }
    }),
}

const blames: Route = {
  method: 'get',
  path: '/v1/sessions/{id}/blame',
  name: 'blame',
  summary: 'The commit that last changed a path',
  query: [NEEDED_PATH, AT],
  run: ({ desk, id, query: words }) =>
    desk.use(id, async (session) => {
      const path = needed(words.text('path'), 'path')
      const until = await session.resolve(words.text('at') ?? '@')
      const last = await blame(desk.kernel, session.id, path, until)
      if (last === undefined) throw nothing(await session.stateAt(until), path)
      return { schema: 'blame', data: blameData(path, last) }
    }),
}

const history: Route = {
  method: 'get',
  path: '/v1/sessions/{id}/history',
  name: 'state.history',
  summary: 'Every value a path had, oldest first',
  query: [
    NEEDED_PATH,
    AT,
    {
      name: 'count',
      kind: 'count',
      summary: `only the last so many, at most ${MOST_VALUES}; fewer where they are large`,
    },
  ],
  run: ({ desk, id, query: words }) =>
    desk.use(id, async (session) => {
      const path = needed(words.text('path'), 'path')
      const until = await session.resolve(words.text('at') ?? '@')
      const schema = 'state.history'
      const count = words.count('count')
      if (count === undefined) return { schema, data: await historyData(desk.kernel, session.id, path, until) }
      const asked = { path, until, count: within(count) }
      const { values, earlier } = await lastValues(desk.kernel, session.id, asked)
      return { schema, data: values, more: { earlier } }
    }),
}

const verify: Route = {
  method: 'get',
  path: '/v1/sessions/{id}/verify',
  name: 'verify',
  summary: 'Check every hash of the log',
  query: [DEEP],
  run: async ({ desk, parts, id, query: words }) => {
    const find = () => desk.use(id, async (session) => session.id)
    return { schema: 'verify', data: verifiedData(await verifiedOne(parts.workspace, id, words.flag('deep'), find)) }
  },
}

const verifyAll: Route = {
  method: 'get',
  path: '/v1/verify',
  name: 'verify',
  summary: 'Check every hash of every log',
  query: [DEEP],
  run: async ({ parts, query: words }) => {
    const found: unknown[] = []
    for await (const each of verifiedAll(parts.workspace, words.flag('deep'))) found.push(verifiedData(each))
    return { schema: 'verify', data: found }
  },
}

export const sessionRoutes: readonly Route[] = [
  list,
  create,
  show,
  forks,
  state,
  query,
  differences,
  blames,
  history,
  verify,
  verifyAll,
]

async function rehearsed(workspace: Workspace, asked: CreateSession, shared?: Shared): Promise<Answered> {
  await workspace.rehearse(asked, shared)
  const schema = shared === undefined ? 'session.create' : 'session.fork'
  return { schema, data: { name: asked.name, created: false, dry_run: true } }
}

const describe = ({ kernel }: Asked['desk'], session: Session): SessionLine => lineOf(session, kernel.host.now())

const nothing = (root: unknown, path: string): EngineError =>
  nothingAt(root, path, (deepest) => `GET …/state${deepest === '$' ? '' : `?path=${encodeURIComponent(deepest)}`}`)

function oneOf(known: readonly string[], value: string | undefined, name: string): string | undefined {
  if (value === undefined || known.includes(value)) return value
  throw usage(`${name} is not ${JSON.stringify(value)}`, `it is one of ${known.join(', ')}`)
}

function within(count: number): number {
  if (count >= 1 && count <= MOST_VALUES) return count
  throw usage(`count is 1 to ${MOST_VALUES}, not ${count}`, 'count=50')
}

function needed(value: string | undefined, name: string): string {
  if (value !== undefined) return value
  throw usage(`${name} is missing`, `add ?${name}=…`)
}

export function parsed<Schema extends z.ZodMiniObject>(schema: Schema, body: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(body, { error: schemaWords })
  if (success) return data
  const said = error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ')
  throw new EngineError('INPUT_INVALID', said, { hint: 'GET /v1/openapi.json shows what it takes' })
}
