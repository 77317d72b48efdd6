import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Session } from '../../kernel/session.ts'
import { PHASES, readCheckpoint, type Read } from './checkpoint.ts'

const NOW = Date.UTC(2026, 0, 10)
const DAY = 86_400_000
const begin = async (): Promise<Session> => {
  const kernel = { ...memoryKernel({ checkpoints: false }), host: fixedHost(NOW) }
  return makeWorkspace(kernel).createSession({ name: 'shop', goal: 'a shop' })
}
const value = async (session: Session, name: string, input: object = {}) => {
  const answer = await session.run(name, input)
  return answer.kind === 'accepted' ? answer.value : answer
}

/** In the manner of 1.x: phases are numbers, the version has the longer name. */
const numbered = {
  schema_version: '1.2',
  workflow_type: 'build',
  workflow_description: 'a search page',
  updated_at: '2026-01-08T00:00:00Z',
  status: 'in_progress',
  current_phase: 3,
  completed_phases: [0, 1, 2],
  workflow_state: { plan_path: 'docs/plan.md' },
  last_error: null,
  tests_passing: true,
  plan_modification_time: 1_767_000_000,
}
/** In the manner of 2.x: names, a table, what failed. */
const named = {
  version: '2.0',
  state_machine: {
    current_state: 'plan',
    completed_states: ['initialize', 'research'],
    transition_table: { initialize: 'research', research: 'plan,complete' },
    workflow_config: { scope: 'research-and-plan', description: 'a search page', command: 'plan' },
  },
  phase_data: { research: { reports: ['a.md'] } },
  error_state: { last_error: 'no answer', retry_count: 2, failed_state: 'plan' },
  metadata: { updated_at: '2026-01-09T00:00:00Z' },
}

describe('reading', () => {
  test.each(['1.0', '1.1', '1.2', '1.3', '2.0', '2.1'])('K1 version %s under either name, or both', (version) => {
    const { schema_version: _, ...rest } = numbered
    for (const said of [{ version }, { schema_version: version }, { version, schema_version: version }])
      expect(readCheckpoint({ ...rest, ...said })).toMatchObject({ kind: 'read', imported: { version } })
  })

  test.each([
    {},
    { version: '3.0' },
    { version: '1' },
    { version: '2.0', schema_version: '2.1' },
    { version: 'toString' },
  ])('K1 %j is no version that is read', (said) => {
    expect(readCheckpoint({ current_phase: 1, ...said })).toMatchObject({ code: 'VERSION_UNKNOWN' })
  })

  test.each(PHASES.map((state, phase) => [phase, state] as const))('K2 phase %i is %s', (phase, state) => {
    for (const current_phase of [phase, String(phase)])
      expect(readCheckpoint({ version: '1.3', current_phase })).toMatchObject({ imported: { current: state } })
  })

  test('K2 any other phase is refused, with its place', () => {
    const other = fc.oneof(
      fc.integer().filter((phase) => phase < 0 || phase > 7),
      fc.double().filter((phase) => !Number.isInteger(phase)),
      fc.constantFrom(null, undefined, '8', '-1', 'plan', '', true, [1]),
    )
    fc.assert(
      fc.property(other, (phase) => {
        const current = readCheckpoint({ ...numbered, current_phase: phase })
        expect(current).toMatchObject({ code: 'INPUT_INVALID', message: expect.stringContaining('current_phase') })
        if (phase === null || phase === undefined) return
        const completed = readCheckpoint({ ...numbered, completed_phases: [1, phase] })
        expect(completed).toMatchObject({ message: expect.stringContaining('completed_phases.1') })
      }),
    )
  })

  test('K3 names count more than numbers', () => {
    expect(readCheckpoint({ ...numbered, ...named, schema_version: '2.0' })).toMatchObject({
      imported: { current: 'plan', completed: ['initialize', 'research'], error: { last_error: 'no answer' } },
    })
  })

  test('K4 a table is taken over, and the default leads on', () => {
    const table = { initialize: ['research'], research: 'review , plan', review: 'plan' }
    const read = readCheckpoint({ ...named, state_machine: { ...named.state_machine, transition_table: table } })
    expect(read).toMatchObject({
      imported: {
        definition: {
          states: {
            initialize: { next: ['research'] },
            research: { next: ['review', 'plan'] },
            plan: { next: ['implement', 'complete'] },
          },
        },
      },
    })
  })

  test('K4 a table that describes all that it names is a workflow of its own, in whatever order it stands', () => {
    const transition_table = { ship: '', write: 'check,ship', check: 'write,ship', gather: 'write' }
    const machine = { current_state: 'write', completed_states: ['gather'], transition_table }
    const read = readCheckpoint({ version: '2.1', state_machine: machine })
    expect(read).toMatchObject({
      imported: { current: 'write', definition: { initial: 'gather', terminal: 'ship' } },
    })
    const { states } = (read as Extract<Read, { kind: 'read' }>).imported.definition
    expect(Object.keys(states).toSorted()).toEqual(['check', 'gather', 'ship', 'write'])
    const elsewhere = readCheckpoint({ version: '2.1', state_machine: { ...machine, current_state: 'plan' } })
    expect(elsewhere.kind).toBe('refused')
  })

  test.each<[string, object]>([
    ['a state that is not there', { current_state: 'dreaming' }],
    ['a state done that is not there', { completed_states: ['dreaming'] }],
    ['a scope that is not there', { workflow_config: { scope: 'everything' } }],
    ['a table that leads nowhere', { transition_table: { plan: 'dreaming' } }],
  ])('%s is refused', (_, wrong) => {
    const read = readCheckpoint({ ...named, state_machine: { ...named.state_machine, ...wrong } })
    expect(read.kind).toBe('refused')
  })

  test('anything at all is read or refused, never thrown', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom(...Object.keys({ ...numbered, ...named })), fc.jsonValue()),
        (whole, members) => {
          expect(['read', 'refused']).toContain(readCheckpoint(whole).kind)
          expect(['read', 'refused']).toContain(readCheckpoint({ ...numbered, ...members }).kind)
        },
      ),
    )
  })
})

