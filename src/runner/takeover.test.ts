/* What a driver does with the workers of others that it takes over. */
import { expect, test, vi } from 'vitest'
import { held, projectForEachTest } from '../../test/runner/project.ts'
import { lineIn, until } from '../../test/until.ts'
import { isAlive } from '../drivers/process/identity.ts'
import { ProcessWorkers } from '../drivers/process/workers.ts'
import type { RunEvent } from '../kernel/work/runner.ts'

const project = projectForEachTest()
const { run } = project

/** Most that were at work at once. */
function most(): number {
  let [at, top] = [0, 0]
  for (const sign of project.effects()) {
    at += sign === '+' ? 1 : -1
    top = Math.max(top, at)
  }
  return top
}

const counted = (work: string) => `echo + >> effects; ${work}; echo - >> effects`
/** What would begin beside it has time for that once it may go on. */
const long = counted(`${held}sleep 1`)
const short = counted('sleep 0.1')

test('a step of a worker-runner that was lost begins again when there is a place for it', async () => {
  const steps = { one: { run: long }, two: { run: short, repeatable: true } }
  const driven = run({ name: 'lost', states: { only: { steps } } }, { maxParallel: 1 })
  await project.heard('step-started')
  const session = await project.session('lost')
  const self = { ...new ProcessWorkers({ root: '', cwd: '' }).self(), started: '1' }
  const joined = await session.run('runner.join', { process: self, ttl_ms: 10_000 })
  const lease = joined.kind === 'accepted' ? joined.seq : 0
  const worker = { dir: project.workspace.kernel.host.newId(), runner: self, pid: null }
  const began = { key: 'a'.repeat(64), name: 'two', state: 'only', command: 'true', worker, lease, repeatable: true }
  expect(await session.run('step.start', began)).toMatchObject({ kind: 'accepted' })
  project.release()
  expect(await driven).toMatchObject({ status: 'completed' })
  expect([most(), project.effects().length]).toEqual([1, 4])
  await session.refresh()
  expect(session.get('$.steps.runners')).toEqual({})
})

test('workers that run already are waited for together, and nothing begins beside more than are allowed', async () => {
  const stop = new AbortController()
  const steps = { a: { run: long }, b: { run: long }, c: { run: short } }
  const definition = { name: 'left', states: { only: { steps: { ...steps, c: { ...steps.c, cost_hint: '1h' } } } } }
  const first = { ...definition, states: { only: { steps: { a: steps.a, b: steps.b } } } }
  const away = run(first, { signal: stop.signal }).catch((error: unknown) => error)
  await project.left(2)
  const session = await project.session('left')
  const token = session.get('$.session.lease.token')
  await session.run('session.recover', { token, cause: 'expired', evidence: ['a test says so'] })
  stop.abort()
  expect(await away).toMatchObject({ code: 'LEASE_LOST' })
  const taken = run(definition, { maxParallel: 2 })
  await project.heard('step-adopted', 2)
  project.release()
  expect(await taken).toMatchObject({
    status: 'completed',
    resumed: { adopted: expect.arrayContaining(['a', 'b']) },
  })
  expect([most(), project.effects().length]).toEqual([2, 6])
})

/** Begins a step as a runner of this process that goes away; its worker lives, unless it is to vanish. */
async function abandoned(command: string) {
  const stop = new AbortController()
  const steps = { old: { run: command }, kept: { run: 'true' } }
  const definition = { name: 'edited', states: { only: { steps } } }
  const away = run(definition, { signal: stop.signal }).catch((error: unknown) => error)
  await project.heard('step-finished')
  const session = await project.session('edited')
  const token = session.get('$.session.lease.token')
  await session.run('session.recover', { token, cause: 'expired', evidence: ['a test says so'] })
  stop.abort()
  expect(await away).toMatchObject({ code: 'LEASE_LOST' })
  return session
}
const edited = { name: 'edited', states: { only: { steps: { kept: { run: 'true' } } } } }

test('a step that the definition has no more is waited for, and its result is recorded', async () => {
  const session = await abandoned(`${held}echo made=it >> "$STEADFOLD_OUTPUT"`)
  const taken = run(edited)
  await project.heard('step-adopted')
  project.release()
  expect(await taken).toMatchObject({ status: 'completed', resumed: { adopted: ['old'] } })
  await session.refresh()
  expect(await session.query('$.steps.ledger.*.status')).toEqual(['finished', 'finished'])
  expect(session.get("$.outputs['old.made']")).toBe('it')
})

test('a step that the definition has no more and that vanished waits for a person', async () => {
  const session = await abandoned(`${held}echo $PPID > wrapper; kill -9 $PPID; sleep 5`)
  project.release()
  const wrapper = Number(await lineIn(project.file('wrapper')))
  await until(() => !isAlive(wrapper, '-'))
  const unknown = [{ step: 'old', action: 'parked' }]
  expect(await run(edited)).toMatchObject({ status: 'completed', resumed: { unknown } })
  await session.refresh()
  expect(new Set(await session.query('$.steps.ledger.*.status'))).toEqual(new Set(['finished', 'parked']))
})

test('of a step that the definition has no more and that is parked the line to type names the session, too', async () => {
  await abandoned(`${held}exit 77`)
  const taken = run(edited)
  await project.heard('step-adopted')
  project.release()
  await taken
  const [parked] = project.told('step-parked')
  expect(parked).toMatchObject({ next: 'steadfold step release old --session edited' })
})

