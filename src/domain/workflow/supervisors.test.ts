import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Session } from '../../kernel/session.ts'

const exported = async (session: Session): Promise<unknown> => {
  const { value } = (await session.run('workflow.export')) as { value: { supervisor_state: unknown } }
  return value.supervisor_state
}

test('a checkpoint of version 2.1 tells of research: workers, their reports, and all together', async () => {
  const { session } = await begin()
  await session.supervise.start({ kind: 'research', workers: [{ id: 'w1', topic: 'sign-in' }, { id: 'w2' }] })
  await session.supervise.report({ worker: 'w1', path: 'r1.md', text: '# Sign-in\n\nIt works\n\n- a\n- b' })
  await session.supervise.fail({ worker: 'w2', reason: 'timeout' })
  expect(await exported(session)).toEqual({
    research_supervisor: {
      supervisor_name: 'research',
      worker_count: 2,
      worker_status: ['completed', 'failed'],
      workers: [
        {
          worker_id: 'w1',
          topic: 'sign-in',
          status: 'completed',
          output_path: 'r1.md',
          metadata: { title: 'Sign-in', summary: 'It works', key_findings: ['a', 'b'] },
        },
        { worker_id: 'w2', topic: 'w2', status: 'failed', output_path: null, metadata: null },
      ],
      aggregated_metadata: {
        topics_researched: 2,
        reports_created: ['r1.md'],
        summary: 'Sign-in: It works',
        key_findings: ['a', 'b'],
      },
    },
  })
})

test('of an implementation its tracks, waves and the time that was saved, as measured', async () => {
  const { session } = await begin()
  const workers = [{ id: 'back' }, { id: 'front', needs: ['back'] }, { id: 'docs' }]
  await session.supervise.start({ kind: 'implementation', workers })
  const report = (worker: string, duration_ms: number, metrics = {}) =>
    session.supervise.report({ worker, duration_ms, metrics })
  await report('back', 30, { files_modified: 12 })
  await report('front', 25)
  await report('docs', 20)
  expect(await exported(session)).toMatchObject({
    implementation_supervisor: {
      track_count: 3,
      tracks: [{ track_id: 'back', files_modified: 12, duration_ms: 30, status: 'completed' }, {}, {}],
      execution_plan: { wave_1: ['back', 'docs'], wave_2: ['front'] },
      time_savings_ms: 20,
    },
  })
})

test('of testing its stage and the numbers', async () => {
  const { session } = await begin()
  const at = (id: string, stage: string) => ({ id, stage })
  await session.supervise.start({ kind: 'testing', workers: [at('a', 'generation'), at('b', 'execution')] })
  expect(await exported(session)).toMatchObject({ testing_supervisor: { stage: 'generation', stages_completed: [] } })
  await session.supervise.report({ worker: 'a' })
  const metrics = { total_tests: 157, passed: 152, failed: 5, coverage_percent: 87.3 }
  await session.supervise.report({ worker: 'b', metrics })
  expect(await exported(session)).toEqual({
    testing_supervisor: {
      supervisor_name: 'testing',
      stage: 'validation',
      stages_completed: ['generation', 'execution', 'validation'],
      test_metrics: metrics,
    },
  })
})

test('K5 of two of a kind the first stands under it, of those told and those that run works off', async () => {
  const { session } = await begin()
  await session.supervise.start({ kind: 'research', workers: [{ id: 'w1' }], id: 'reading' })
  await session.supervise.start({ kind: 'research', workers: [{ id: 'w1' }], id: 'asking' })
  const steps = { unit: { run: 'true', stage: 'execution' }, e2e: { run: 'true', stage: 'validation' } }
  const definition = { name: 'own', states: { test: { mode: 'stages', steps }, end: {} } }
  await session.run('workflow.define', { definition })
  const step = { key: 'a'.repeat(64), name: 'unit', state: 'test' }
  const started = await session.run('step.start', { ...step, command: 'true', repeatable: false, worker: null })
  const { token } = (started as unknown as { readonly value: { readonly token: number } }).value
  const outputs = { total_tests: '157', failed: '5', coverage_percent: '87.3', port: '80', passed: 'most' }
  const result = { exit: 0, outputs, artifacts: [], tokens: 0, cost_usd: 0, duration_ms: 5, stdout: null, stderr: null }
  await session.run('step.finish', { key: step.key, token, ...result })
  expect(await exported(session)).toMatchObject({
    research_supervisor: { supervisor_name: 'reading', worker_count: 1 },
    asking_supervisor: { supervisor_name: 'asking' },
    testing_supervisor: {
      supervisor_name: 'test',
      stage: 'validation',
      stages_completed: ['execution'],
      test_metrics: { total_tests: 157, failed: 5, coverage_percent: 87.3 },
    },
  })
})

test('K5 what is called like a kind has its place, also where another was first', async () => {
  const { session } = await begin()
  const workers = [{ id: 'w1' }]
  await session.supervise.start({ kind: 'research', workers, id: 'reading' })
  await session.supervise.start({ kind: 'research', workers, id: 'research' })
  await session.supervise.start({ kind: 'implementation', workers, id: 'testing' })
  expect(await exported(session)).toMatchObject({
    reading_supervisor: { supervisor_name: 'reading' },
    research_supervisor: { supervisor_name: 'research' },
    testing_supervisor: { supervisor_name: 'testing', track_count: 1 },
  })
})
