import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel, type OpenSession } from '../../compose.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Answer } from '../../kernel/operation/answer.ts'
import { ownership } from './transport.ts'

/** A kernel whose workspace is `where.place`. */
function movable() {
  const where = { place: 'a' }
  const kernel: Kernel = memoryKernel({ checkpoints: false })
  const modules = [ownership(() => where.place), ...kernel.modules.slice(1)]
  return { where, workspace: makeWorkspace({ ...kernel, modules }) }
}

const here = (place: string) => ({ place, device: `device ${place}` })
const code = (answer: Answer): string => (answer.kind === 'refused' ? answer.code : 'accepted')

async function departed(session: OpenSession): Promise<{ readonly transfer: string; readonly epoch: number }> {
  await session.run('session.depart', { from: here('a') })
  // The slice says so.
  return session.get('$.session.transport.departed') as { readonly transfer: string; readonly epoch: number }
}

test('T1 a departed session takes no write but those that end the departure', async () => {
  const { workspace } = movable()
  const session = await workspace.createSession({ name: 'moves' })
  await departed(session)
  const refused = ['state.set', 'session.end', 'session.tick', 'session.acquire', 'session.share']
  for (const operation of refused) {
    const input =
      operation === 'state.set' ? { path: '$.data.x', value: 1 } : operation === 'session.share' ? { with: [] } : {}
    expect([operation, code(await session.run(operation, input))]).toEqual([operation, 'SESSION_DEPARTED'])
  }
  expect(code(await session.run('session.return', { at: here('a') }))).toBe('accepted')
  expect(code(await session.run('state.set', { path: '$.data.x', value: 1 }))).toBe('accepted')
  expect(session.get('$.session.epoch')).toBe(2)
})

test('T1 who holds the lease is not sent away', async () => {
  const { workspace } = movable()
  const session = await workspace.createSession({ name: 'held' })
  await session.run('session.acquire', {}, { actor: 'tool:runner' })
  expect(code(await session.run('session.depart', { from: here('a') }))).toBe('LEASE_HELD')
})

test('T2 a session that arrived elsewhere is only read here', async () => {
  const { where, workspace } = movable()
  const session = await workspace.createSession({ name: 'moves' })
  const { transfer, epoch } = await departed(session)
  const input = { transfer, epoch: epoch + 1, at: here('b'), root: '/b' }
  expect(code(await session.run('session.arrive', input))).toBe('accepted')
  expect(code(await session.run('state.set', { path: '$.data.x', value: 1 }))).toBe('SESSION_DEPARTED')
  expect(code(await session.run('session.return', { at: here('a') }))).toBe('SESSION_DEPARTED')
  where.place = 'b'
  expect(code(await session.run('state.set', { path: '$.data.x', value: 1 }))).toBe('accepted')
  expect(await session.get('$.session.user_context.workspace_path')).toBe('/b')
  expect(session.get('$.session.transport.devices')).toEqual(['device a', 'device b'])
})

test('T2 a copy of a session that is on its way says so, and that it can be received', async () => {
  const { where, workspace } = movable()
  const session = await workspace.createSession({ name: 'moves' })
  const { transfer, epoch } = await departed(session)
  await session.run('session.arrive', { transfer, epoch: epoch + 1, at: here('b') })
  where.place = 'b'
  await session.run('session.depart', { from: here('b'), to: 'the desk' })
  where.place = 'a'
  for (const [operation, input] of [
    ['state.set', { path: '$.data.x', value: 1 }],
    ['session.return', { at: here('a') }],
  ] as const)
    expect(await session.run(operation, input)).toMatchObject({
      code: 'SESSION_DEPARTED',
      message: 'session moves has departed for the desk',
      hint: expect.stringMatching(/^take it over here: steadfold teleport receive/) as unknown,
    })
})

