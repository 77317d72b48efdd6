import { describe, expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Session } from '../../kernel/session.ts'
import { familyOf } from './breaker.ts'
import type { Started, StepsSlice } from './events.ts'

const key = (n: number) => String(n).padStart(64, '0')
const STEP = { key: key(1), name: 'one', command: 'make one' }

async function start(session: Session, more: object = {}): Promise<number> {
  const answer = await session.run('step.start', { ...STEP, ...more })
  return answer.kind === 'accepted' ? (answer.value as Started).token : 0
}
describe('breakers', () => {
  /** Fails `times` in a row, as steps of one family. */
  async function failing(times: number) {
    const { host, session } = await begin()
    for (let n = 1; n <= times; n++) {
      const token = await start(session, { key: key(n), name: `s${n}` })
      await session.run('step.fail', { key: key(n), token, class: 'transient', reason: 'exit 1' })
    }
    return { host, session }
  }
  const family = 'make one'

  test('opens after three failures in a row, and holds only its family', async () => {
    expect((await (await failing(2)).session.run('step.start', STEP)).kind).toBe('accepted')
    const { session } = await failing(3)
    expect(await session.run('step.start', { ...STEP, key: key(9), name: 'nine' })).toMatchObject({
      code: 'BREAKER_OPEN',
    })
    expect(
      await session.run('step.start', { key: key(9), name: 'nine', command: ['claude', '-p', 'x'] }),
    ).toMatchObject({ kind: 'accepted' })
  })

  test('whoever retries a step need not wait for it', async () => {
    const { session } = await failing(3)
    const answer = await session.run('step.retry', { step: 's3' })
    expect(answer).toMatchObject({ kind: 'accepted', events: [{ type: 'step.retried' }, { data: { family } }] })
    expect((await session.run('step.start', { ...STEP, key: key(3), name: 's3' })).kind).toBe('accepted')
  })

  test('a success in between begins the count again', async () => {
    const { session } = await failing(2)
    const token = await start(session, { key: key(5), name: 'five' })
    await session.run('step.finish', { key: key(5), token, exit: 0 })
    expect(session.get('$.steps.breakers')).toEqual({})
  })

  test('after 60 s one attempt at a time tries again; its failure opens for another 60 s', async () => {
    const { host, session } = await failing(3)
    host.advance(60_000)
    const token = await start(session, { key: key(4), name: 'four' })
    expect(token).toBeGreaterThan(0)
    expect(await session.run('step.start', { ...STEP, key: key(5), name: 'five' })).toMatchObject({
      code: 'BREAKER_OPEN',
    })
    await session.run('step.fail', { key: key(4), token, class: 'timeout', reason: 'too long' })
    host.advance(59_000)
    expect(await session.run('step.start', { ...STEP, key: key(5), name: 'five' })).toMatchObject({
      code: 'BREAKER_OPEN',
    })
  })

  test('an attempt that is parked, since its host is gone, lets another try', async () => {
    const { host, session } = await failing(3)
    host.advance(60_000)
    await start(session, { key: key(4), name: 'four' })
    const parked = await session.run('step.park', { step: 'four', gone: true }, { actor: 'human:ana' })
    expect(parked).toMatchObject({ kind: 'accepted' })
    expect(await start(session, { key: key(5), name: 'five' })).toBeGreaterThan(0)
  })

  test('two successes close it', async () => {
    const { host, session } = await failing(3)
    host.advance(60_000)
    for (const n of [4, 5]) {
      const token = await start(session, { key: key(n), name: `s${n}` })
      await session.run('step.finish', { key: key(n), token, exit: 0 })
    }
    expect(Object.keys((session.get('$.steps') as StepsSlice).breakers)).not.toContain(family)
  })

  test('an attempt whose runner died, or was stopped, says nothing about the family', async () => {
    const { session } = await begin()
    for (let n = 1; n <= 4; n++) {
      const token = await start(session, { key: key(n), name: `s${n}`, repeatable: true })
      await session.run('step.fail', {
        key: key(n),
        token,
        class: n % 2 === 0 ? 'unknown' : 'transient',
        interrupted: n % 2 === 1,
        reason: 'gone',
      })
    }
    expect(session.get('$.steps.breakers')).toEqual({})
  })

  test.each([
    ['node --test workers/plan.mjs', 'node plan.mjs'],
    ['/usr/bin/claude -p hello', 'claude'],
    ['node "$DIR/review/plan.mjs" x', 'node plan.mjs'],
    [['python3', 'a/b.py', 'x'], 'python3 b.py'],
    ['cd app && npm test', 'cd app && npm test'],
    ['DEBUG=1 ./run.sh', 'DEBUG=1 ./run.sh'],
    ['/opt/bin/tool x', 'tool'],
  ])('the family of %j is %s', (command, then) => {
    expect(familyOf(command)).toBe(then)
  })
})
