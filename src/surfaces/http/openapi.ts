/** OpenAPI 3.1, made from the routes and the catalogue of operations. */
import { toJSONSchema } from 'zod/v4/core'
import { ERROR_CODES, httpStatus } from '../../kernel/error.ts'
import type { Members } from '../../kernel/json/members.ts'
import type { Operation } from '../../kernel/operation/operation.ts'
import { OPTIONS, type Option } from './operation-route.ts'
import { OWN, type Own } from './own.ts'
import type { Parameter, Route } from './route.ts'
import { STREAM_QUERY } from './stream.ts'

interface About {
  readonly version: string
  /** Where the daemon listens; left out of a description that is printed without one. */
  readonly url?: string | undefined
}

export function openApi(routes: readonly Route[], operations: readonly Operation[], { version, url }: About): Members {
  const own = new Set(routes.map(({ path }) => path))
  const paths: Record<string, Members> = {}
  for (const each of OWN) paths[each.path] = { [each.method]: ownOf(each) }
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: routeOf(route) }
  for (const path of ['/v1/stream', '/v1/sessions/{id}/stream']) paths[path] = { get: streamOf(path) }
  for (const operation of operations) {
    const path = `/v1/sessions/{id}/${operation.name}`
    if (!own.has(path)) paths[path] = { post: operationOf(operation) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Steadfold',
      version,
      description: 'State of teams of coding agents, as the daemon of a workspace tells and takes it.',
    },
    ...(url === undefined ? {} : { servers: [{ url }] }),
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: errorSchema, Accepted: acceptedSchema },
      parameters: { session: SESSION },
    },
  }
}

const SESSION = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'id or name of the session',
}

function routeOf({ path, method, name, summary, query = [], body, takes = [], begins }: Route): Members {
  const options = method === 'get' ? [] : OPTIONS.filter(({ field }) => field === 'actor' || takes.includes(field))
  return {
    operationId: `${method}:${path.slice('/v1'.length)}`,
    summary,
    parameters: [...sessionIn(path), ...query.map(queryOf), ...options.map(headerOf)],
    ...(body === undefined ? {} : { requestBody: jsonBody(withMembers(schemaOf(body), options)) }),
    responses: responses(enveloped(name, {}), begins),
  }
}

function ownOf({ method, path, name, summary, body, status, isOpen = false }: Own): Members {
  const schema = name === null ? { type: 'object' } : enveloped(name, {})
  const { 200: done, ...failed } = responses(schema)
  return {
    operationId: `${method}:${path.slice('/v1'.length) || '/'}`,
    summary,
    parameters: [],
    ...(isOpen ? { security: [] } : {}),
    ...(body === undefined ? {} : { requestBody: jsonBody(schemaOf(body)) }),
    responses: { ...failed, [status]: done },
  }
}

function operationOf({ name, kind, summary, input }: Operation): Members {
  const options = OPTIONS.filter(({ field }) => field === 'actor' || (kind === 'read') === (field === 'at'))
  return {
    operationId: name,
    summary,
    tags: [name.split('.', 1)[0]],
    parameters: [...sessionIn('{id}'), ...options.map(headerOf)],
    requestBody: jsonBody(withMembers(schemaOf(input), options)),
    responses: responses(enveloped(name, { $ref: '#/components/schemas/Accepted' })),
  }
}

function streamOf(path: string): Members {
  const content = { 'text/event-stream': {}, 'application/x-ndjson': {} }
  return {
    operationId: `get:${path.slice('/v1'.length)}`,
    summary: path.includes('{id}') ? 'Commits of a session as they come' : 'Commits of all sessions as they come',
    parameters: [...sessionIn(path), ...STREAM_QUERY.map(queryOf)],
    responses: { ...responses({}), 200: { description: 'a stream that ends with the daemon', content } },
  }
}

const sessionIn = (path: string) => (path.includes('{id}') ? [{ $ref: '#/components/parameters/session' }] : [])

const KINDS = {
  text: { type: 'string' },
  count: { type: 'integer', minimum: 0 },
  flag: { type: 'boolean' },
  list: { type: 'array', items: { type: 'string' } },
} as const

const queryOf = ({ name, kind, summary, needed = false }: Parameter) => ({
  name,
  in: 'query',
  required: needed,
  schema: KINDS[kind],
  description: summary,
})

const headerOf = ({ header, type, summary }: Option) => ({
  name: header,
  in: 'header',
  schema: { type },
  description: summary,
})

function withMembers(schema: Members, options: readonly Option[]): Members {
  const members = options.map(({ member, type, summary }) => [member, { type, description: summary }] as const)
  // The JSON Schema of an object schema has this member.
  const properties = { ...(schema['properties'] as Members | undefined), ...Object.fromEntries(members) }
  return { ...schema, properties }
}

function schemaOf(schema: Operation['input']): Members {
  const { $schema: _, ...rest } = toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest
}

const jsonBody = (schema: Members) => ({
  required: schema['required'] !== undefined,
  content: { 'application/json': { schema } },
})

const enveloped = (name: string, data: Members): Members => ({
  type: 'object',
  properties: { schema: { const: `steadfold/${name}/v1` }, data },
  required: ['schema', 'data'],
})

const responses = (schema: Members, begins = false) => ({
  200: { description: begins ? 'a dry run' : 'done', content: { 'application/json': { schema } } },
  ...(begins ? { 201: { description: 'begun', content: { 'application/json': { schema } } } } : {}),
  default: {
    description: 'refused or failed; the status is that of the code',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  },
})

const acceptedSchema = {
  type: 'object',
  properties: {
    seq: { type: 'integer', description: 'of the commit; the current one when there was nothing to do' },
    events: {
      type: 'array',
      items: { type: 'object', properties: { type: { type: 'string' }, data: {} }, required: ['type', 'data'] },
    },
    value: {},
    repeated: { type: 'boolean', description: 'the key had been used before: this is the first answer again' },
    dry_run: { type: 'boolean', description: 'nothing was written' },
  },
  required: ['seq', 'events'],
}

const errorSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: {
          enum: ERROR_CODES,
          description: ERROR_CODES.map((code) => `${code} ${httpStatus(code)}`).join(', '),
        },
        message: { type: 'string' },
        hint: { type: ['string', 'null'], description: 'what to do next' },
        details: { type: ['object', 'null'] },
      },
      required: ['code', 'message', 'hint', 'details'],
    },
  },
  required: ['error'],
}
