import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'
import { familyOf } from './breaker.ts'
import type { Started, StepRecord, StepsSlice, StepStatus } from './events.ts'
import { classify, retryDelay } from './failure.ts'
import { stepKey, type Facts } from './key.ts'

async function begin() {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  return { host, session: await makeWorkspace(kernel).createSession({ name: 'test' }) }
}

const key = (n: number) => String(n).padStart(64, '0')
const STEP = { key: key(1), name: 'one', command: 'make one' }
const record = (session: Session, of = key(1)) => session.get(`$.steps.ledger['${of}']`) as StepRecord | undefined

async function start(session: Session, more: object = {}): Promise<number> {
  const answer = await session.run('step.start', { ...STEP, ...more })
  return answer.kind === 'accepted' ? (answer.value as Started).token : 0
}
const fail = (session: Session, token: number, more: object = {}) =>
  session.run('step.fail', { key: key(1), token, class: 'transient', reason: 'exit 1', exit: 1, ...more })

type Place = StepStatus | 'absent'
type Command = 'start' | 'finish' | 'fail' | 'adopt' | 'reuse' | 'park' | 'release' | 'retry' | 'gate'

/** How a step gets into a status; the answer is the token of its last attempt. */
const arrive: Record<Place, (session: Session) => Promise<number>> = {
  absent: () => Promise.resolve(1),
  running: (session) => start(session),
  finished: async (session) => {
    const token = await start(session)
    await session.run('step.finish', { key: key(1), token, exit: 0 })
    return token
  },
  failed: async (session) => {
    const token = await start(session)
    await fail(session, token)
    return token
  },
  parked: async (session) => {
    const token = await start(session)
    await fail(session, token, { class: 'terminal', reason: 'quota' })
    return token
  },
  ready: async (session) => {
    const token = await arrive.failed(session)
    await session.run('step.retry', { step: 'one' })
    return token
  },
}

const inputs: Record<Command, (token: number) => object> = {
  start: () => STEP,
  finish: (token) => ({ key: key(1), token, exit: 0 }),
  fail: (token) => ({ key: key(1), token, class: 'transient', reason: 'exit 1' }),
  adopt: (token) => ({ key: key(1), token, worker: { dir: 'w', runner: null, pid: 7 } }),
  reuse: () => ({ key: key(1), name: 'one' }),
  park: () => ({ step: 'one' }),
  release: () => ({ step: 'one' }),
  retry: () => ({ step: 'one' }),
  gate: () => ({ key: key(1), name: 'one', reason: 'may it?' }),
}

const same = 'nothing to do'
const table: Record<Place, Record<Command, string>> = {
  absent: {
    start: 'running', finish: 'STEP_NOT_FOUND', fail: 'STEP_NOT_FOUND', adopt: 'STEP_NOT_FOUND', reuse: 'STEP_NOT_FOUND',
    park: 'STEP_NOT_FOUND', release: 'STEP_NOT_FOUND', retry: 'STEP_NOT_FOUND', gate: 'parked',
  },
  running: {
    start: 'STEP_STATUS_INVALID', finish: 'finished', fail: 'failed', adopt: 'running', reuse: 'STEP_STATUS_INVALID',
    park: 'STEP_STATUS_INVALID', release: 'STEP_STATUS_INVALID', retry: 'STEP_STATUS_INVALID', gate: same,
  },
  finished: {
    start: 'STEP_STATUS_INVALID', finish: same, fail: 'LEASE_LOST', adopt: 'LEASE_LOST', reuse: 'finished',
    park: 'STEP_STATUS_INVALID', release: 'STEP_STATUS_INVALID', retry: 'STEP_STATUS_INVALID', gate: same,
  },
  failed: {
    start: 'running', finish: 'LEASE_LOST', fail: 'LEASE_LOST', adopt: 'LEASE_LOST', reuse: 'STEP_STATUS_INVALID',
    park: 'parked', release: 'STEP_STATUS_INVALID', retry: 'ready', gate: same,
  },
  parked: {
    start: 'NEEDS_PERSON', finish: 'LEASE_LOST', fail: 'LEASE_LOST', adopt: 'LEASE_LOST', reuse: 'STEP_STATUS_INVALID',
    park: same, release: 'ready', retry: 'STEP_STATUS_INVALID', gate: same,
  },
  ready: {
    start: 'running', finish: 'LEASE_LOST', fail: 'LEASE_LOST', adopt: 'LEASE_LOST', reuse: 'STEP_STATUS_INVALID',
    park: 'parked', release: same, retry: same, gate: same,
  },
}

describe('every status meets every command', () => {
  for (const [place, cells] of Object.entries(table)) {
    for (const [command, then] of Object.entries(cells)) {
      test(`${place}: ${command} → ${then}`, async () => {
        const { session } = await begin()
        // Keys of a total record are its key types.
        const token = await arrive[place as Place](session)
        const before = session.seq
        const answer = await session.run(`step.${command}`, inputs[command as Command](token))
        if (answer.kind === 'refused') return expect(answer.code).toBe(then)
        if (then === same) return expect(session.seq).toBe(before)
        expect(record(session)?.status).toBe(then)
      })
    }
  }
})

