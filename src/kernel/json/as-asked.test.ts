import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { asAsked } from './as-asked.ts'

const begin = () => makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'test' })

test('one object of options for many calls gives each the key that it had', async () => {
  const session = await begin()
  const options = { key: '', actor: 'agent:a' }
  const answers = ['one', 'two', 'three'].map((value) => {
    options.key = value
    return session.run('state.set', { path: `$.data.${value}`, value }, options)
  })
  options.actor = 'nobody'
  for (const answer of await Promise.all(answers)) expect(answer).not.toHaveProperty('repeated')
  expect(session.get('$.data')).toEqual({ one: 'one', two: 'two', three: 'three' })
  const said: unknown[] = []
  for await (const { key, actor } of session.commits({ after: 1 })) said.push([key, actor])
  expect(said).toEqual(['one', 'two', 'three'].map((key) => [key, 'agent:a']))
})

test('one value that is filled anew for each call is written as it was', async () => {
  const session = await begin()
  const value = { n: 0, list: [{ n: 0 }] }
  const input = { path: '', value }
  const answers = [1, 2, 3].map((n) => {
    Object.assign(input, { path: `$.data.v${n}` })
    Object.assign(value, { n })
    Object.assign(value.list[0] ?? {}, { n })
    return session.run('state.set', input)
  })
  await Promise.all(answers)
  const then = (n: number) => ({ n, list: [{ n }] })
  expect(session.get('$.data')).toEqual({ v1: then(1), v2: then(2), v3: then(3) })
})

test('what cannot be kept is handed on as it is, for whoever refuses it to name', () => {
  const strange = [new Date(0), Object.assign([1], { named: 1 }), Object.create({ a: 1 }) as object, new Map()]
  for (const value of strange) expect(asAsked({ value }).value).toBe(value)
  // A hole is refused where it is.
  // oxlint-disable-next-line no-sparse-arrays
  const holes = [1, , 2]
  expect(asAsked(holes)).toBe(holes)
  const round: Record<string, unknown> = {}
  Object.assign(round, { a: round, b: round })
  expect(asAsked(round) === round).toBe(true)
  const failing = {
    get now(): never {
      throw new Error('not now')
    },
  }
  expect(asAsked(failing)).toBe(failing)
})

test('a value that holds itself is refused where it does, one that is too deep as that', async () => {
  const session = await begin()
  const value: Record<string, unknown> = { list: [1] }
  value['self'] = [value]
  expect(await session.run('state.set', { path: '$.data.it', value })).toMatchObject({
    code: 'VALUE_NOT_JSON',
    message: 'the value at $.value.self[0] refers back to $.value',
  })
  expect(await session.run('state.set', { path: '$.data.it', value: nested(200) })).toMatchObject({
    code: 'VALUE_TOO_DEEP',
  })
})

test('the deepest value there may be is written as it was', async () => {
  const session = await begin()
  const value = nested(127)
  const answer = session.run('state.set', { path: '$.data.it', value })
  for (let each: object | undefined = value; each !== undefined; each = (each as { readonly in?: object }).in)
    Object.assign(each, { later: true })
  expect(await answer).toMatchObject({ kind: 'accepted' })
  expect(session.get('$.data.it')).toEqual(nested(127))
})

const nested = (depth: number): object => (depth === 1 ? {} : { in: nested(depth - 1) })