describe('taking up', () => {
  test('the session stands where the checkpoint stood, and goes on from there', async () => {
    const session = await begin()
    const original = { sha256: 'a'.repeat(64), bytes: 10 }
    await session.run('workflow.import', { checkpoint: numbered, original })
    expect(session.get('$.workflow')).toMatchObject({
      current: 'implement',
      completed: ['initialize', 'research', 'plan'],
      checkpoint: { version: '1.2', original, notes: { plan: 'docs/plan.md' } },
    })
    expect(await session.run('workflow.transition', { to: 'test' })).toMatchObject({ kind: 'accepted' })
    expect(await session.run('workflow.import', { checkpoint: numbered })).toMatchObject({ code: 'TRANSITION_INVALID' })
  })

  test('what had failed needs a person', async () => {
    const session = await begin()
    await session.run('workflow.import', { checkpoint: named })
    expect(session.get('$.workflow')).toMatchObject({
      terminal: 'plan',
      error: { last_error: 'no answer', failed_state: 'plan', retry_count: 2, class: 'unknown' },
    })
    expect(await session.run('workflow.retry')).toMatchObject({ code: 'NEEDS_PERSON' })
  })

  test('what is exported can be imported, and says the same', async () => {
    for (const checkpoint of [numbered, named]) {
      const one = await begin()
      await one.run('workflow.import', { checkpoint })
      const exported = await value(one, 'workflow.export')
      expect(exported).toMatchObject({ version: '2.1', schema_version: '2.1' })
      const other = await begin()
      expect(await other.run('workflow.import', { checkpoint: exported })).toMatchObject({ kind: 'accepted' })
      expect(await value(other, 'workflow.export')).toEqual(exported)
      for (const member of ['current', 'terminal', 'scope', 'completed'])
        expect(other.get(`$.workflow.${member}`)).toEqual(one.get(`$.workflow.${member}`))
    }
  })

  test('what a checkpoint says of itself and nobody here reads comes out again', async () => {
    const config = { ...named.state_machine.workflow_config, topic_path: '/specs/042_auth', depth: { reports: 4 } }
    const machine = { ...named.state_machine, workflow_config: config }
    const checkpoint = { ...named, state_machine: machine, metadata: { project_name: 'claude-config' } }
    const session = await begin()
    await session.run('workflow.import', { checkpoint })
    expect(await value(session, 'workflow.export')).toMatchObject({
      project_name: 'claude-config',
      state_machine: { workflow_config: config },
      metadata: { project_name: 'claude-config' },
    })
  })

  test('K6 members that nobody here reads come out again, and what is known here is said anew', async () => {
    const others = {
      replanning_count: 2,
      replan_history: [{ phase: 3, reason: 'tests fail' }],
      debug_report_path: null,
      workflow_state: { plan_path: 'plan.md', artifacts: ['a.md'] },
    }
    const session = await begin()
    await session.run('workflow.import', { checkpoint: { ...named, ...others, total_phases: 3 } })
    expect(session.get('$.workflow.checkpoint.notes.others')).toEqual({ ...others, total_phases: 3 })
    const exported = await value(session, 'workflow.export')
    expect(exported).toMatchObject({ ...others, version: '2.1', total_phases: 8 })
  })

  test('any walk through the default workflow survives an export', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1), { maxLength: 8 }), async (choices) => {
        const session = await begin()
        for (const choice of choices) {
          const { allowed: next } = (await value(session, 'workflow.next')) as { readonly allowed: readonly string[] }
          await session.run('workflow.transition', { to: next[choice % Math.max(next.length, 1)] ?? 'complete' })
        }
        const other = await begin()
        await other.run('workflow.import', { checkpoint: await value(session, 'workflow.export') })
        expect(other.get('$.workflow.current')).toBe(session.get('$.workflow.current') ?? 'initialize')
      }),
      { numRuns: 20 },
    )
  })
})

