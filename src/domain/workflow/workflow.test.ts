import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Session } from '../../kernel/session.ts'
import { DEFAULT_WORKFLOW } from './default.ts'

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

  test('W11 is that of the definition for work that came in from beyond the end of its scope', async () => {
    const session = await begin()
    const workflow_config = { scope: 'research-and-plan' }
    const state_machine = { current_state: 'document', workflow_config }
    await session.run('workflow.import', { checkpoint: { version: '2.0', state_machine } })
    await go(session, 'complete')
    expect(await value(session, 'workflow.show')).toMatchObject({ terminal: 'complete', finished: true })
    expect(await session.run('workflow.complete')).toMatchObject({ kind: 'accepted' })
  })

  test('W11 is no scope that the work has left behind', async () => {
    const session = await begin()
    await go(session, 'research', 'plan')
    expect(await session.run('workflow.define', { scope: 'research-only' })).toMatchObject({ code: 'WORKFLOW_INVALID' })
    expect(await session.run('workflow.define', { scope: 'research-and-plan' })).toMatchObject({ kind: 'accepted' })
  })
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

  test('text ends where the scope ends, and where nothing is next', async () => {
    const session = await begin()
    await session.run('workflow.define', { scope: 'research-only' })
    const text = String(await value(session, 'workflow.graph'))
    expect(text).toContain('  research    (end)\n')
    expect(text).toContain('  complete    (end)\n')
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
