import { expect, test } from 'vitest'
import { held, projectForEachTest } from '../../test/runner/project.ts'
import { EngineError } from '../kernel/error.ts'
import type { RunEvent } from '../kernel/work/runner.ts'

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
