/* U1 and U2: supervisors that a checkpoint tells of. */
import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { detect } from '../../src/domain/imports/registry.ts'
import { carryOut } from '../../src/kernel/exchange/carry-out.ts'
import type { Session } from '../../src/kernel/session.ts'
import { json } from './files.ts'

async function imported(value: object) {
  const [plan] = detect([json('given.json', value)]).plans
  if (plan === undefined) throw new Error('nobody knows it')
  const bytes = [Buffer.from(JSON.stringify(value))]
  const { session, refused } = await carryOut(makeWorkspace(memoryKernel()), plan, { name: 'given', bytes })
  expect(refused).toEqual([])
  return { session, plan }
}

const exported = async (session: Session) => {
  const { value } = (await session.run('workflow.export')) as { value: { supervisor_state: object } }
  return value
}

const worker = (id: string, status: string, more: object = {}) => ({ worker_id: id, topic: id, status, ...more })
const research = {
  supervisor_name: 'research-sub-supervisor',
  worker_count: 3,
  workers: [
    worker('cookies', 'completed', { output_path: '/r/1.md', metadata: { title: 'Cookies', key_findings: ['two'] } }),
    worker('tokens', 'failed', { error: 'timeout' }),
    worker('keys', 'completed', { duration_ms: 5 }),
  ],
}
const implementation = {
  track_count: 3,
  tracks: [
    { track_id: 'server', files_modified: 12, duration_ms: 1800, status: 'completed' },
    { track_id: 'page', files_modified: 0, status: 'failed' },
    { track_id: 'tests', status: 'pending' },
  ],
  execution_plan: { wave_1: ['server'], wave_2: ['page'], wave_3: ['tests'] },
}
const testing = {
  stage: 'validation',
  stages_completed: ['generation', 'execution'],
  test_metrics: { total_tests: 157, passed: 152, failed: 5, coverage_percent: 87.3 },
}
const checkpoint = (supervisor_state: object) => ({
  version: '2.0',
  state_machine: { current_state: 'implement', completed_states: ['initialize', 'research'] },
  supervisor_state,
})

test('U1 the supervisors of a checkpoint are here, and only what failed is done again', async () => {
  const { session, plan } = await imported(checkpoint({ research_supervisor: research, other: { worker_count: 2 } }))
  expect(plan.rows).toContainEqual({
    what: 'workers of supervisors',
    count: 3,
    becomes: 'supervisors with their workers',
  })
  expect(plan.problems).toEqual([])
  const [supervisor] = Object.values(session.get('$.supervision.supervisors') as object)
  expect(supervisor).toMatchObject({ id: 'research-sub-supervisor', kind: 'research', status: 'partial_success' })
  expect(supervisor).toMatchObject({ workers: { tokens: { status: 'failed', reason: 'timeout' } } })
  expect(await session.run('supervise.retry')).toMatchObject({ value: { workers: ['tokens'] } })
  const again = await exported(session)
  expect(again.supervisor_state).toMatchObject({
    research_supervisor: { aggregated_metadata: { reports_created: ['/r/1.md'] } },
    other: { worker_count: 2 },
  })
  expect(Object.keys(again.supervisor_state)).toHaveLength(2)
})

test('U2 tracks stand in the waves of their plan, and who needs a failed one is skipped', async () => {
  const { session } = await imported(checkpoint({ implementation_supervisor: implementation }))
  expect(session.get('$.supervision.supervisors.implementation')).toMatchObject({
    kind: 'implementation',
    waves: [['server'], ['page'], ['tests']],
    workers: {
      server: { status: 'completed', metrics: { files_modified: 12 }, duration_ms: 1800 },
      page: { status: 'failed' },
      tests: { status: 'skipped' },
    },
  })
})

test('stages of testing are workers, and its numbers are of the last that is done', async () => {
  const { session } = await imported(checkpoint({ testing_supervisor: testing }))
  expect(session.get('$.supervision.supervisors.testing')).toMatchObject({ kind: 'testing', status: 'running' })
  expect((await exported(session)).supervisor_state).toMatchObject({ testing_supervisor: testing })
})

test('a checkpoint that was written here comes in again as it went out', async () => {
  const state = {
    research_supervisor: research,
    implementation_supervisor: implementation,
    testing_supervisor: testing,
  }
  const first = await exported((await imported(checkpoint(state))).session)
  const second = await exported((await imported(first)).session)
  expect(second.supervisor_state).toEqual(first.supervisor_state)
})

test('supervisors without their checkpoint, and one that only says what failed, have their workers', async () => {
  const several = await imported({
    workflow_description: 'sign in',
    supervisor_state: { research_supervisor: research },
  })
  expect(several.plan.kind).toBe('supervisor-checkpoint')
  const told = { reports_created: ['a/cookies.md'], failed_topics: ['session'], failure_reasons: ['agent error'] }
  const { session } = await imported({ supervisor_id: 'research_sub_1', ...told })
  expect(session.get('$.supervision.supervisors.research_sub_1.workers')).toMatchObject({
    cookies: { status: 'completed', report: { path: 'a/cookies.md' } },
    session: { status: 'failed', reason: 'agent error' },
  })
})

test('one of testing whose workers are in no stage has them all the same', async () => {
  const { session } = await imported({
    supervisor_id: 'testing_sub_1',
    supervisor_name: 'testing-sub-supervisor',
    workers: [worker('unit', 'completed')],
  })
  expect(session.get('$.supervision.supervisors.testing_sub_1')).toMatchObject({
    kind: 'research',
    status: 'completed',
  })
})
