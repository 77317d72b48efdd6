/* T9 of steps.ts: who joined starts steps while its lease lasts, and at most so many of a state at once. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Answer } from '../../kernel/operation/answer.ts'
import type { Session } from '../../kernel/session.ts'
import type { Runner, Started } from './events.ts'
import type { RunnerRow } from './runners.ts'

const at = (host: string) => ({ host, boot_id: `boot-${host}`, pid_namespace: '1', pid: 7, started: '1' })
const key = (n: number) => String(n).padStart(64, '0')
const TTL = 10_000

const code = (answer: Answer) =>
  answer.kind === 'refused' ? answer.code : answer.events.map(({ type }) => type).join()
const join = async (session: Session, host: string) => {
  const answer = await session.run('runner.join', { process: at(host), ttl_ms: TTL })
  return answer.kind === 'accepted' ? (answer.value as Runner).token : 0
}
const start = (session: Session, n: number, lease: number, more: object = {}) =>
  session.run('step.start', { key: key(n), name: `s${n}`, state: 'work', command: 'true', lease, ...more })
const rows = async (session: Session) => {
  const answer = await session.run('runner.list')
  return answer.kind === 'accepted' ? (answer.value as readonly RunnerRow[]) : []
}

test('T9 what a runner may do while it is there, when its lease is over, and after it left', async () => {
  const places = {
    there: () => undefined,
    over: ({ host }: Awaited<ReturnType<typeof begin>>) => host.advance(TTL),
    left: ({ session }: Awaited<ReturnType<typeof begin>>, token: number) => session.run('runner.leave', { token }),
  }
  const table = {
    there: ['step.started', 'runner.renewed', 'runner.left'],
    over: ['LEASE_LOST', 'LEASE_LOST', 'runner.left'],
    left: ['LEASE_LOST', 'LEASE_LOST', ''],
  }
  for (const [place, arrive] of Object.entries(places)) {
    const world = await begin()
    const token = await join(world.session, 'beta')
    await arrive(world, token)
    const said = [
      code(await start(world.session, 1, token)),
      code(await world.session.run('runner.renew', { token, ttl_ms: TTL })),
      code(await world.session.run('runner.leave', { token })),
    ]
    expect(said, place).toEqual(table[place as keyof typeof table])
  }
})

test('T9 the list names the driver first, then each runner with what it works on', async () => {
  const { session } = await begin()
  await session.run('session.acquire', { ttl_ms: TTL, process: at('alpha') })
  const [beta, gamma] = [await join(session, 'beta'), await join(session, 'gamma')]
  await start(session, 1, gamma)
  expect((await rows(session)).map(({ host, drives, running }) => [host, drives, running])).toEqual([
    ['alpha', true, []],
    ['beta', false, []],
    ['gamma', false, ['s1']],
  ])
  await session.run('runner.leave', { token: beta })
  expect((await rows(session)).map(({ host }) => host)).toEqual(['alpha', 'gamma'])
})

test('T9 whoever joins takes those from the list whose lease is over', async () => {
  const { session, host } = await begin()
  await join(session, 'beta')
  host.advance(TTL)
  await join(session, 'gamma')
  expect((await rows(session)).map((row) => row.host)).toEqual(['gamma'])
})

test('at most so many steps of a state run at once, whoever starts them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.record({ host: fc.nat(2), step: fc.nat(7), ends: fc.boolean() }), { maxLength: 40 }),
      async (most, moves) => {
        const { session } = await begin()
        const leases = [await join(session, 'a'), await join(session, 'b'), await join(session, 'c')]
        const running = new Map<number, number>()
        for (const { host, step, ends } of moves) {
          const token = running.get(step)
          if (ends && token !== undefined) {
            await session.run('step.fail', { key: key(step), token, class: 'transient', reason: 'no' })
            running.delete(step)
            continue
          }
          const answer = await start(session, step, leases[host] ?? 0, { most, command: `run ${step}` })
          if (answer.kind === 'accepted') running.set(step, (answer.value as Started).token)
          else if (running.size < most && token === undefined) expect(answer.code).toBe('BREAKER_OPEN')
          expect(running.size).toBeLessThanOrEqual(most)
        }
      },
    ),
    { numRuns: 50 },
  )
})