test('a step that the definition has no more is stopped with the run', async () => {
  const session = await abandoned('sleep 20')
  const stop = new AbortController()
  const stopped = run(
    { ...edited, states: { only: { steps: { more: { run: 'sleep 20' } } } } },
    { signal: stop.signal },
  )
  await project.heard('step-adopted')
  stop.abort()
  expect(await stopped).toMatchObject({ status: 'interrupted' })
  await session.refresh()
  expect(await session.query('$.steps.ledger.*.status')).not.toContain('running')
})

test('a worker-runner that drives in place of one that was lost tells what that came to', async () => {
  const steps = { good: { run: 'echo tokens=7 >> "$STEADFOLD_OUTPUT"' }, bad: { run: 'exit 1' } }
  const definition = { name: 'alone', states: { only: { steps, min_success: 0.5, next: ['done'] }, done: {} } }
  const session = await project.workspace.createSession({ name: 'alone' })
  await session.run('workflow.define', { definition })
  const gone = { ...new ProcessWorkers({ root: '', cwd: '' }).self(), started: '1' }
  await session.run('session.acquire', { process: gone, ttl_ms: 60_000 })
  expect(await project.runner.takeSteps({ session })).toMatchObject({
    status: 'partial',
    code: 'PARTIAL',
    steps: { ran: ['good'], failed: ['bad'] },
    spent: { tokens: 7 },
  })
})

test('a worker-runner that drives to the end has done so, though its own lease was lost meanwhile', async () => {
  const session = await project.workspace.createSession({ name: 'slept' })
  const states = { only: { steps: { one: { run: long } } } }
  await session.run('workflow.define', { definition: { name: 'slept', states } })
  const gone = { ...new ProcessWorkers({ root: '', cwd: '' }).self(), started: '1' }
  await session.run('session.acquire', { process: gone, ttl_ms: 60_000 })
  const onEvent = (event: RunEvent) => project.events.push(event)
  const taking = project.runner.takeSteps({ session, lease_ms: 10_000, onEvent })
  await project.heard('step-started')
  for (const token of Object.keys(session.get('$.steps.runners') as object))
    await session.run('runner.leave', { token: Number(token) })
  const asked = vi.spyOn(session, 'run')
  await until(() => asked.mock.calls.some(([operation]) => operation === 'runner.renew'))
  project.release()
  expect(await taking).toMatchObject({ status: 'completed', steps: { ran: ['one'] } })
})

test('a worker-runner that drives later has not saved what it had paid for itself', async () => {
  const step = { run: 'echo tokens=7 >> "$STEADFOLD_OUTPUT"' }
  const states = { only: { steps: { good: step }, next: ['then'] }, then: { steps: { last: step }, next: [] } }
  const session = await project.workspace.createSession({ name: 'later' })
  await session.run('workflow.define', { definition: { name: 'later', states } })
  await session.run('session.acquire', { process: new ProcessWorkers({ root: '', cwd: '' }).self(), ttl_ms: 1500 })
  expect(await project.runner.takeSteps({ session })).toMatchObject({
    status: 'completed',
    steps: { ran: ['good', 'last'] },
    spent: { tokens: 14 },
    saved: { tokens: 0 },
  })
})

test('a worker-runner that has nothing to do leaves with its session, however long its lease', async () => {
  const session = await project.workspace.createSession({ name: 'over' })
  await session.run('workflow.define', {
    definition: { name: 'over', states: { only: { steps: { a: { run: 'true' } } } } },
  })
  const taking = project.runner.takeSteps({
    session,
    lease_ms: 3_600_000,
    onEvent: (event) => project.events.push(event),
  })
  const left = taking.catch((error: unknown) => error)
  await project.heard('waiting')
  await (await project.workspace.session('over')).run('session.end', {})
  expect(await left).toMatchObject({ code: 'SESSION_NOT_WRITABLE', message: 'session over has ended (completed)' })
})

test('a worker-runner that cannot drive leaves its steps to who comes next', async () => {
  const steps = { a: { run: long }, b: { run: short } }
  const session = await project.workspace.createSession({ name: 'failing' })
  await session.run('workflow.define', { definition: { name: 'failing', states: { only: { steps } } } })
  await session.run('session.acquire', { process: new ProcessWorkers({ root: '', cwd: '' }).self(), ttl_ms: 1500 })
  const opening = vi.spyOn(project.workspace, 'session').mockRejectedValueOnce(new Error('the store is gone'))
  const told: RunEvent['type'][] = []
  const onEvent = ({ type }: RunEvent) => void told.push(type)
  await expect(project.runner.takeSteps({ session, maxParallel: 1, onEvent })).rejects.toThrow('the store is gone')
  expect(opening).toHaveBeenCalledTimes(1)
  const before = [...told]
  expect(before).toContain('step-started')
  const taken = project.runner.runWorkflow({ session: 'failing', onEvent: (event) => project.events.push(event) })
  await project.heard('step-adopted')
  project.release()
  expect(await taken).toMatchObject({ status: 'completed', resumed: { adopted: ['a'] } })
  expect([told, project.effects().length]).toEqual([before, 4])
})

test('a fork says of a step that was under way where its outcome stands', async () => {
  const definition = { name: 'shared', states: { only: { steps: { one: { run: counted(`${held}true`) } } } } }
  const driven = run(definition)
  await project.left(1)
  const session = await project.session('shared')
  const fork = await project.workspace.fork(session, 'other', session.seq)
  expect(await project.runner.runWorkflow({ session: fork })).toMatchObject({ status: 'needs-person' })
  await fork.refresh()
  const said = `outcome unknown: it was under way when this session was forked: what became of it stands in ${session.id}`
  expect(Object.values(fork.get('$.steps.ledger') as object)).toMatchObject([{ status: 'parked', reason: said }])
  project.release()
  expect(await driven).toMatchObject({ status: 'completed' })
})
