import { describe, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Session } from '../../kernel/session.ts'
import { DEFAULT_WORKFLOW } from './default.ts'
import { parseDefinition } from './parse.ts'
import { examine } from './views.ts'
import { workflowOf } from './workflow.ts'

const begin = async (): Promise<Session> =>
  makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'test' })
const go = (session: Session, to: string) => session.run('workflow.transition', { to })

describe('definitions', () => {
  const define = (session: Session, states: object, more: object = {}) =>
    session.run('workflow.define', { definition: { name: 'own', states, ...more } })

  test('W5 an edit is taken while the state the work stands in is kept', async () => {
    const session = await begin()
    await define(session, { a: {}, b: {}, c: {} })
    await go(session, 'b')
    const before = session.seq
    await define(session, { a: {}, b: {}, c: {} })
    expect(session.seq).toBe(before)
    await define(session, { a: {}, b: {}, extra: {}, c: {} })
    expect(session.get('$.workflow')).toMatchObject({ current: 'b', completed: ['a'], terminal: 'c' })
    expect(await define(session, { a: {}, c: {} })).toMatchObject({ code: 'WORKFLOW_INVALID' })
  })

  test('W5 work that is complete begins anew with a definition that has not the state it ended in', async () => {
    const session = await begin()
    await define(session, { a: {}, b: {} })
    await go(session, 'b')
    expect(await define(session, { a: {}, last: {} })).toMatchObject({ code: 'WORKFLOW_INVALID' })
    await session.run('workflow.complete')
    const guarded = { a: { approval: true }, last: {} }
    const asked = session.run('workflow.define', { definition: { name: 'own', states: guarded } }, { actor: 'agent:a' })
    expect(await asked).toMatchObject({ code: 'NEEDS_PERSON' })
    await define(session, { a: {}, last: {} })
    expect(session.get('$.workflow')).toMatchObject({
      current: 'a',
      terminal: 'last',
      completed_at: null,
      completed: [],
      pass: 2,
      history: [{ from: 'a', to: 'b' }],
    })
    expect(await go(session, 'last')).toMatchObject({ kind: 'accepted' })
  })

  test('W10 a longer definition opens a workflow that was complete', async () => {
    const session = await begin()
    await define(session, { a: {}, b: {} })
    await go(session, 'b')
    await session.run('workflow.complete')
    const { completed_at } = workflowOf(session.stored)
    await define(session, { a: {}, b: {} }, { retry_limit: 5 })
    expect(session.get('$.workflow')).toMatchObject({ completed_at })
    await define(session, { a: {}, b: {}, c: {} })
    expect(session.get('$.workflow')).toMatchObject({ current: 'b', terminal: 'c', completed_at: null })
    expect(await session.run('workflow.fail', { reason: 'quota' })).toMatchObject({ kind: 'accepted' })
  })

  describe('W5 in the first state', () => {
    const edited = { retry_limit: 5 }

    test('an unfinished transition stays', async () => {
      const session = await begin()
      await define(session, { a: {}, b: {} })
      await session.run('workflow.transition', { to: 'b', begin: true })
      const { intent } = workflowOf(session.stored)
      await define(session, { a: {}, b: {} }, edited)
      expect(session.get('$.workflow')).toMatchObject({ current: 'a', intent, definition: edited })
      expect(await session.run('workflow.transition', { resume: true })).toMatchObject({ kind: 'accepted' })
    })

    test('a failure stays with its state, and goes with it', async () => {
      const session = await begin()
      await define(session, { a: {}, b: {} })
      await session.run('workflow.fail', { reason: 'quota', class: 'terminal' })
      await define(session, { z: {}, a: {}, b: {} })
      expect(session.get('$.workflow')).toMatchObject({ current: 'a', error: { last_error: 'quota' } })
      expect(await session.run('workflow.retry')).toMatchObject({ code: 'NEEDS_PERSON' })
      await define(session, { z: {}, b: {} })
      expect(session.get('$.workflow')).toMatchObject({ current: 'z', error: null })
    })

    test('what was imported stays', async () => {
      const session = await begin()
      const checkpoint = { version: '1.0', current_phase: 3, phases_completed: [0, 1, 2] }
      expect(await session.run('workflow.import', { checkpoint })).toMatchObject({ kind: 'accepted' })
      const { current, completed } = workflowOf(session.stored)
      expect(current).toBe('implement')
      await define(session, { a: {}, implement: {}, done: {} })
      expect(session.get('$.workflow')).toMatchObject({ current, completed, terminal: 'done' })
      expect(await define(session, { a: {}, done: {} })).toMatchObject({ code: 'WORKFLOW_INVALID' })
    })
  })

  test('defaults: the first state begins, the last ends, the next follows', () => {
    const parsed = parseDefinition({ states: { a: null, b: {}, c: {} } })
    expect(parsed).toMatchObject({
      ok: true,
      definition: { initial: 'a', terminal: 'c', states: { a: { next: ['b'] }, b: { next: ['c'] }, c: { next: [] } } },
    })
  })

  test('W4 what was parsed is read as itself', () => {
    const written = {
      name: 'x',
      goal: 'g',
      initial: 'a',
      terminal: 'b',
      states: {
        a: {
          on_failure: 'a',
          min_success: 0.5,
          steps: {
            s: { run: 'x', timeout: '1.5m', needs: 't', stage: 'q', env: { N: 7, T: true } },
            t: { run: ['x', ''] },
          },
        },
        b: null,
      },
    }
    const first = parseDefinition(written)
    expect(first.ok).toBe(true)
    expect(parseDefinition(first.ok && JSON.parse(JSON.stringify(first.definition)))).toEqual(first)
    expect(parseDefinition(JSON.parse(JSON.stringify(DEFAULT_WORKFLOW)))).toMatchObject({
      ok: true,
      definition: DEFAULT_WORKFLOW,
    })
  })

  const step = (...needs: string[]) => ({ run: 'true', needs })
  test.each<[string, object, string, string]>([
    [
      'a cycle with its path',
      { a: { steps: { x: step('z'), y: step('x'), z: step('y') } } },
      'WORKFLOW_CYCLE',
      'x → z → y → x',
    ],
    ['a step that needs itself', { a: { steps: { x: step('x') } } }, 'WORKFLOW_CYCLE', 'x → x'],
    ['an unknown need', { a: { steps: { x: step('y') } } }, 'WORKFLOW_INVALID', 'no step "y"'],
    ['a name used twice', { a: { steps: { x: step() } }, b: { steps: { x: step() } } }, 'WORKFLOW_INVALID', 'already'],
    ['an unknown next', { a: { next: 'q' }, b: {} }, 'WORKFLOW_INVALID', 'no state "q"'],
    ['a dead end', { a: { next: ['c', 'b'] }, b: { next: [] }, c: {} }, 'WORKFLOW_INVALID', 'dead end'],
    ['an end out of reach', { a: { next: ['b'] }, b: { next: ['a'] }, c: {} }, 'WORKFLOW_INVALID', 'cannot be reached'],
    [
      'a circle beside the end',
      { a: { next: ['b', 'd'] }, b: { next: 'c' }, c: { next: 'b' }, d: {} },
      'WORKFLOW_INVALID',
      'dead end',
    ],
    ['a handler that is missing', { a: { handler: 'build' }, b: {} }, 'WORKFLOW_INVALID', 'handler "build" is missing'],
    [
      'a handler called like a step',
      { a: { handler: { run: 'x' }, steps: { a: step() } } },
      'WORKFLOW_INVALID',
      'one of that name',
    ],
    ['an unknown member', { a: { step: {} } }, 'WORKFLOW_INVALID', 'step: is not known; did you mean steps'],
    [
      'an artifact outside the project',
      { a: { steps: { x: { run: 'true', artifacts: ['a/../../b'] } } } },
      'WORKFLOW_INVALID',
      'states.a',
    ],
    [
      'a need of a later state',
      { a: { steps: { x: step('y') } }, b: { steps: { y: step() } } },
      'WORKFLOW_INVALID',
      'comes later',
    ],
  ])('%s is refused', async (_, states, code, words) => {
    const answer = await define(await begin(), states)
    expect(answer).toMatchObject({ kind: 'refused', code })
    expect(answer.kind === 'refused' && answer.message).toContain(words)
  })

  test('W2 each member that nobody knows is refused in its own place, with what may stand there', () => {
    const steps = { x: { run: 'make', timout: '3s', whole: 1 } }
    const parsed = parseDefinition({ states: { a: { steps, handler: { run: 'make', neds: [] } } }, on: 'push' })
    const said = parsed.ok ? [] : parsed.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    expect(said.map((each) => each.replace(/: run, needs, .+|: name, goal, .+/, ''))).toEqual([
      'states.a.handler.neds: is not known; did you mean needs or reads?',
      'states.a.steps.x.timout: is not known; did you mean timeout or timeout_ms?',
      'states.a.steps.x.whole: is not known; what may stand here',
      'on: is not known; what may stand here',
    ])
  })

  test.each(['__proto__', 'constructor', 'a b', 'a.b', '', '1st', 'x'.repeat(200)])('%j is no name', (name) => {
    expect(parseDefinition(JSON.parse(`{"states":{${JSON.stringify(name)}:{}}}`)).ok).toBe(false)
  })

  test.each([2 ** 53 + 2, -0, 1.5, Number.NaN])(
    'a number that would not stay as it is written (%s) is refused as environment',
    (number) => {
      expect(parseDefinition({ states: { a: { steps: { x: { run: 'true', env: { N: number } } } } } }).ok).toBe(false)
    },
  )

  test('what cannot be reached is reported, but runs', () => {
    expect(examine({ states: { a: { next: 'c' }, b: {}, c: {} } }).report).toMatchObject([
      { severity: 'warning', message: 'state "b" cannot be reached from "a"' },
    ])
  })
})

