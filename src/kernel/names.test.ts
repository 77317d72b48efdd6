import { afterAll, beforeAll, expect, test } from 'vitest'
import { drivers, startServers } from '../../test/conformance/drivers.ts'
import { fixedHost, overriding } from '../../test/conformance/kit.ts'
import { makeKernel, makeWorkspace } from '../compose.ts'
import { host } from '../drivers/host/host.ts'
import type { Kernel } from './kernel.ts'
import { claimName } from './names.ts'
import type { Position } from './ports.ts'

const kernels = drivers.map(({ name, open }) => {
  const make = async (): Promise<Kernel> => ({
    ...makeKernel({ log: await open(), settings: { checkpoints: false } }),
    host: fixedHost(),
  })
  return [name, make] as const
})

let stopServers: () => Promise<void>
beforeAll(async () => {
  stopServers = await startServers()
})
afterAll(() => stopServers())

const began = (kernel: Kernel) => kernel.host.newId()

test.each(kernels)('U1 of those who claim the same generation one wins, on %s', async (_name, make) => {
  const { names } = (await make()).log
  const won = await Promise.all(['a', 'b', 'c'].map(async (id) => names?.claim('one', id, 0)))
  expect(won.filter((each) => each === true)).toHaveLength(1)
  expect(await names?.holder('one')).toMatchObject({ generation: 1 })
  expect(await names?.claim('one', 'd', 1)).toBe(true)
  expect(await names?.holder('one')).toEqual({ id: 'd', generation: 2 })
  expect(await names?.claim('one', 'e', 0)).toBe(false)
  expect(await names?.holder('two')).toBeUndefined()
})

test.each(kernels)('U2 a claim whose maker died before its session began is taken over, on %s', async (_name, make) => {
  const kernel = await make()
  const workspace = makeWorkspace(kernel)
  await kernel.log.names?.claim('build', began(kernel), 0)
  const session = await workspace.createSession({ name: 'build' })
  expect((await workspace.session('build')).id).toBe(session.id)
  await expect(workspace.createSession({ name: 'build' })).rejects.toMatchObject({ code: 'NAME_TAKEN' })
})

test('U2 patience goes by time: where each look is slow there are few of them', async () => {
  const host = fixedHost()
  const store = (await kernels[0]?.[1]())?.log.names
  if (store === undefined) throw new Error('there are names')
  await store.claim('build', 'killed', 0)
  for (const [look, most] of [
    [0, 10],
    [150, 10],
    [3000, 1],
  ] as const) {
    let looks = 0
    const began = host.now()
    const standing = () => {
      host.advance(look)
      looks++
      return Promise.resolve('begins' as const)
    }
    const slow = { now: host.now, sleep: (ms: number) => Promise.resolve(host.advance(ms)) }
    await claimName({ store, host: slow, standing }, 'build', `maker-${look}`)
    // Once more behind the claim: U6.
    expect(looks - 1).toBeLessThanOrEqual(most)
    expect(host.now() - began).toBeGreaterThanOrEqual(2000)
    expect(host.now() - began).toBeLessThanOrEqual(2000 + 2 * look)
  }
})

test.each(kernels)(
  'U2 the name of a session that was renamed is free, and both are found, on %s',
  async (_name, make) => {
    const workspace = makeWorkspace(await make())
    const first = await workspace.createSession({ name: 'build' })
    await first.run('session.rename', { name: 'docs' })
    const second = await workspace.createSession({ name: 'build' })
    expect((await workspace.session('build')).id).toBe(second.id)
    expect((await workspace.session('docs')).id).toBe(first.id)
    await expect(workspace.createSession({ name: 'docs' })).rejects.toMatchObject({ code: 'NAME_TAKEN' })
  },
)

