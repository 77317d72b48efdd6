/* Clients are made from the description: what it leaves out, or says besides, they get wrong. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../../src/compose/operations.ts'
import { openApiDocument } from '../../src/serve.ts'
import { Served } from './served.ts'

interface Described {
  readonly parameters: readonly { readonly name?: string; readonly in?: string; readonly required?: boolean }[]
  readonly requestBody?: { readonly required?: boolean }
  readonly responses: Readonly<Record<string, unknown>>
}
type Paths = Readonly<Record<string, Readonly<Record<string, Described>>>>

let served: Served
let paths: Paths
beforeAll(async () => {
  served = await Served.open()
  await served.data('POST', '/v1/sessions', { body: { name: 'a' } })
  paths = ((await openApiDocument()) as { readonly paths: Paths }).paths
})
afterAll(() => served.remove())

test.each([
  ['/v1/sessions', { name: 'b' }, 201],
  ['/v1/sessions', { name: 'c', $dry_run: true }, 200],
  ['/v1/sessions/{id}/session.fork', { name: 'd' }, 201],
  ['/v1/sessions/{id}/session.fork', { name: 'e', $dry_run: true }, 200],
  ['/v1/sessions/{id}/recovery', {}, 200],
])('the status of POST %s is described: %j', async (path, body, status) => {
  expect((await served.ask('POST', path.replace('{id}', 'a'), { body })).status).toBe(status)
  expect(Object.keys(paths[path]?.['post']?.responses ?? {})).toContain(String(status))
})

test.each([
  ['get', '/v1', 200],
  ['post', '/v1/links', 201],
  ['get', '/v1/openapi.json', 200],
] as const)('what concerns the daemon itself is described: %s %s', async (method, path, status) => {
  expect((await served.ask(method.toUpperCase(), path)).status).toBe(status)
  expect(paths[path]?.[method]).toMatchObject({ operationId: expect.any(String), responses: { [status]: {} } })
})

test('only the login asks for no token', () => {
  const all = Object.entries(paths).flatMap(([path, each]) => Object.values(each).map((said) => ({ path, ...said })))
  expect(all.filter((each) => 'security' in each).map(({ path }) => path)).toEqual(['/v1/login'])
})

test('a version that is not read is no fault of the server', async () => {
  const body = { checkpoint: { current_phase: 2 } }
  expect(await served.ask('POST', '/v1/sessions/a/workflow.import', { body })).toMatchObject({ status: 501 })
})

test('a read says which parameters it needs', async () => {
  for (const [path, { get }] of Object.entries(paths)) {
    if (get === undefined || path.endsWith('/stream')) continue
    const isNeedy = get.parameters.some((each) => each.in === 'query' && each.required === true)
    const { status } = await served.ask('GET', path.replace('{id}', 'a'))
    expect([path, status]).toEqual([path, isNeedy ? 400 : 200])
  }
})

test('a body is needed where it has members that are', async () => {
  expect(paths['/v1/sessions']?.['post']?.requestBody).toMatchObject({ required: true })
  expect(paths['/v1/sessions/{id}/session.end']?.['post']?.requestBody?.required).not.toBe(true)
})

test('only what reads takes a point in time', async () => {
  for (const { name, kind } of await operations.all()) {
    const { parameters = [] } = paths[`/v1/sessions/{id}/${name}`]?.['post'] ?? {}
    const isThen = parameters.some((each) => each.name === 'Steadfold-At')
    expect([name, isThen]).toEqual([name, kind === 'read'])
  }
})
