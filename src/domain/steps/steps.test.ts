import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Session } from '../../kernel/session.ts'
import type { Started, StepRecord, StepStatus } from './events.ts'

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
    start: 'running',
    finish: 'STEP_NOT_FOUND',
    fail: 'STEP_NOT_FOUND',
    adopt: 'STEP_NOT_FOUND',
    reuse: 'STEP_NOT_FOUND',
    park: 'STEP_NOT_FOUND',
    release: 'STEP_NOT_FOUND',
    retry: 'STEP_NOT_FOUND',
    gate: 'parked',
  },
  running: {
    start: 'STEP_STATUS_INVALID',
    finish: 'finished',
    fail: 'failed',
    adopt: 'running',
    reuse: 'STEP_STATUS_INVALID',
    park: 'STEP_STATUS_INVALID',
    release: 'STEP_STATUS_INVALID',
    retry: 'STEP_STATUS_INVALID',
    gate: same,
  },
  finished: {
    start: 'STEP_STATUS_INVALID',
    finish: same,
    fail: 'LEASE_LOST',
    adopt: 'LEASE_LOST',
    reuse: 'finished',
    park: 'STEP_STATUS_INVALID',
    release: 'STEP_STATUS_INVALID',
    retry: 'STEP_STATUS_INVALID',
    gate: same,
  },
  failed: {
    start: 'running',
    finish: 'LEASE_LOST',
    fail: 'LEASE_LOST',
    adopt: 'LEASE_LOST',
    reuse: 'STEP_STATUS_INVALID',
    park: 'parked',
    release: 'STEP_STATUS_INVALID',
    retry: 'ready',
    gate: same,
  },
  parked: {
    start: 'NEEDS_PERSON',
    finish: 'LEASE_LOST',
    fail: 'LEASE_LOST',
    adopt: 'LEASE_LOST',
    reuse: 'STEP_STATUS_INVALID',
    park: same,
    release: 'ready',
    retry: 'STEP_STATUS_INVALID',
    gate: same,
  },
  ready: {
    start: 'running',
    finish: 'LEASE_LOST',
    fail: 'LEASE_LOST',
    adopt: 'LEASE_LOST',
    reuse: 'STEP_STATUS_INVALID',
    park: 'parked',
    release: same,
    retry: same,
    gate: same,
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

test('T7 a name with another key drops what was not finished, and keeps its cost', async () => {
  const { session } = await begin()
  await fail(session, await start(session), { class: 'terminal', tokens: 7 })
  const token = await start(session, { key: key(2) })
  expect(record(session)).toBeUndefined()
  expect(record(session, key(2))).toMatchObject({ status: 'running', spent: { tokens: 7 } })
  await session.run('step.finish', { key: key(2), token, exit: 0, tokens: 1 })
  await start(session, { key: key(3) })
  expect(record(session, key(2))).toMatchObject({ status: 'finished' })
  expect(record(session, key(3))).toMatchObject({ spent: { tokens: 0 } })
  const rows = async (all: boolean) =>
    ((await session.run('step.list', { all })) as { readonly value: readonly unknown[] }).value.length
  expect([await rows(false), await rows(true)]).toEqual([1, 2])
})

test('T6 who lost the lease of the session starts nothing', async () => {
  const { session } = await begin()
  const lease = await session.run('session.acquire', {})
  const token = lease.kind === 'accepted' ? lease.seq : 0
  expect(await session.run('step.start', { ...STEP, lease: token + 1 })).toMatchObject({ code: 'LEASE_LOST' })
  expect(await session.run('step.start', { ...STEP, lease: token })).toMatchObject({ kind: 'accepted' })
})

test('T6 who lost the lease of the session, or never joined, takes no step over', async () => {
  const { session } = await begin()
  const lease = await session.run('session.acquire', {})
  const held = lease.kind === 'accepted' ? lease.seq : 0
  const token = await start(session, { lease: held })
  const adopt = (by: number) => session.run('step.adopt', { ...inputs.adopt(token), lease: by })
  expect(await adopt(held - 1)).toMatchObject({ code: 'LEASE_LOST' })
  expect(await adopt(held)).toMatchObject({ kind: 'accepted' })
})

test('T10 a worker is adopted from the runner it was seen with, so of two who adopt it at once one is refused', async () => {
  const { session } = await begin()
  const runner = (pid: number) => ({ host: 'alpha', boot_id: 'b', pid_namespace: '1', pid, started: '1' })
  const worker = (pid: number) => ({ dir: 'w', runner: runner(pid), pid: 7 })
  const token = await start(session, { worker: worker(1) })
  const adopt = (by: number, from: number) =>
    session.run('step.adopt', { key: key(1), token, worker: worker(by), from: runner(from) })
  expect(await adopt(2, 1)).toMatchObject({ kind: 'accepted' })
  expect(await adopt(3, 1)).toMatchObject({ code: 'LEASE_LOST' })
  expect(record(session)?.attempt?.worker).toEqual(worker(2))
  // Once that one is gone, too.
  expect(await adopt(3, 2)).toMatchObject({ kind: 'accepted' })
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
        const answer = await session.run(`step.${name}`, {
          ...inputs[name](token),
          ...(name === 'fail' ? { class: kind, breaker_ms: 0 } : {}),
        })
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

test('T1 who takes a result takes the outputs that were handed back with it', async () => {
  const { session } = await begin()
  const handIn = async (of: string, values: Readonly<Record<string, string>>) => {
    const token = await start(session, { key: of })
    await session.run('output.import', { values, prefix: 'one.', step: { key: of, token } })
    await session.run('step.finish', { key: of, token, exit: 0, outputs: values })
  }
  await handIn(key(1), { x: 'old', same: 'yes' })
  await handIn(key(2), { x: 'new', same: 'yes' })
  const reuse = () => session.run('step.reuse', { key: key(1), name: 'one' })
  expect(await reuse()).toMatchObject({
    events: [{ type: 'output.imported', data: { values: { 'one.x': 'old' } } }, { type: 'step.reused' }],
  })
  expect(session.get('$.outputs')).toEqual({ 'one.x': 'old', 'one.same': 'yes' })
  expect(await reuse()).toMatchObject({ events: [{ type: 'step.reused' }] })
})

test('T8 an agent does not pass the gate of a run; a person does', async () => {
  const { session } = await begin()
  const gate = { key: 'a'.repeat(64), name: 'b:approval', state: 'b', reason: 'may it?' }
  await session.run('step.gate', gate, { actor: 'agent:a' })
  const release = (options: object) => session.run('step.release', { step: 'b:approval' }, options)
  expect(await release({ actor: 'agent:a' })).toMatchObject({ kind: 'refused', code: 'NEEDS_PERSON' })
  expect(await release({ actor: 'human:ana' })).toMatchObject({ kind: 'accepted' })
  expect(await release({ actor: 'agent:a' })).toMatchObject({ events: [] })
})

test('T11 what runs under no lease is parked by a person who says that its host is gone, and a late result is refused', async () => {
  const { session } = await begin()
  const token = await start(session)
  const park = (actor: string, gone = true) => session.run('step.park', { step: 'one', gone }, { actor })
  expect(await park('agent:a')).toMatchObject({ code: 'STEP_STATUS_INVALID' })
  expect(await park('human:ana', false)).toMatchObject({ hint: expect.stringContaining('step park one --gone') })
  expect(await park('human:ana')).toMatchObject({ kind: 'accepted' })
  expect(await session.run('step.finish', { key: key(1), token, exit: 0 })).toMatchObject({ code: 'LEASE_LOST' })
  await session.run('step.release', { step: 'one' })
  expect(await start(session)).toBeGreaterThan(token)
})

test.each([{ state: 'work' }, { lease: 2 }])('T11 what runs with %j is not: its runner tells', async (more) => {
  const { session } = await begin()
  await session.run('session.acquire', {})
  await start(session, more)
  const parked = await session.run('step.park', { step: 'one', gone: true }, { actor: 'human:ana' })
  expect(parked).toMatchObject({ code: 'STEP_STATUS_INVALID' })
})
