import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'
import type { ConsentMode } from './events.ts'

const DELAY = 1000
const GATED = 'state.set'
const agent = { actor: 'agent:worker' }
const other = { actor: 'agent:other' }

async function begin(consent_mode: ConsentMode) {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  await session.run('session.configure', { consent_mode, gated: [GATED], delay_ms: DELAY })
  return { host, session }
}

let value = 0
const act = async (session: Session, options: object = agent) => {
  const answer = await session.run(GATED, { path: '$.data.a', value: ++value }, options)
  return answer.kind === 'accepted' ? 'done' : answer.code
}

type Before =
  | 'nothing'
  | 'asked'
  | 'waited'
  | 'granted'
  | 'granted to all'
  | 'asked, granted to all'
  | 'denied'
  | 'asked, denied to all'
  | 'denied to all, asked'
  | 'denied to all, granted'
  | 'granted to all, denied'
const prepare: Record<Before, (session: Session, advance: (ms: number) => void) => Promise<unknown>> = {
  nothing: () => Promise.resolve(),
  asked: (session) => session.run('consent.ask', { operation: GATED }, agent),
  waited: async (session, advance) => {
    await session.run('consent.ask', { operation: GATED }, agent)
    advance(DELAY)
  },
  granted: (session) => session.run('consent.grant', { operation: GATED, for: agent.actor }),
  'granted to all': (session) => session.run('consent.grant', { operation: GATED }),
  'asked, granted to all': async (session) => {
    await session.run('consent.ask', { operation: GATED }, agent)
    await session.run('consent.grant', { operation: GATED })
  },
  'asked, denied to all': async (session, advance) => {
    await session.run('consent.ask', { operation: GATED }, agent)
    await session.run('consent.deny', { operation: GATED })
    advance(DELAY)
  },
  'denied to all, asked': async (session, advance) => {
    await session.run('consent.deny', { operation: GATED })
    expect(await session.run('consent.ask', { operation: GATED }, agent)).toMatchObject({ code: no })
    advance(DELAY)
  },
  'denied to all, granted': async (session) => {
    await session.run('consent.deny', { operation: GATED })
    await session.run('consent.grant', { operation: GATED, for: agent.actor })
  },
  'granted to all, denied': async (session) => {
    await session.run('consent.grant', { operation: GATED })
    await session.run('consent.deny', { operation: GATED, for: agent.actor })
  },
  denied: async (session, advance) => {
    await session.run('consent.ask', { operation: GATED }, agent)
    await session.run('consent.deny', { operation: GATED, for: agent.actor })
    advance(DELAY)
  },
}
const no = 'CONSENT_NEEDED'
const table: Record<ConsentMode, Record<Before, string>> = {
  explicit: {
    nothing: no,
    asked: no,
    waited: no,
    granted: 'done',
    'granted to all': 'done',
    'asked, granted to all': 'done',
    denied: no,
    'asked, denied to all': no,
    'denied to all, asked': no,
    'denied to all, granted': 'done',
    'granted to all, denied': no,
  },
  informed: {
    nothing: no,
    asked: no,
    waited: 'done',
    granted: 'done',
    'granted to all': 'done',
    'asked, granted to all': 'done',
    denied: no,
    'asked, denied to all': no,
    'denied to all, asked': no,
    'denied to all, granted': 'done',
    'granted to all, denied': no,
  },
  automatic: {
    nothing: 'done',
    asked: 'done',
    waited: 'done',
    granted: 'done',
    'granted to all': 'done',
    'asked, granted to all': 'done',
    denied: 'done',
    'asked, denied to all': 'done',
    'denied to all, asked': 'done',
    'denied to all, granted': 'done',
    'granted to all, denied': 'done',
  },
}

async function lastTypes(session: Session): Promise<readonly string[]> {
  let types: readonly string[] = []
  for await (const { events } of session.commits()) types = events.map(({ type }) => type)
  return types
}

describe('S5 every mode meets every word that was said before', () => {
  for (const [mode, row] of Object.entries(table)) {
    for (const [before, then] of Object.entries(row)) {
      test(`${mode}, ${before} → ${then}`, async () => {
        const { host, session } = await begin(mode as ConsentMode)
        await prepare[before as Before](session, host.advance)
        expect(await act(session)).toBe(then)
      })
    }
  }
})

