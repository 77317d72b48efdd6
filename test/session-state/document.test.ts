/*
 * D1. Whatever operations are accepted, the document validates against the schema, which knows all of its members, and
 *     against that of version 2.0.0.
 * D2. It is the same document by every way of asking for it.
 * D3. A path and a query read what they find in the document; what is stored is read at once.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toJSONSchema } from 'zod/v4/core'
import { memoryKernel } from '../../src/compose.ts'
import { placesOf } from '../../src/kernel/document/view.ts'
import { EngineError } from '../../src/kernel/error.ts'
import { formatPath, getAt, type Keys } from '../../src/kernel/path/path.ts'
import type { Session } from '../../src/kernel/session.ts'
import { sessionStateJsonSchema, sessionStateSchema } from '../../src/state-schema.ts'
import { begin } from '../domain/begin.ts'
import { anything, settled, type Shape } from './anything.ts'
import { lived } from './lived.ts'
import { v2Schema } from './v2-schema.ts'
import { validator } from './validators.ts'

const wrongWith = validator(sessionStateJsonSchema({ closed: true }))
/** C2 of v2.test.ts: a session that is recovering, or has an id of its own, would not. */
const wrongAsV2 = validator(v2Schema())

/** What would end the session, or needs another. */
const LEFT_OUT = /^session\.(create|fork|repair|end|terminate|suspend|recover|restore)$/
const ACTORS = ['human:ana', 'human:ana', 'agent:a', 'agent:b', 'tool:ci']

const operations = (await memoryKernel().operations.all()).filter(
  ({ kind, name }) => kind === 'write' && !LEFT_OUT.test(name),
)
const moves = operations.map(({ name, input }) =>
  fc.record({
    name: fc.constant(name),
    input: anything(toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Shape),
    actor: fc.constantFrom(...ACTORS),
    after: fc.nat(3000),
  }),
)
const accepted = new Map<string, number>()

/** What the engine says no to in words of its own, such as a point that is not there. */
function orFailure(error: unknown): undefined {
  if (!(error instanceof EngineError) || error.code === 'UNEXPECTED') throw error
}

test('D1 whatever operations are accepted, the document validates', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...moves), { minLength: 150, maxLength: 200, size: 'max' }), async (story) => {
      const { session, host } = await begin()
      for (const { name, input, actor, after } of story) {
        host.advance(after)
        const answer = await session.run(name, settled(input, session.stored), { actor }).catch(orFailure)
        if (answer === undefined || answer.kind === 'refused' || answer.events.length === 0) continue
        accepted.set(name, (accepted.get(name) ?? 0) + 1)
        const document = await session.get()
        expect([...wrongWith(document), ...wrongAsV2(document)], name).toEqual([])
      }
    }),
    { numRuns: 20 },
  )
  // Between 44 and 70 of 151 were seen: the stories are drawn anew each time.
  expect(accepted.size).toBeGreaterThan(operations.length / 6)
})

test('D2 the library, the operation, a query, many paths and a point in time answer with the same document', async () => {
  const session = await lived()
  const document = await session.get()
  expect(wrongWith(document)).toEqual([])
  expect(Object.keys(document).toSorted()).toEqual(Object.keys(sessionStateSchema.shape).toSorted())
  expect(Object.keys(document).slice(0, 4)).toEqual(['session', 'organization', 'execution', 'communication'])
  expect(await session.get('$')).toEqual(document)
  expect(await session.run('state.get')).toMatchObject({ kind: 'accepted', value: document })
  expect(await session.query('$')).toEqual([document])
  expect(await session.bulk(['$'])).toEqual({ $: document })
  expect(await session.get('$', { at: session.seq })).toEqual(document)
})

function* placesIn(value: unknown, keys: Keys = []): Generator<Keys> {
  yield keys
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value))
    yield* placesIn(member, [...keys, Array.isArray(value) ? Number(key) : key])
}

const SESSIONS: readonly [string, () => Promise<Session>][] = [
  ['in which everything happened', lived],
  ['in which nothing happened', async () => (await begin()).session],
  ['in which some things happened', begun],
]

async function begun(): Promise<Session> {
  const { session } = await begin()
  await session.run('task.add', { title: 'one' })
  await session.run('message.send', { to: ['agent:a'], payload: 'hello' })
  return session
}

test.each(SESSIONS)('D3 a path, a query and many paths read what stands in the document %s', async (_, make) => {
  const session = await make()
  const document = await session.get()
  const places = new Map([...placesIn(document)].map((keys) => [formatPath(keys), getAt(document, keys)]))
  expect(await session.bulk([...places.keys()])).toEqual(Object.fromEntries(places))
  for (const [path, value] of places) {
    expect(await session.get(path), path).toEqual(value)
    expect(await session.query(path), path).toEqual([value])
  }
})

test('D3 what is stored is read at once, and without a view', () => {
  const places = placesOf({ 'a.b': () => Promise.reject(new Error('loaded')) })
  for (const path of ['$.a.c', '$.c', '$.a.bb', "$['b']"]) expect(places.reader(path), path).not.toBeNull()
  for (const path of ['$', '$.a', '$.a.b', '$.a.b.c[0]']) expect(places.reader(path), path).toBeNull()
})

test('D3 a query that begins with no name sees what is stored, so that it finds each thing once', async () => {
  const session = await lived()
  expect(await session.query('$..metrics')).toEqual([{}])
  expect(await session.query('$.observability..metrics')).toHaveLength(1)
  expect(await session.query("$['persistence'].event_log['total_events']")).toEqual([session.seq])
  expect(await session.query('$.communication.coordination.locks.*.locked_by')).toEqual(['agent:a'])
})

test('D3 at a point in time, the document is that of then', async () => {
  const session = await lived()
  const then = await session.get('$', { at: 2 })
  expect(wrongWith(then)).toEqual([])
  expect(then).toMatchObject({ data: {}, execution: { tasks: {} }, persistence: { event_log: { total_events: 2 } } })
})

test('D3 many paths answer for one commit; of a query the list of what it finds, and nothing where nothing is', async () => {
  const session = await lived()
  expect(
    await session.run('state.bulk', { paths: ['$.data', '$..title', 'nope', 'persistence.checkpoint'] }),
  ).toMatchObject({
    value: {
      values: {
        '$.data': { 'a.b': { 'c-d': [1, { deep: 'x' }] } },
        '$..title': ['one', 'two', 'sign in'],
        'persistence.checkpoint': { sequence: 0, size_bytes: 0 },
      },
      missing: ['nope'],
    },
  })
  expect(await session.run('state.bulk', { paths: [] })).toMatchObject({ kind: 'refused', code: 'INPUT_INVALID' })
  await expect(session.bulk(['$.data', '$[?'])).rejects.toMatchObject({ code: 'QUERY_INVALID' })
})