test('T2 a departure from another place is not taken back, also of a session that never moved before', async () => {
  const { where, workspace } = movable()
  const session = await workspace.createSession({ name: 'moves' })
  await departed(session)
  where.place = 'b'
  expect(code(await session.run('session.return', { at: here('b') }))).toBe('SESSION_DEPARTED')
  where.place = 'a'
  expect(code(await session.run('session.return', { at: here('a') }))).toBe('accepted')
})

test('T6 who has departed for one departs for nobody else', async () => {
  const { workspace } = movable()
  const session = await workspace.createSession({ name: 'moves' })
  const depart = (to?: string) =>
    session.run('session.depart', { from: here('a'), ...(to === undefined ? {} : { to }) })
  expect(code(await depart('desk'))).toBe('accepted')
  expect(code(await depart('desk'))).toBe('accepted')
  for (const other of ['ana', undefined])
    expect(await depart(other)).toMatchObject({
      code: 'SESSION_DEPARTED',
      message: expect.stringContaining('for desk') as unknown,
      hint: expect.stringContaining('teleport cancel moves') as unknown,
    })
})

test('T3 another transfer, a second arrival and an older epoch are refused', async () => {
  const { where, workspace } = movable()
  const session = await workspace.createSession({ name: 'moves' })
  const { transfer, epoch } = await departed(session)
  const input = { transfer, epoch: epoch + 1, at: here('b') }
  where.place = 'b'
  expect(code(await session.run('session.arrive', { ...input, transfer: 'other' }))).toBe('EPOCH_STALE')
  expect(code(await session.run('session.arrive', { ...input, epoch: 3 }))).toBe('EPOCH_STALE')
  expect(code(await session.run('session.arrive', input))).toBe('accepted')
  expect(code(await session.run('session.arrive', input))).toBe('EPOCH_STALE')
})

test('T4 a fork of a departed session belongs to nobody and takes writes', async () => {
  const { workspace } = movable()
  const session = await workspace.createSession({ name: 'moves' })
  await departed(session)
  const fork = await workspace.fork(session, 'goes on')
  expect(fork.get('$.session.epoch')).toBe(1)
  expect(code(await fork.run('state.set', { path: '$.data.x', value: 1 }))).toBe('accepted')
})

test('T3 whatever is asked in whatever order, the epoch never falls and one place at most may write', async () => {
  const step = fc.record({
    place: fc.constantFrom('a', 'b', 'c'),
    what: fc.constantFrom('depart', 'return', 'arrive', 'stale', 'write'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { where, workspace } = movable()
      const session = await workspace.createSession({ name: 'moves' })
      let epoch = 1
      for (const { place, what } of steps) {
        where.place = place
        await ask(session, what, place)
        const now = Number(session.get('$.session.epoch'))
        expect(now).toBeGreaterThanOrEqual(epoch)
        epoch = now
        const writers: string[] = []
        for (where.place of ['a', 'b', 'c'])
          if (code(await session.run('state.set', { path: '$.data.x', value: 1 }, { dryRun: true })) === 'accepted')
            writers.push(where.place)
        const moved = session.get('$.session.transport.owner') !== null
        const left = session.get('$.session.transport.departed') !== null
        expect(writers).toEqual(left ? [] : moved ? [session.get('$.session.transport.owner.place')] : ['a', 'b', 'c'])
      }
    }),
    { numRuns: 40 },
  )
})

async function ask(session: OpenSession, what: string, place: string): Promise<void> {
  // The slice says so.
  const left = session.get('$.session.transport.departed') as {
    readonly transfer: string
    readonly epoch: number
  } | null
  if (what === 'depart') await session.run('session.depart', { from: here(place) })
  if (what === 'return') await session.run('session.return', { at: here(place) })
  if (what === 'write') await session.run('state.set', { path: '$.data.x', value: place })
  if (what === 'arrive' && left !== null)
    await session.run('session.arrive', { transfer: left.transfer, epoch: left.epoch + 1, at: here(place) })
  if (what === 'stale' && left !== null)
    await session.run('session.arrive', { transfer: left.transfer, epoch: left.epoch + 2, at: here(place) })
}