describe('T4 what a failure leads to', () => {
  test.each([
    ['transient', false, 'failed'],
    ['timeout', false, 'failed'],
    ['terminal', true, 'parked'],
    ['unknown', true, 'failed'],
    ['unknown', false, 'parked'],
  ])('%s of a step that %s may run again → %s', async (kind, repeatable, then) => {
    const { session } = await begin()
    const token = await start(session, { repeatable })
    await fail(session, token, { class: kind })
    expect(record(session)?.status).toBe(then)
  })
})

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
    expect(await session.run('step.start', { ...STEP, key: key(9), name: 'nine' })).toMatchObject({ code: 'BREAKER_OPEN' })
    expect(await session.run('step.start', { key: key(9), name: 'nine', command: ['claude', '-p', 'x'] })).toMatchObject({ kind: 'accepted' })
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
    expect(await session.run('step.start', { ...STEP, key: key(5), name: 'five' })).toMatchObject({ code: 'BREAKER_OPEN' })
    await session.run('step.fail', { key: key(4), token, class: 'timeout', reason: 'too long' })
    host.advance(59_000)
    expect(await session.run('step.start', { ...STEP, key: key(5), name: 'five' })).toMatchObject({ code: 'BREAKER_OPEN' })
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
      await session.run('step.fail', { key: key(n), token, class: n % 2 === 0 ? 'unknown' : 'transient', interrupted: n % 2 === 1, reason: 'gone' })
    }
    expect(session.get('$.steps.breakers')).toEqual({})
  })

  test.each([
    ['node --test workers/plan.mjs', 'node plan.mjs'],
    ['/usr/bin/claude -p hello', 'claude'],
    [['python3', 'a/b.py', 'x'], 'python3 b.py'],
  ])('the family of %j is %s', (command, then) => {
    expect(familyOf(command)).toBe(then)
  })
})

test('T6 who lost the lease of the session starts nothing', async () => {
  const { session } = await begin()
  const lease = await session.run('session.acquire', {})
  const token = lease.kind === 'accepted' ? lease.seq : 0
  expect(await session.run('step.start', { ...STEP, lease: token + 1 })).toMatchObject({ code: 'LEASE_LOST' })
  expect(await session.run('step.start', { ...STEP, lease: token })).toMatchObject({ kind: 'accepted' })
})

test('T1 T2 T3 hold after any sequence of commands of two runners', async () => {
  const command = fc.record({
    name: fc.constantFrom<Command>('start', 'finish', 'fail', 'reuse', 'park', 'release', 'retry'),
    // A runner may report with the token it got last, or with an old one.
    late: fc.boolean(),
    class: fc.constantFrom('transient', 'terminal', 'unknown'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 30 }), async (commands) => {
      const { session } = await begin()
      const tokens: number[] = []
      let running: number | undefined
      let finished = false
      for (const { name, late, class: kind } of commands) {
        const token = (late ? tokens[0] : tokens.at(-1)) ?? 1
        const answer = await session.run(`step.${name}`, { ...inputs[name](token), ...(name === 'fail' ? { class: kind, breaker_ms: 0 } : {}) })
        if (answer.kind === 'refused' || answer.events.length === 0) continue
        if (name === 'start') {
          expect([finished, running]).toEqual([false, undefined])
          running = (answer.value as Started).token
          expect(running).toBe(answer.seq)
          expect(running).toBeGreaterThan(tokens.at(-1) ?? 0)
          tokens.push(running)
        }
        if (name === 'finish' || name === 'fail') {
          expect(token).toBe(running)
          running = undefined
        }
        finished ||= name === 'finish'
      }
      expect(record(session)?.status === 'running').toBe(running !== undefined)
    }),
    { numRuns: 60 },
  )
})

describe('keys', () => {
  const facts: Facts = { name: 'a', command: 'x', patterns: [], inputs: {}, env: {}, reads: {}, needs: {}, artifacts: [] }
  const keyOf = (more: Partial<Facts>) => stepKey({ ...facts, ...more }, (text) => text)

  test('N1 everything that decides the result changes the key', () => {
    const changes: Partial<Facts>[] = [
      {}, { name: 'b' }, { command: ['x'] }, { patterns: ['*'] }, { inputs: { f: 'h' } }, { inputs: { f: null } }, { env: { A: '1' } },
      { reads: { A: ['a.b', '1'] } }, { reads: { A: ['a.b', null] } }, { needs: { z: {} } }, { needs: { z: { f: 'h' } } }, { artifacts: ['f'] },
    ]
    expect(new Set(changes.map(keyOf)).size).toBe(changes.length)
  })

  test('N1 the order in which facts were gathered does not', () => {
    expect(keyOf({ env: { A: '1', B: '2' } })).toBe(keyOf({ env: { B: '2', A: '1' } }))
  })
})

describe('failures', () => {
  test.each([
    [1, undefined, 'transient', false],
    [137, undefined, 'transient', false],
    [75, undefined, 'transient', true],
    [77, undefined, 'terminal', false],
    [127, undefined, 'terminal', false],
    [1, 'terminal:quota', 'terminal', false],
    [78, 'transient:rate limit', 'transient', true],
    [0, 'terminal', 'terminal', false],
    [1, 'nonsense', 'transient', false],
  ])('F1–F3 exit %s, saying %s → %s', (exit, said, kind, asked) => {
    expect(classify(exit, said)).toMatchObject({ class: kind, asked })
  })

  test('delays are 0, 2, 4, 8, 16 s and up to a quarter more', () => {
    expect([1, 2, 3, 4, 5, 6].map((failures) => retryDelay(failures, 0))).toEqual([0, 2000, 4000, 8000, 16_000, 16_000])
    expect(retryDelay(3, 0.999999)).toBe(5000)
    expect(retryDelay(3, 0, 0.01)).toBe(40)
  })
})