test.each(kernels)(
  'U9 by a name that was given up for another that one is told, until somebody takes it, on %s',
  async (_name, make) => {
    const workspace = makeWorkspace(await make())
    const first = await workspace.createSession({ name: 'build' })
    for (const name of ['docs', 'the docs']) await first.run('session.rename', { name })
    for (const before of ['build', 'docs'])
      await expect(workspace.session(before)).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
        message: `no session "${before}" in this workspace: it is called "the docs" now`,
        hint: "steadfold session show 'the docs'",
        details: { id: first.id },
      })
    await expect(workspace.session('other')).rejects.toMatchObject({ message: 'no session "other" in this workspace' })
    const second = await workspace.createSession({ name: 'build' })
    expect((await workspace.session('build')).id).toBe(second.id)
    await second.run('session.rename', { name: 'again' })
    await expect(workspace.session('build')).rejects.toMatchObject({ details: { id: second.id } })
    await first.run('session.rename', { name: 'docs' })
    expect((await workspace.session('docs')).id).toBe(first.id)
  },
)

test.each(kernels)('U1 a session is not renamed to what another is called, on %s', async (_name, make) => {
  const workspace = makeWorkspace(await make())
  const first = await workspace.createSession({ name: 'build' })
  await workspace.createSession({ name: 'docs' })
  const rename = (name: string, more = {}) => first.run('session.rename', { name }, more)
  expect(await rename('docs')).toMatchObject({ kind: 'refused', code: 'NAME_TAKEN' })
  expect(await rename('auth', { dryRun: true })).toMatchObject({ kind: 'accepted' })
  expect(await rename('auth')).toMatchObject({ kind: 'accepted' })
  expect((await workspace.session('auth')).id).toBe(first.id)
  expect((await workspace.createSession({ name: 'build' })).id).not.toBe(first.id)
})

test.each(kernels)(
  'U6 of sessions that take one name at the same time at most one has it, on %s',
  async (_name, make) => {
    const workspace = makeWorkspace(await make())
    const both = await Promise.all(['a', 'b'].map((name) => workspace.createSession({ name })))
    for (let round = 0; round < 3; round++) {
      const name = `same-${round}`
      const answers = await Promise.all(both.map((each) => each.run('session.rename', { name }, { key: name })))
      const has = both.filter((each) => each.get('$.session.name') === name)
      expect(has.length).toBeLessThan(2)
      expect(answers.filter(({ kind }) => kind === 'accepted')).toHaveLength(has.length)
    }
  },
)

test.each(kernels)(
  'U2 a session that is damaged keeps the names that it is claimed for, on %s',
  async (_name, make) => {
    const kernel = await make()
    const first = await makeWorkspace(kernel).createSession({ name: 'build' })
    await first.run('session.rename', { name: 'docs' })
    const { read } = kernel.log
    const altered = async function* (id: string, after: Position) {
      for await (const { bytes, ...rest } of read.call(kernel.log, id, after))
        yield { bytes: Buffer.from(String(bytes).replace('"build"', '"built"')), ...rest }
    }
    const damaged = makeWorkspace({ ...kernel, log: overriding(kernel.log, { read: altered, peek: () => undefined }) })
    for (const name of ['build', 'docs']) {
      expect((await damaged.session(name)).damage).toMatchObject({ seq: 1 })
      await expect(damaged.createSession({ name })).rejects.toMatchObject({
        code: 'NAME_TAKEN',
        message: `a session "${name}" exists: ${first.id}`,
      })
    }
  },
)

test.each(kernels)('U2 who fails to bring a session in gives its name up at once, on %s', async (_name, make) => {
  const kernel = await make()
  const workspace = makeWorkspace(kernel)
  if ((await kernel.log.attic?.()) === undefined) return
  const full = () => Promise.reject(new Error('disk full'))
  await expect(workspace.adopt('build', began(kernel), full)).rejects.toThrow('disk full')
  expect(await kernel.log.names?.holder('build')).toMatchObject({ id: '' })
  await workspace.createSession({ name: 'build' })
})

test('U3 who lost its claim while it began gives the name up', async () => {
  const [, make] = kernels[0] ?? []
  const kernel = await make?.()
  if (kernel === undefined) throw new Error('there are drivers')
  const { log } = kernel
  const slow = new Proxy(log, {
    get: (target, member) =>
      member === 'create'
        ? async (id: string) => {
            await log.names?.claim('build', 'another', 1)
            await target.create(id)
          }
        : typeof Reflect.get(target, member) === 'function'
          ? (Reflect.get(target, member) as () => unknown).bind(target)
          : Reflect.get(target, member),
  })
  const workspace = makeWorkspace({ ...kernel, log: slow })
  await expect(workspace.createSession({ name: 'build' })).rejects.toMatchObject({ code: 'NAME_TAKEN' })
  for await (const session of workspace.sessions()) expect(session.get('$.session.name')).not.toBe('build')
})

