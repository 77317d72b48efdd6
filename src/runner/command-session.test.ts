import { expect, test } from 'vitest'
import { held, projectForEachTest } from '../../test/runner/project.ts'
import { EngineError } from '../kernel/error.ts'
import type { Session } from '../kernel/session.ts'
import type { RunEvent } from '../kernel/work/runner.ts'
import { planRecovery } from './recover.ts'

const project = projectForEachTest()

const outcome = (argv: readonly string[]) =>
  project.runner.runCommand({ argv }).then(
    ({ status }) => status,
    (error: unknown) => (error instanceof EngineError ? error.code : error),
  )

test('V2 begun twice at the same moment a command runs once, and the other hears that it is held', async () => {
  const argv = ['sh', '-c', 'while [ ! -e go ]; do sleep 0.05; done; echo x >> effects']
  const both = [outcome(argv), outcome(argv)]
  expect(await Promise.race(both)).toBe('LEASE_HELD')
  project.write('go', '')
  expect(await Promise.all(both)).toEqual(expect.arrayContaining(['LEASE_HELD', 'completed']))
  expect(project.effects()).toEqual(['x'])
})

test('V2 who was killed between its claim and the beginning of its session keeps nobody from it', async () => {
  const argv = ['sh', '-c', 'echo x >> effects']
  const { host, log } = project.workspace.kernel
  const place = `run ${host.sha256(JSON.stringify(argv))}`
  expect(await log.names?.claim(place, '01900000-0000-7000-8000-000000000000', 0)).toBe(true)
  expect(await outcome(argv)).toBe('completed')
  expect(project.effects()).toEqual(['x'])
})

test('V1 one that was made and in which nothing was begun is used', async () => {
  const argv = ['sh', '-c', 'echo x >> effects']
  const { host, log } = project.workspace.kernel
  const { id } = await project.workspace.createSession({ name: 'made' })
  await log.names?.claim(`run ${host.sha256(JSON.stringify(argv))}`, id, 0)
  expect(await project.runner.runCommand({ argv })).toMatchObject({ status: 'completed', session: { id } })
})

test('V3 who was so slow that another has passed it over gives its session up, and the command runs once', async () => {
  const argv = ['sh', '-c', `${held}echo x >> effects`]
  const { host, log } = project.workspace.kernel
  const slow = '01900000-0000-7000-8000-000000000000'
  const { newId } = host
  const create = log.create.bind(log)
  const begun = new Promise<void>((resolve) => {
    Object.assign(log, {
      create: async (id: string) => {
        if (id === slow) resolve()
        if (id === slow) await project.heard('step-started')
        await create(id)
      },
    })
  })
  Object.assign(host, { newId: () => (Object.assign(host, { newId }), slow) })
  const onEvent = (event: RunEvent) => project.events.push(event)
  const first = outcome(argv)
  await begun
  const second = project.runner.runCommand({ argv, onEvent })
  expect(await first).toBe('LEASE_HELD')
  project.release()
  expect(await second).toMatchObject({ status: 'completed' })
  expect(project.effects()).toEqual(['x'])
  expect((await project.workspace.session(slow)).get('$.session.lifecycle.status')).toBe('terminated')
})

test('V3 who passes over a claim while its session begins takes that one, and claims it for who was slow', async () => {
  const argv = ['sh', '-c', 'echo x >> effects']
  const { host, log } = project.workspace.kernel
  const { names } = log
  if (names === undefined) throw new Error('claims are kept')
  const slow = '01900000-0000-7000-8000-000000000000'
  const place = `run ${host.sha256(JSON.stringify(argv))}`
  await names.claim(place, slow, 0)
  const claim = names.claim.bind(names)
  Object.assign(names, {
    claim: async (...asked: Parameters<typeof claim>) => {
      const claimed = await claim(...asked)
      if (asked[1] !== slow && !(await log.exists(slow)))
        await project.workspace.createSession({ id: slow, name: 'slow' })
      return claimed
    },
  })
  expect(await project.runner.runCommand({ argv })).toMatchObject({ status: 'completed', session: { id: slow } })
  expect(await names.holder(place)).toMatchObject({ id: slow })
})

/** A runner was lost right behind the result, before the session ended. */
async function finishedAndLost(argv: readonly string[]) {
  const session = await project.workspace.createSession({ name: 'hers' })
  await project.runner.runCommand({ argv, session })
  await session.run('session.rename', { name: `sh-${session.id.slice(-8)}` })
  return session
}

const statusOf = async (session: Session): Promise<unknown> => {
  await session.refresh()
  return session.get('$.session.lifecycle.status')
}

test('V1 V4 what had finished when its runner was lost is kept, and its session ends', async () => {
  const argv = ['sh', '-c', 'echo x >> effects']
  const session = await finishedAndLost(argv)
  const again = await project.runner.runCommand({ argv })
  expect(again).toMatchObject({ status: 'completed', session: { id: session.id }, resumed: { kept: ['sh'] } })
  expect([project.effects(), await statusOf(session)]).toEqual([['x'], 'terminated'])
})

test('V4 so it does where it is named; not when another command is run in it', async () => {
  const argv = ['sh', '-c', 'echo x >> effects']
  const session = await finishedAndLost(argv)
  await project.runner.runCommand({ argv: ['true'], session: session.id })
  expect(await statusOf(session)).toBe('active')
  await project.runner.runCommand({ argv, session: session.id })
  expect([project.effects(), await statusOf(session)]).toEqual([['x'], 'terminated'])
})

test('V4 a session of somebody, in which it was begun, goes on behind it', async () => {
  const session = await project.workspace.createSession({ name: 'hers' })
  const argv = ['sh', '-c', 'test -e go || exit 1']
  expect(await project.runner.runCommand({ argv, session })).toMatchObject({ status: 'failed' })
  project.release()
  expect(await project.runner.runCommand({ argv })).toMatchObject({ status: 'completed', session: { id: session.id } })
  expect(await statusOf(session)).toBe('active')
})

test('V1 what has finished in a session of somebody is run again when it is asked for anew', async () => {
  const session = await project.workspace.createSession({ name: 'hers' })
  const argv = ['sh', '-c', 'echo x >> effects']
  await project.runner.runCommand({ argv, session })
  expect((await project.runner.runCommand({ argv })).session.id).not.toBe(session.id)
  expect(project.effects()).toEqual(['x', 'x'])
})

test('V1 who recovers it first is told to run it again', async () => {
  const session = await finishedAndLost(['sh', '-c', 'echo x >> effects'])
  const gone = { host: 'h', boot_id: 'b', pid_namespace: 'n', pid: 4, started: 's' }
  await session.run('session.acquire', { process: gone })
  const plan = await planRecovery(session, () => ({ kind: 'dead', reasons: ['gone'] }), Date.now())
  expect(plan?.then).toBe(`steadfold run --session sh-${session.id.slice(-8)} -- sh -c 'echo x >> effects'`)
})
