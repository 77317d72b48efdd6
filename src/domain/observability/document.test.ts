import { expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { THRESHOLDS } from '../../kernel/health.ts'

test('V1 the document says how a session does, and nothing of it is stored', async () => {
  const host = fixedHost()
  const session = await makeWorkspace({ ...memoryKernel({ checkpoints: false }), host }).createSession({ name: 'test' })
  await session.run('agent.register', { agent: 'a', type: 'worker', ttl_ms: 1000 })
  host.advance(400_000)
  expect(await session.get('$.observability', { at: '@' })).toMatchObject({
    metrics: {
      performance: { session_duration_seconds: 400 },
      utilization: { active_connections: 0 },
      quality: { error_rate: 0 },
    },
    events: {
      recent: [
        { type: 'session.created', severity: 'info' },
        { type: 'agent.registered', session_id: session.id },
      ],
      event_stream_offset: 2,
    },
    health: {
      system_status: 'critical',
      checks: {
        lease_lag: { name: 'lease_lag', status: 'fail', details: '399000; steadfold recover test' },
        clock_skew: { status: 'pass', details: '0', last_checked: '2026-01-01T00:06:40.000Z' },
      },
    },
  })
  expect(await session.stateAt()).not.toHaveProperty('observability')
})

test('V1 health in the document is judged by the limits of the workspace', async () => {
  const health = { ...THRESHOLDS, lease_lag: { warning: 500_000, critical: 600_000 } }
  const host = fixedHost()
  const session = await makeWorkspace({ ...memoryKernel({ checkpoints: false, health }), host }).createSession({
    name: 'test',
  })
  await session.run('agent.register', { agent: 'a', type: 'worker', ttl_ms: 1000 })
  host.advance(400_000)
  expect(await session.get('$.observability.health')).toMatchObject({
    system_status: 'healthy',
    checks: { lease_lag: { status: 'pass', threshold: { warning: 500_000, critical: 600_000 } } },
  })
})