test('W6 a handler becomes a step of its state; times and retries of the state are those of its steps', () => {
  const parsed = parseDefinition({
    handlers: { build: { run: 'make', retries: 5, env: { A: 1 } } },
    states: {
      a: {
        handler: 'build',
        timeout: '2m',
        retries: 1,
        steps: { lint: { run: 'lint', timeout: 5 }, tidy: { run: 'x' } },
      },
      b: { handler: { run: ['node', 'b.mjs'] } },
      c: null,
    },
  })
  expect(parsed).toMatchObject({
    ok: true,
    definition: {
      states: {
        a: {
          steps: {
            a: { run: 'make', retries: 5, timeout_ms: 120_000, env: { A: '1' } },
            lint: { retries: 1, timeout_ms: 5000 },
            tidy: { retries: 1, timeout_ms: 120_000 },
          },
        },
        b: { steps: { b: { run: ['node', 'b.mjs'], retries: 0 } } },
        c: { steps: {} },
      },
    },
  })
  expect(parsed.ok && Object.keys(parsed.definition)).not.toContain('handlers')
  expect(parseDefinition(parsed.ok && JSON.parse(JSON.stringify(parsed.definition)))).toEqual(parsed)
})

test.each([
  ['{ "__proto__": {}, "a": {}, "b": {} }', ['states', '__proto__']],
  ['{ "a": { "steps": { "__proto__": { "run": "x" } } }, "b": {} }', ['states', 'a', 'steps', '__proto__']],
  [
    '{ "a": { "handler": { "run": "x", "env": { "__proto__": "y" } } }, "b": {} }',
    ['states', 'a', 'handler', 'env', '__proto__'],
  ],
])('a name that is none is told, not left out: %s', (states, path) => {
  const parsed = parseDefinition({ states: JSON.parse(states) as unknown })
  expect(parsed).toMatchObject({ ok: false, issues: [{ path, message: 'is no name that may stand here' }] })
})

test.each([[0], ['0'], ['0s'], ['0.0ms']])('no time is no timeout: %j', (timeout) => {
  const parsed = parseDefinition({ states: { a: { steps: { s: { run: 'x', timeout } } }, b: {} } })
  expect(parsed).toMatchObject({
    ok: false,
    issues: expect.arrayContaining([expect.objectContaining({ message: 'must be above 0' })]) as unknown,
  })
})

test('a state between others that have work is reported when it has none', () => {
  const states = { a: {}, b: { steps: { s: { run: 'x' } } }, c: {}, d: {} }
  expect(examine({ states }).report).toMatchObject([{ severity: 'warning', path: ['states', 'c'] }])
  expect(examine({ states: { ...states, c: { handler: { run: 'x' } } } }).report).toEqual([])
})
