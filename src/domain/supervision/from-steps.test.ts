import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Session } from '../../kernel/session.ts'

const STATES = {
  implement: {
    mode: 'waves',
    next: ['end'],
    steps: { page: { run: 'true', retries: 1 }, tests: { run: 'true', needs: 'page' } },
  },
  end: {},
}
const KEY = 'a'.repeat(64)

const tokenOf = async (session: Session, operation: string, input: object): Promise<number> => {
  const answer = (await session.run(operation, input)) as unknown as { readonly value: { readonly token: number } }
  return answer.value.token
}

/** A runner is at work, and its first step has failed once. */
async function failed(more: object) {
  const { session } = await begin()
  await session.run('workflow.define', { definition: { name: 'build', states: STATES } })
  const lease = await tokenOf(session, 'session.acquire', {})
  const step = { key: KEY, name: 'page', state: 'implement', command: 'true', repeatable: false, worker: null }
  const token = await tokenOf(session, 'step.start', step)
  const failure = {
    key: KEY,
    token,
    class: 'transient',
    reason: 'exit 1',
    exit: 1,
    tokens: 0,
    cost_usd: 0,
    duration_ms: 5,
  }
  await session.run('step.fail', { ...failure, stdout: null, stderr: null, ...more })
  return { session, lease }
}

async function shown(session: Session) {
  const answer = (await session.run('supervise.show', { supervisor: 'implement' })) as unknown as {
    readonly value: { readonly status: string; readonly workers: readonly { status: string; reason: string | null }[] }
  }
  const { status, workers } = answer.value
  return { status, workers: workers.map((worker) => [worker.status, worker.reason]) }
}

const OPEN = {
  status: 'running',
  workers: [
    ['pending', 'is tried again: exit 1'],
    ['pending', null],
  ],
}
const OVER = {
  status: 'failed',
  workers: [
    ['failed', 'exit 1'],
    ['skipped', 'needs page, which failed'],
  ],
}

test('R1 a step that its runner tries again is pending, and what needs it waits', async () => {
  const { session } = await failed({ again: true })
  expect(await shown(session)).toEqual(OPEN)
})

test('R1 a step that nobody tries again has failed', async () => {
  const { session, lease } = await failed({})
  expect(await shown(session)).toEqual(OVER)
  await session.run('session.release', { token: lease })
  expect(await shown(session)).toEqual(OVER)
})

test('R1 what a runner left to try again has failed until the next one is at work', async () => {
  const { session, lease } = await failed({ again: true })
  await session.run('session.release', { token: lease })
  expect(await shown(session)).toEqual(OVER)
  await session.run('session.acquire', {})
  expect(await shown(session)).toEqual(OPEN)
})

test('R1 of a state that the work has left, nothing is tried again', async () => {
  const { session } = await failed({ again: true })
  await session.run('workflow.transition', { to: 'end' })
  expect(await shown(session)).toEqual(OVER)
})
