import { expect, test } from 'vitest'
import { recovery, retention } from './care.ts'
import { makeWorkspace, memoryKernel } from './compose.ts'
import { glanceAt } from './glance.ts'

const NONE = [undefined, null, 5, 'test', {}, []] as const
const no = { code: 'INPUT_INVALID', hint: expect.any(String) }

// Programs without types hand in anything.
const untyped = { recovery, retention } as unknown as Readonly<
  Record<'recovery' | 'retention', Readonly<Record<'plan' | 'carryOut', (...given: unknown[]) => Promise<unknown>>>>
>

test.each(NONE)('%j is no session, no workspace and no plan', async (given) => {
  const workspace = makeWorkspace(memoryKernel({ checkpoints: false }))
  const session = await workspace.createSession({ name: 'test' })
  await expect(untyped.recovery.plan(given)).rejects.toMatchObject(no)
  await expect(untyped.recovery.carryOut(session, given)).rejects.toMatchObject(no)
  await expect(untyped.retention.plan(given)).rejects.toMatchObject(no)
  await expect(untyped.retention.carryOut(workspace, given)).rejects.toMatchObject(no)
})

test.each([null, { archive: '1h' }, { tidy: -1 }, { commits: Number.NaN }, { archiv: 1 }, { session: 5 }])(
  'no policy is passed over: %j',
  async (options) => {
    const workspace = makeWorkspace(memoryKernel({ checkpoints: false }))
    await expect(untyped.retention.plan(workspace, options)).rejects.toMatchObject(no)
  },
)

test('what is undefined of a policy is as the settings say', async () => {
  const workspace = makeWorkspace(memoryKernel({ checkpoints: false }))
  const { policy } = await retention.plan(workspace)
  const open = { archive: undefined, tidy: undefined, stateBytes: undefined, commits: undefined }
  expect((await retention.plan(workspace, open)).policy).toEqual(policy)
})

test('a session is named as everywhere, and one that is not there is no empty plan', async () => {
  const workspace = makeWorkspace(memoryKernel({ checkpoints: false }))
  const session = await workspace.createSession({ name: 'test' })
  await session.run('session.end', { outcome: 'completed' })
  expect((await retention.plan(workspace, { session: 'test', archive: 0 })).steps).toMatchObject([{ kind: 'archive' }])
  await expect(retention.plan(workspace, { session: 'nope' })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

const elsewhere = { host: 'elsewhere', boot_id: 'other', pid_namespace: 'pid:[1]', pid: 1, started: '1' }

test.each([
  [-3_600_000, false],
  [3_600_000, true],
])('V1 who is lost is judged by the clock of the store: %i ms from this machine', async (ahead, isLost) => {
  const clock = { now: Date.now() + ahead }
  const kernel = memoryKernel({ checkpoints: false })
  const workspace = makeWorkspace({ ...kernel, host: { ...kernel.host, now: () => clock.now } })
  const session = await workspace.createSession({ name: 'test' })
  await session.run('session.acquire', { process: elsewhere, ttl_ms: 60_000 })
  clock.now += isLost ? 90_000 : 30_000
  expect((await recovery.plan(session)) !== undefined).toBe(isLost)
  expect((await glanceAt(session)).needs.length > 0).toBe(isLost)
})

test('V1 who is lost is told by what others have written, too', async () => {
  const clock = { now: Date.now() }
  const kernel = memoryKernel({ checkpoints: false })
  const workspace = makeWorkspace({ ...kernel, host: { ...kernel.host, now: () => clock.now } })
  const session = await workspace.createSession({ name: 'test' })
  const other = await workspace.session('test')
  await other.run('session.acquire', { process: elsewhere, ttl_ms: 60_000 })
  clock.now += 90_000
  expect(await recovery.plan(session)).toMatchObject({ cause: 'expired' })
})