describe('resuming is safe', () => {
  const check = async (change: object, input: object = { plan_modified: 1_767_000_000.7 }) => {
    const session = await begin()
    await session.run('workflow.import', { checkpoint: { ...numbered, ...change } })
    return value(session, 'workflow.resume-check', input)
  }

  test('when all five conditions hold', async () => {
    expect(await check({})).toMatchObject({ safety: { safe: true, condition: null, why: null } })
  })

  /** In order: each of them together with all that follow. */
  const BROKEN: readonly (readonly [condition: string, change: object, input?: object])[] = [
    ['tests-passing', { tests_passing: false }],
    ['no-error', { last_error: 'no answer' }],
    ['in-progress', { status: 'failed' }],
    ['recent', { updated_at: new Date(NOW - 7 * DAY - 1).toISOString() }],
    ['plan-unchanged', {}, { plan_modified: 1_767_000_001 }],
  ]
  test.each(BROKEN.map((each, at) => [each[0], at] as const))(
    'not without %s, the first that is named',
    async (condition, at) => {
      const change = Object.assign({}, ...BROKEN.slice(at).map(([, each]) => each)) as object
      expect(await check(change, { plan_modified: 1_767_000_001 })).toMatchObject({
        safety: { safe: false, condition },
      })
      const [, alone = {}, input] = BROKEN[at] ?? []
      expect(await check(alone, input)).toMatchObject({ safety: { condition } })
    },
  )

  test.each<[string, object, object?]>([
    ['tests-passing', { tests_passing: null }],
    ['recent', { updated_at: 'yesterday' }],
    ['recent', { updated_at: null }],
    ['plan-unchanged', {}, {}],
    ['plan-unchanged', {}, { plan_modified: null }],
  ])('what is not known does not hold: %s', async (condition, change, input) => {
    expect(await check(change, input)).toMatchObject({ safety: { condition } })
  })

  test('at most seven days, to the millisecond', async () => {
    expect(await check({ updated_at: new Date(NOW - 7 * DAY).toISOString() })).toMatchObject({ safety: { safe: true } })
  })

  test('an output says later whether tests pass, and work here counts as work', async () => {
    const session = await begin()
    await session.run('workflow.import', {
      checkpoint: { ...numbered, tests_passing: false, updated_at: '2020-01-01T00:00:00Z' },
    })
    await session.run('output.set', { name: 'tests_passing', value: 'true' })
    await session.run('workflow.transition', { to: 'test' })
    expect(await value(session, 'workflow.resume-check', { plan_modified: 1_767_000_000 })).toMatchObject({
      safety: { safe: true },
    })
  })

  test('a state may last for long: what its steps do is work', async () => {
    const host = fixedHost(NOW - 30 * DAY)
    const kernel = { ...memoryKernel({ checkpoints: false }), host }
    const long = await makeWorkspace(kernel).createSession({ name: 'long' })
    await long.run('output.set', { name: 'tests_passing', value: 'true' })
    await long.run('workflow.transition', { to: 'research' })
    host.advance(30 * DAY)
    expect(await value(long, 'workflow.resume-check')).toMatchObject({ safety: { condition: 'recent' } })
    await long.run('step.start', { key: 'a'.repeat(64), name: 'look', command: ['true'] })
    expect(await value(long, 'workflow.resume-check')).toMatchObject({ safety: { safe: true } })
  })
})
