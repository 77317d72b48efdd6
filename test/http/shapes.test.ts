/* What the command line and HTTP tell of sessions under one schema has one shape. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place } from '../cli/binary.ts'
import { Served } from './served.ts'

type Members = Readonly<Record<string, unknown>>

const place = new Place({ init: false })
let served: Served
beforeAll(async () => {
  served = await Served.open()
  const { session } = await served.data<{ readonly session: { readonly id: string } }>('POST', '/v1/sessions', {
    body: { name: 'damaged' },
  })
  for (const name of ['a', 'b']) await served.data('POST', '/v1/sessions', { body: { name, goal: 'to be read' } })
  for (const value of [1, 2])
    await served.data('POST', '/v1/sessions/damaged/state.set', { body: { path: 'data.n', value } })
  // What it holds open it would go on with.
  await served.stop()
  const log = path.join(folderOf(session.id), 'log', `${'1'.padStart(20, '0')}.jsonl`)
  fs.writeFileSync(log, `${fs.readFileSync(log, 'utf8').replace('"value":1', '"value":7')}torn`)
  await served.start()
})
afterAll(async () => {
  await served.remove()
  place.remove()
})

const folderOf = (id: string) => path.join(served.dir, '.steadfold', 'sessions', id)
const told = (...words: readonly string[]) => {
  const { out } = place.run(...words, '--dir', served.dir, '--json')
  return JSON.parse(out) as Members
}
const asked = async (target: string) => JSON.parse((await served.ask('GET', `/v1${target}`)).text) as Members

test.each([
  ['session list', '/sessions'],
  ['session show a', '/sessions/a'],
  ['verify', '/verify'],
  ['verify --deep', '/verify?deep=true'],
  ['blame session.goal --session a', '/sessions/a/blame?path=session.goal'],
  ['state history session.goal --session a', '/sessions/a/history?path=session.goal'],
  ['diff 1 @ --session a', '/sessions/a/diff?from=1'],
])('%s', async (line, target) => {
  const { schema, data } = told(...line.split(' '))
  expect({ schema, data }).toEqual(await asked(target))
})

test('status', async () => {
  const { data } = told('status') as { readonly data: Members }
  expect(Object.keys(data)).toEqual(Object.keys(await served.data<Members>('GET', '/v1/inbox')))
})

test('session fork', async () => {
  const { data } = told('session', 'fork', 'a', 'c') as { readonly data: { readonly from: unknown } }
  const made = await served.data<Members>('POST', '/v1/sessions/a/session.fork', { body: { name: 'd' } })
  expect(made['from']).toEqual(data.from)
  expect(Object.keys(made['session'] as Members)).toEqual(
    Object.keys((data as unknown as Members)['session'] as Members),
  )
})

test('a session whose log is gone is told of, by its id', async () => {
  const { id } = await served.data<{ readonly id: string }>('GET', '/v1/sessions/b')
  fs.rmSync(path.join(folderOf(id), 'log'), { recursive: true })
  const gone = { session: id, name: id, ok: false, error: { code: 'LOG_CORRUPT' } }
  const line = { id, name: id, status: 'damaged', seq: 0, updated_at: null }
  expect(await served.data('GET', '/v1/sessions')).toContainEqual(expect.objectContaining(line))
  expect(told('session', 'list', '--status', 'damaged')['data']).toContainEqual(expect.objectContaining(line))
  expect(await served.data('GET', '/v1/verify')).toContainEqual(expect.objectContaining({ session: id, ok: false }))
  expect(await served.data('GET', `/v1/sessions/${id}/verify`)).toMatchObject(gone)
})
