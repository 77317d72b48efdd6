import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../compose.ts'

async function begin() {
  const session = await makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'test' })
  await session.state.set({ path: 'data.o', value: { n: 1 } })
  return session
}

type Opened = Awaited<ReturnType<typeof begin>>
type At = string | number

const READS: Readonly<Record<string, (session: Opened, at: At) => Promise<unknown>>> = {
  get: (session, at) => session.get('$.data.o', { at }),
  'get of everything': (session, at) => session.get('$', { at }),
  query: (session, at) => session.query('$.data.*', { at }),
  nodes: (session, at) => session.nodes('$.data.*', { at }),
  bulk: (session, at) => session.bulk(['$.data.o', '$.data.*', '$.session'], { at }),
  stateAt: (session, at) => session.stateAt(at),
  'state.get': (session, at) => session.run('state.get', { path: '$.data.o' }, { at }),
  'state.query': (session, at) => session.run('state.query', { query: '$.data.*', paths: true }, { at }),
}

test.each(Object.entries(READS))('what %s answers with a point is what was there then', async (_, read) => {
  for (const at of ['@', 2, '@-0', '0s']) {
    const session = await begin()
    const before = await read(session, at)
    const text = JSON.stringify(before)
    expect(text).toContain('{"n":1}')
    await session.state.set({ path: 'data.o.n', value: 2 })
    expect([at, JSON.stringify(before)]).toEqual([at, text])
  }
})

test('what bulk answers is all of one commit, also later', async () => {
  const session = await begin()
  const before = await session.bulk(['$.data.o', '$.data.o.n', '$.data.*'])
  await session.state.set({ path: 'data.o.n', value: 2 })
  expect(before).toEqual({ '$.data.o': { n: 1 }, '$.data.o.n': 1, '$.data.*': [{ n: 1 }] })
})

test('what nodes answers with a point has its places, and is written as JSON with them', async () => {
  const [node] = await (await begin()).nodes('$.data.*', { at: '@' })
  expect(node?.path).toEqual(['data', 'o'])
  expect(JSON.parse(JSON.stringify(node))).toEqual({ path: ['data', 'o'], value: { n: 1 } })
})

test('without a point get, query and nodes give what changes with the session, uncopied', async () => {
  const session = await begin()
  const value = session.get('$.data.o')
  const [found] = await session.query('$.data.*')
  const [node] = await session.nodes('$.data.*')
  const { data } = await session.get()
  expect([found, node?.value, data?.['o']].map((each) => each === value)).toEqual([true, true, true])
})