test.each(kernels)('U7 no name makes others be opened where the index knows them, on %s', async (_name, make) => {
  const kernel = await make()
  const opened = new Set<string>()
  const { read, peek } = kernel.log
  const log = overriding(kernel.log, {
    read: (id, after) => read.call(kernel.log, opened.add(id) && id, after),
    peek: (id, after) => peek.call(kernel.log, opened.add(id) && id, after),
  })
  const workspace = makeWorkspace({ ...kernel, log })
  for (const name of ['a', 'b', 'c', 'd']) await (await workspace.createSession({ name })).close()
  opened.clear()
  const { id } = await workspace.createSession({ name: 'e' })
  await (await workspace.session('e')).run('session.rename', { name: 'f' })
  expect((await workspace.session('f')).id).toBe(id)
  opened.delete(id)
  const knows = log.names?.isWhole === true || log.names?.unknown !== undefined
  expect(opened.size).toBe(knows ? 0 : 4)
  await expect(workspace.session('nowhere')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  // Another name would not help, also where it has that, too.
  for (const name of ['other', 'f'])
    await expect(workspace.createSession({ name, id })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
      message: `session ${id} is there already`,
    })
})

test.each(kernels)('U4 without the index every name is still found, and taken, on %s', async (_name, make) => {
  const kernel = await make()
  const { id } = await makeWorkspace(kernel).createSession({ name: 'ünusual name' })
  const bare = new Proxy(kernel.log, {
    get: (target, member) => {
      const found: unknown = member === 'names' ? undefined : Reflect.get(target, member)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
  const workspace = makeWorkspace({ ...kernel, log: bare })
  expect((await workspace.session('ünusual name')).id).toBe(id)
  await expect(workspace.createSession({ name: 'ünusual name' })).rejects.toMatchObject({ code: 'NAME_TAKEN' })
})

test.each(kernels)('L7 a key that began a session begins no second one, on %s', async (_name, make) => {
  const kernel = await make()
  const workspace = makeWorkspace({ ...kernel, host: { ...kernel.host, sleep: host.sleep } })
  const asked = { name: 'build', goal: 'ship', key: 'once' }
  const made = await Promise.all([1, 2, 3].map(() => workspace.createSession(asked)))
  expect(new Set(made.map(({ id }) => id)).size).toBe(1)
  expect([made[0]?.seq, (await workspace.createSession({ ...asked, goal: 'other' })).get('$.session.goal')]).toEqual([
    1,
    'ship',
  ])
  await expect(workspace.rehearse(asked)).resolves.toBeUndefined()
  if (made[0] !== undefined) await workspace.fork(made[0], 'fork')
  for (const other of [{ name: 'build' }, { name: 'build', key: 'twice' }, { name: 'fork', key: 'once' }])
    await expect(workspace.createSession(other)).rejects.toMatchObject({ code: 'NAME_TAKEN' })
})

test.each(kernels)('U8 what leads to one session is no id or name of another, on %s', async (_name, make) => {
  const workspace = makeWorkspace(await make())
  const first = await workspace.createSession({ name: 'build', id: 'b-1' })
  const taken = { code: 'NAME_TAKEN', message: expect.stringContaining('b-1') }
  await expect(workspace.createSession({ name: 'other', id: 'build' })).rejects.toMatchObject(taken)
  await expect(workspace.createSession({ name: 'b-1' })).rejects.toMatchObject(taken)
  await expect(workspace.fork(first, 'b-1')).rejects.toMatchObject(taken)
  const docs = await workspace.createSession({ name: 'docs', id: 'docs' })
  expect(await docs.run('session.rename', { name: 'b-1' })).toMatchObject({ kind: 'refused', code: 'NAME_TAKEN' })
  for (const name of ['guide', 'docs'])
    expect(await docs.run('session.rename', { name })).toMatchObject({ kind: 'accepted' })
  expect((await workspace.session('build')).id).toBe('b-1')
})
