/* What a driver does with the workers of others that it takes over. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ProcessWorkers } from '../drivers/process/workers.ts'
import { projectForEachTest } from '../../test/runner/project.ts'

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

const counted = (seconds: number) => `echo + >> effects; sleep ${seconds}; echo - >> effects`

test('a step of a worker-runner that was lost begins again when there is a place for it', async () => {
  const steps = { one: { run: counted(3) }, two: { run: counted(0.1), repeatable: true } }
  const driven = run({ name: 'lost', states: { only: { steps } } }, { maxParallel: 1 })
  await project.heard('step-started')
  const session = await project.session('lost')
  const self = { ...new ProcessWorkers({ root: '', cwd: '' }).self(), started: '1' }
  const joined = await session.run('runner.join', { process: self, ttl_ms: 10_000 })
  const lease = joined.kind === 'accepted' ? joined.seq : 0
  const worker = { dir: project.workspace.kernel.host.newId(), runner: self, pid: null }
  const began = { key: 'a'.repeat(64), name: 'two', state: 'only', command: 'true', worker, lease, repeatable: true }
  expect(await session.run('step.start', began)).toMatchObject({ kind: 'accepted' })
  expect(await driven).toMatchObject({ status: 'completed' })
  expect([most(), project.effects().length]).toEqual([1, 4])
  await session.refresh()
  expect(session.get('$.steps.runners')).toEqual({})
})

test('workers that run already are waited for together, and nothing begins beside more than are allowed', async () => {
  const stop = new AbortController()
  const steps = { a: { run: counted(2) }, b: { run: counted(2) }, c: { run: counted(0.1) } }
  const definition = { name: 'left', states: { only: { steps: { ...steps, c: { ...steps.c, cost_hint: '1h' } } } } }
  const first = { ...definition, states: { only: { steps: { a: steps.a, b: steps.b } } } }
  const away = run(first, { signal: stop.signal }).catch((error: unknown) => error)
  while (project.told('step-started').length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  const session = await project.session('left')
  const token = session.get('$.session.lease.token')
  await session.run('session.recover', { token, cause: 'expired', evidence: ['a test says so'] })
  stop.abort()
  expect(await away).toMatchObject({ code: 'LEASE_LOST' })
  expect(await run(definition, { maxParallel: 2 })).toMatchObject({
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

/** Until its pid is told and no such process is there. */
function isAtWork(file: string): boolean {
  const pid = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return pid === '' || existsSync(`/proc/${pid}`)
}

const edited = { name: 'edited', states: { only: { steps: { kept: { run: 'true' } } } } }

test('a step that the definition has no more is waited for, and its result is recorded', async () => {
  const session = await abandoned('sleep 1.5; echo made=it >> "$STEADFOLD_OUTPUT"')
  expect(await run(edited)).toMatchObject({ status: 'completed', resumed: { adopted: ['old'] } })
  await session.refresh()
  expect(await session.query('$.steps.ledger.*.status')).toEqual(['finished', 'finished'])
  expect(session.get("$.outputs['old.made']")).toBe('it')
})

test('a step that the definition has no more and that vanished waits for a person', async () => {
  const session = await abandoned('while [ ! -e gone ]; do sleep 0.05; done; echo $PPID > pid; kill -9 $PPID; sleep 5')
  project.write('gone', '')
  while (isAtWork(project.file('pid'))) await new Promise((resolve) => setTimeout(resolve, 5))
  const unknown = [{ step: 'old', action: 'parked' }]
  expect(await run(edited)).toMatchObject({ status: 'completed', resumed: { unknown } })
  await session.refresh()
  expect(new Set(await session.query('$.steps.ledger.*.status'))).toEqual(new Set(['finished', 'parked']))
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
