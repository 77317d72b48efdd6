import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Session } from '../../kernel/session.ts'
import { DEFAULT_WORKFLOW } from './default.ts'
import { parseDefinition } from './parse.ts'
import { examine } from './views.ts'

const begin = async (): Promise<Session> =>
  makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'test' })
const go = (session: Session, ...states: readonly string[]) =>
  states.reduce<Promise<unknown>>(
    (before, to) => before.then(() => session.run('workflow.transition', { to })),
    Promise.resolve(),
  )
const value = async (session: Session, name: string, input: object = {}) => {
  const answer = await session.run(name, input)
  return answer.kind === 'accepted' ? answer.value : answer
}

describe('W1 the default has exactly these transitions', () => {
  const allowed: Record<string, readonly string[]> = {
    initialize: ['research', 'implement'],
    research: ['plan', 'complete'],
    plan: ['implement', 'complete'],
    implement: ['test'],
    test: ['debug', 'document'],
    debug: ['test', 'complete'],
    document: ['complete'],
    complete: [],
  }
  const way: Record<string, readonly string[]> = {
    initialize: [],
    research: ['research'],
    plan: ['research', 'plan'],
    implement: ['implement'],
    test: ['implement', 'test'],
    debug: ['implement', 'test', 'debug'],
    document: ['implement', 'test', 'document'],
    complete: ['research', 'complete'],
  }
  const others = ['', 'impl', 'Research', 'research,plan', '.*', 'constructor', '__proto__', 'toString']
  for (const from of Object.keys(allowed)) {
    test(`from ${from}`, async () => {
      for (const to of [...Object.keys(allowed), ...others]) {
        const session = await begin()
        await go(session, ...(way[from] ?? []))
        const before = session.seq
        const answer = await session.run('workflow.transition', { to })
        if (to === from) expect([answer.kind, session.seq]).toEqual(['accepted', before])
        else if (allowed[from]?.includes(to) === true) expect(session.get('$.workflow.current')).toBe(to)
        else expect(answer).toMatchObject({ kind: 'refused', code: 'TRANSITION_INVALID' })
      }
    })
  }
})

test('W1 a refusal names what is allowed and the next command', async () => {
  const session = await begin()
  expect(await session.run('workflow.transition', { to: 'debug' })).toMatchObject({
    code: 'TRANSITION_INVALID',
    message: 'cannot go from "initialize" to "debug"\n  allowed from initialize: research, implement',
    hint: 'steadfold workflow transition research',
    details: { allowed: ['research', 'implement'] },
  })
})

describe('W2 intent and outcome', () => {
  test('are two events, also when told at once', async () => {
    const session = await begin()
    const answer = await session.run('workflow.transition', { to: 'research' })
    const types = answer.kind === 'accepted' ? answer.events.map(({ type }) => type) : []
    expect(types).toEqual(['workflow.defined', 'workflow.transition-intended', 'workflow.transitioned'])
  })

  test('an unfinished intent is visible, and only it can be finished', async () => {
    const session = await begin()
    await session.run('workflow.transition', { to: 'research', begin: true })
    expect(session.get('$.workflow')).toMatchObject({
      current: 'initialize',
      intent: { from: 'initialize', to: 'research' },
    })
    expect(await session.run('workflow.transition', { to: 'implement' })).toMatchObject({
      code: 'TRANSITION_UNFINISHED',
    })
    expect(await session.run('workflow.transition', { to: 'implement', resume: true })).toMatchObject({
      code: 'TRANSITION_UNFINISHED',
    })
    await session.run('workflow.transition', { resume: true })
    expect(session.get('$.workflow')).toMatchObject({ current: 'research', intent: null, completed: ['initialize'] })
  })

  test('an intent can be abandoned', async () => {
    const session = await begin()
    await session.run('workflow.transition', { to: 'research', begin: true })
    await session.run('workflow.transition', { abandon: true })
    expect(session.get('$.workflow')).toMatchObject({ current: 'initialize', intent: null, completed: [] })
    expect(await session.run('workflow.transition', { resume: true })).toMatchObject({ code: 'TRANSITION_INVALID' })
  })
})

describe('W4 the end', () => {
  test('is closed until a restart', async () => {
    const session = await begin()
    expect(await session.run('workflow.restart')).toMatchObject({ code: 'TRANSITION_INVALID' })
    await go(session, 'research', 'complete')
    expect(await session.run('workflow.transition', { to: 'research' })).toMatchObject({
      code: 'TRANSITION_INVALID',
      hint: 'steadfold workflow restart',
    })
    await session.run('workflow.restart')
    expect(session.get('$.workflow')).toMatchObject({ current: 'initialize', pass: 2, completed: [] })
  })

  test('is where the scope ends', async () => {
    const session = await begin()
    await session.run('workflow.define', { scope: 'research-only' })
    await go(session, 'research')
    expect(await value(session, 'workflow.next')).toMatchObject({ current: 'research', allowed: [] })
  })
})

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
    ['an unknown member', { a: { step: {} } }, 'WORKFLOW_INVALID', 'Unrecognized key'],
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

test('a state between others that have work is reported when it has none', () => {
  const states = { a: {}, b: { steps: { s: { run: 'x' } } }, c: {}, d: {} }
  expect(examine({ states }).report).toMatchObject([{ severity: 'warning', path: ['states', 'c'] }])
  expect(examine({ states: { ...states, c: { handler: { run: 'x' } } } }).report).toEqual([])
})

test('W1 W3 any sequence of transitions stays on allowed edges and is told in the history', async () => {
  const names = Object.keys(DEFAULT_WORKFLOW.states)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...names), { maxLength: 20 }), async (wishes) => {
      const session = await begin()
      await go(session, ...wishes)
      const history = (session.get('$.workflow.history') ?? []) as readonly {
        readonly from: string
        readonly to: string
      }[]
      let at = 'initialize'
      for (const { from, to } of history) {
        expect(from).toBe(at)
        expect(DEFAULT_WORKFLOW.states[from]?.next).toContain(to)
        at = to
      }
      expect(session.get('$.workflow.current') ?? 'initialize').toBe(at)
    }),
    { numRuns: 40 },
  )
})

describe('graphs', () => {
  test('mark the state that is intended', async () => {
    const session = await begin()
    await session.run('workflow.transition', { to: 'research', begin: true })
    expect(await value(session, 'workflow.graph')).toContain('> initialize  → research, implement\n? research ')
  })

  test('text marks where the work stands', async () => {
    const session = await begin()
    await go(session, 'research')
    expect(await value(session, 'workflow.graph')).toContain(
      '+ initialize  → research, implement\n> research    → plan, complete\n',
    )
  })

  test('mermaid and dot hold every state and edge', async () => {
    const session = await begin()
    await session.run('workflow.define', {
      definition: {
        states: { end: { on_failure: 'fix', steps: { s: { run: 'x' } } }, fix: { next: ['end', 'last'] }, last: {} },
        initial: 'end',
      },
    })
    expect(await value(session, 'workflow.graph', { format: 'mermaid', steps: true })).toBe(
      'flowchart LR\n  s0["end"]\n  s0 -. failed .-> s1\n  s0 --- t0("s")\n  s1["fix"]\n  s1 --> s0\n  s1 --> s2\n  s2(["last"])\n  style s0 stroke-width:3px\n',
    )
    expect(await value(session, 'workflow.graph', { format: 'dot' })).toContain(
      '"end" -> "fix" [style=dashed, label=failed]',
    )
  })
})
