import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel, openWorkspace, type OpenOptions } from '../compose.ts'

/** As programs without types see it: everything takes anything. */
interface Untyped {
  run(...given: unknown[]): Promise<unknown>
  get(...given: unknown[]): unknown
  query(...given: unknown[]): Promise<unknown>
  bulk(...given: unknown[]): Promise<unknown>
  commits(...given: unknown[]): AsyncIterable<unknown>
  resolve(...given: unknown[]): Promise<unknown>
  stateAt(...given: unknown[]): Promise<unknown>
}

const begin = (): Promise<Untyped> =>
  makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'test' })

const NOTHING_TO_READ = [undefined, null, 5, true, {}, [], Symbol('x'), 5n, () => 1]

test.each([...NOTHING_TO_READ, ''])('there is no operation %s', async (name) => {
  const session = await begin()
  await expect(session.run(name)).rejects.toMatchObject({ code: 'OPERATION_UNKNOWN', hint: expect.any(String) })
})

test.each(NOTHING_TO_READ)('%s is no path, no query and no list of paths', async (path) => {
  const session = await begin()
  const no = { code: 'INPUT_INVALID', hint: expect.any(String) }
  if (path !== undefined) expect(() => session.get(path)).toThrow(expect.objectContaining(no))
  await expect(session.query(path)).rejects.toMatchObject(no)
  await expect(session.bulk([path])).rejects.toMatchObject(no)
  if (!Array.isArray(path)) await expect(session.bulk(path)).rejects.toMatchObject(no)
})

test.each([null, 1, '@-1', [], { at: null }, { at: {} }, { ta: 1 }])(
  'a point in time that is none is not passed over: %j',
  async (options) => {
    const session = await begin()
    const no = { code: 'INPUT_INVALID', hint: 'they are at' }
    expect(() => session.get('$.data', options)).toThrow(expect.objectContaining(no))
    await expect(session.query('$.data', options)).rejects.toMatchObject(no)
    await expect(session.bulk(['$.data'], options)).rejects.toMatchObject(no)
  },
)

const HOLD_NONE = [Promise.resolve({ key: 'k' }), new Map([['key', 'k']]), new Set(), new Date(), /x/]

test.each(HOLD_NONE)('%s has no options, and is not passed over', async (options) => {
  const session = await begin()
  const input = { path: '$.data.a', value: 1 }
  expect(await session.run('state.set', input, options)).toMatchObject({ kind: 'refused', code: 'INPUT_INVALID' })
  expect(() => session.get('$.data', options)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }))
})

test.each([null, {}, [1], true, Object.create(null)])('no point in time is made of %j', async (at) => {
  const session = await begin()
  const no = { code: 'INPUT_INVALID', hint: expect.any(String) }
  await expect(session.resolve(at)).rejects.toMatchObject(no)
  await expect(session.stateAt(at)).rejects.toMatchObject(no)
})

test.each([
  null,
  5,
  { after: -1 },
  { after: '1' },
  { after: 1.5 },
  { after: Number.NaN },
  { until: -1 },
  { until: '1' },
  { live: 'yes' },
  { signal: {} },
  { since: 1 },
])('commits that nobody can mean are not read: %j', async (options) => {
  const session = await begin()
  expect(() => session.commits(options)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }))
})

interface UntypedWorkspace {
  createSession(...given: unknown[]): Promise<unknown>
  rehearse(...given: unknown[]): Promise<unknown>
  session(...given: unknown[]): Promise<unknown>
  fork(...given: unknown[]): Promise<unknown>
  archive(...given: unknown[]): Promise<unknown>
  sessions(...given: unknown[]): AsyncGenerator<unknown>
}

test.each(NOTHING_TO_READ)('%s is no session, and neither its name nor what one is made of', async (given) => {
  const opened = makeWorkspace(memoryKernel({ checkpoints: false }))
  const session = await opened.createSession({ name: 'test' })
  const workspace = opened as unknown as UntypedWorkspace
  const no = { code: 'INPUT_INVALID', hint: expect.any(String) }
  await expect(workspace.createSession(given)).rejects.toMatchObject(no)
  await expect(workspace.rehearse(given)).rejects.toMatchObject(no)
  await expect(workspace.session(given)).rejects.toMatchObject(no)
  await expect(workspace.fork(given, 'other')).rejects.toMatchObject(no)
  await expect(workspace.fork(session, given)).rejects.toMatchObject(no)
  await expect(workspace.archive(given)).rejects.toMatchObject(no)
  if (given !== undefined && typeof given !== 'function')
    await expect(workspace.sessions(given).next()).rejects.toMatchObject(no)
})

test.each([{ readonly: 'look only' }, { readOnly: true }, { create: 'no' }])(
  'a workspace is not opened where a wish would be passed over: %j',
  async (wish) => {
    const opened = openWorkspace({ dir: '/nowhere/at/all', create: false, ...wish } as unknown as OpenOptions)
    await expect(opened).rejects.toMatchObject({ code: 'INPUT_INVALID', hint: expect.any(String) })
  },
)