describe('S5 consent', () => {
  test('is recorded in the commit of what it was given for, and used up', async () => {
    const { session } = await begin('explicit')
    await session.run('consent.grant', { operation: GATED, for: agent.actor })
    expect(await act(session)).toBe('done')
    expect(await lastTypes(session)).toEqual(['consent.used', 'data.set'])
    expect(session.get('$.session.consent')).toMatchObject({ asks: {}, used: { [GATED]: 1 } })
    expect(await act(session)).toBe(no)
  })

  test('ends the question of whoever used it, also where it was given to everybody', async () => {
    const { session } = await begin('explicit')
    for (const asking of [agent, other]) await session.run('consent.ask', { operation: GATED }, asking)
    await session.run('consent.grant', { operation: GATED })
    expect(await act(session)).toBe('done')
    expect(Object.keys(session.get('$.session.consent.asks') as object)).toEqual([`${GATED} ${other.actor}`])
  })

  test('is not used up by what is refused, or has nothing to do', async () => {
    const { session } = await begin('explicit')
    await session.run('consent.grant', { operation: GATED, for: agent.actor })
    expect(await session.run(GATED, { path: '$.session.name', value: 1 }, agent)).toMatchObject({ kind: 'refused' })
    expect(await act(session)).toBe('done')
  })

  test('of one is not that of another', async () => {
    const { session } = await begin('explicit')
    await session.run('consent.grant', { operation: GATED, for: agent.actor })
    expect(await act(session, other)).toBe(no)
  })

  test('is given by persons: whoever has to ask neither answers nor changes the rules', async () => {
    const { session } = await begin('explicit')
    for (const [operation, input] of [
      ['consent.grant', { operation: GATED }],
      ['consent.deny', { operation: GATED }],
      ['session.configure', { consent_mode: 'automatic' }],
      ['session.configure', { none_gated: true }],
      ['session.configure', { delay_ms: 0 }],
    ] as const)
      expect(await session.run(operation, input, agent)).toMatchObject({ code: no })
    expect(await session.run('session.configure', { max_parallel_agents: 4 }, agent)).toMatchObject({
      kind: 'accepted',
    })
  })

  test('of a person who asks is there already, and what is not gated needs none', async () => {
    const { session } = await begin('explicit')
    expect(await act(session, { actor: 'human:ana' })).toBe('done')
    expect(await session.run('output.set', { name: 'a', value: '1' }, agent)).toMatchObject({ kind: 'accepted' })
    expect(await session.run('consent.ask', { operation: 'output.set' }, agent)).toMatchObject({ code: 'NOT_FOUND' })
  })

  test('asking again does not begin the delay anew', async () => {
    const { host, session } = await begin('informed')
    await session.run('consent.ask', { operation: GATED }, agent)
    host.advance(DELAY - 1)
    await session.run('consent.ask', { operation: GATED }, agent)
    host.advance(1)
    expect(await act(session)).toBe('done')
  })

  test('how to ask for consent cannot be gated', async () => {
    const { session } = await begin('explicit')
    expect(await session.run('session.configure', { gated: ['consent.ask'] })).toMatchObject({ code: 'INPUT_INVALID' })
  })

  test('in explicit mode as many gated operations are done as were granted, in any order of words', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('grant' as const), uses: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ kind: fc.constantFrom('ask' as const, 'deny' as const, 'act' as const) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { session } = await begin('explicit')
        let left = 0
        for (const each of steps) {
          if (each.kind === 'grant') {
            await session.run('consent.grant', { operation: GATED, for: agent.actor, uses: each.uses })
            left = each.uses
          } else if (each.kind === 'deny') {
            await session.run('consent.deny', { operation: GATED, for: agent.actor })
            left = 0
          } else if (each.kind === 'ask') await session.run('consent.ask', { operation: GATED }, agent)
          else {
            expect(await act(session)).toBe(left > 0 ? 'done' : no)
            left = Math.max(0, left - 1)
          }
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('what can be gated', () => {
  test.each([
    ['lock.brake', 'session.configure: gated: no operation "lock.brake"', /^did you mean lock\.break/],
    ['nope.op', 'session.configure: gated: no operation "nope.op"', /./],
    [
      'zzzzzz.yyyyyyyyyyyyyy',
      'session.configure: gated: no operation "zzzzzz.yyyyyyyyyyyyyy"',
      /^steadfold schema lists the operations$/,
    ],
    ['state.get', 'session.configure: gated: state.get only reads, and what reads wants no consent', /state\.set/],
    ['consent.grant', 'session.configure: gated.1: is how consent is asked for and given', /./],
  ])('not %s, which nothing would ever ask for', async (name, message, hint) => {
    const { session } = await begin('explicit')
    const answer = await session.run('session.configure', { gated: ['lock.break', name] })
    expect(answer).toMatchObject({ kind: 'refused', code: 'INPUT_INVALID', message, hint: expect.stringMatching(hint) })
    expect(await act(session)).toBe('CONSENT_NEEDED')
  })

  test('every operation that writes, but for consent itself', async () => {
    const { session } = await begin('explicit')
    const names = (await memoryKernel().operations.all())
      .filter(({ kind, name }) => kind === 'write' && !name.startsWith('consent.'))
      .map(({ name }) => name)
    expect(await session.run('session.configure', { gated: names })).toMatchObject({ kind: 'accepted' })
  })

  test('what a mode gates is there', async () => {
    const session = await makeWorkspace(memoryKernel({ checkpoints: false })).createSession({
      name: 'm',
      mode: 'config',
    })
    const gated = session.get('$.session.consent.gated') as readonly string[]
    expect(await session.run('session.configure', { gated })).toMatchObject({ kind: 'accepted' })
  })
})
