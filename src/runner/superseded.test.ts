/* A driver that was away, such as a laptop that slept, and comes back when another has taken its place. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { effect, held, projectForEachTest } from '../../test/runner/project.ts'
import { lineIn } from '../../test/until.ts'
import { ProcessWorkers } from '../drivers/process/workers.ts'
import type { Session } from '../kernel/session.ts'

const project = projectForEachTest()

/** Another runner drives the session now; the answer is its lease. */
async function supersede(session: Session): Promise<number> {
  const token = session.get('$.session.lease.token')
  await session.run('session.recover', { token, cause: 'expired', evidence: ['a test says so'] })
  const process = new ProcessWorkers({ root: '', cwd: '' }).self()
  const answer = await session.run('session.acquire', { process }, { actor: 'agent:other' })
  return answer.kind === 'accepted' ? answer.seq : 0
}

/** The other begins a step. */
async function begin(session: Session, lease: number, name: string, command: string): Promise<void> {
  const workers = new ProcessWorkers({ root: project.file('.steadfold'), cwd: project.file('.') })
  const dir = project.workspace.kernel.host.newId()
  const worker = { dir, runner: workers.self(), pid: null }
  await session.run('step.start', { key: 'a'.repeat(64), name, state: 'only', command, worker, lease })
  const { detach } = await workers.start({ session: session.id, dir, command, env: {} })
  detach()
}

async function typesOf(session: Session): Promise<readonly string[]> {
  const types: string[] = []
  for await (const { events } of session.commits()) types.push(...events.map(({ type }) => type))
  return types
}

const written = () => lineIn(project.file('effects'))

test('T6 leaves the steps of the runner that took its place alone', async () => {
  project.write('stay', '')
  const stays = { run: 'while [ -e stay ]; do sleep 0.1; done' }
  const steps = { one: stays, zero: { ...stays, env: { N: '0' } }, two: { run: 'true', needs: ['zero'] } }
  const old = project.run({ name: 'away', states: { only: { steps } } })
  const ended = old.catch((error: unknown) => error)
  await project.heard('step-started')
  const session = await project.session('away')
  await begin(session, await supersede(session), 'two', `sleep 2; ${effect('two')}`)
  expect(await ended).toMatchObject({ code: 'LEASE_LOST' })
  await written()
  expect(project.effects()).toEqual(['two'])
  await session.refresh()
  expect(await typesOf(session)).not.toContain('step.adopted')
})

test("T6 is told to stop and signals nobody: its workers are another runner's to adopt", async () => {
  const stop = new AbortController()
  const definition = { name: 'away', states: { only: { steps: { one: { run: `${held}${effect('one')}` } } } } }
  const old = project.run(definition, { signal: stop.signal })
  const ended = old.catch((error: unknown) => error)
  await project.heard('step-started')
  await supersede(await project.session('away'))
  stop.abort()
  project.release()
  expect(await ended).toMatchObject({ code: 'LEASE_LOST' })
  await written()
  expect([project.effects(), project.told('step-stopping')]).toEqual([['one'], []])
})

test('ends what it has started when the session is ended: nobody would adopt it', async () => {
  const steps = { long: { run: `sleep 30; ${effect('long')}` }, next: { run: 'true', needs: ['long'] } }
  const ended = project.run({ name: 'over', states: { only: { steps } } }).catch((error: unknown) => error)
  await project.heard('step-started')
  await (await project.session('over')).run('session.end', { outcome: 'cancelled' })
  expect(await ended).toMatchObject({ code: 'SESSION_NOT_WRITABLE' })
  // Behind it may come SIGKILL.
  expect(project.told('step-stopping')[0]).toMatchObject({ step: 'long', signal: 'SIGTERM' })
  expect(existsSync(project.file('effects'))).toBe(false)
})
