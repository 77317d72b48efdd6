import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Session } from '../../kernel/session.ts'

async function begin(definition: object = {}): Promise<Session> {
  const session = await makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'test' })
  const states = { a: {}, b: {}, c: { next: ['a', 'd'] }, d: {} }
  await session.run('workflow.define', { definition: { name: 'own', states, ...definition } })
  return session
}

const STEPS = {
  fail: (session: Session) => session.run('workflow.fail', { reason: 'no' }),
  failForGood: (session: Session) => session.run('workflow.fail', { reason: 'quota', class: 'terminal' }),
  failSomehow: (session: Session) => session.run('workflow.fail', { reason: 'died', class: 'unknown' }),
  retry: (session: Session) => session.run('workflow.retry'),
  approve: (session: Session) => session.run('workflow.retry', { approve: true }),
  begin: (session: Session) => session.run('workflow.transition', { to: 'b', begin: true }),
  resume: (session: Session) => session.run('workflow.transition', { resume: true }),
  abandon: (session: Session) => session.run('workflow.transition', { abandon: true }),
  go: (session: Session) => session.run('workflow.transition', { to: 'b' }),
  complete: (session: Session) => session.run('workflow.complete'),
  restart: (session: Session) => session.run('workflow.restart'),
} as const satisfies Record<string, (session: Session) => Promise<unknown>>
type Step = keyof typeof STEPS

/** How each state of a workflow with a limit of one retry is reached, and what each operation says in it. */
const STATES = {
  fresh: [],
  failed: ['fail'],
  retried: ['fail', 'retry'],
  spent: ['fail', 'retry', 'fail'],
  terminal: ['failForGood'],
  unknown: ['failSomehow'],
  intended: ['begin'],
  intendedFailed: ['begin', 'fail'],
  gone: ['go'],
} as const satisfies Record<string, readonly Step[]>
type State = keyof typeof STATES

const YES = 'accepted'
const NOTHING = 'nothing'
const NO = 'TRANSITION_INVALID'
const OPEN = 'TRANSITION_UNFINISHED'
const always = { fail: YES, failForGood: YES, failSomehow: YES, complete: NO, restart: NO } as const
const standing = { ...always, begin: YES, resume: NO, abandon: NO, go: YES } as const
const onTheWay = { ...always, begin: OPEN, resume: YES, abandon: YES, go: OPEN } as const

const TABLE: Readonly<Record<State, Readonly<Record<Step, string>>>> = {
  fresh: { ...standing, retry: NO, approve: NO },
  failed: { ...standing, retry: YES, approve: YES },
  retried: { ...standing, retry: NOTHING, approve: NOTHING },
  spent: { ...standing, retry: 'LIMIT_REACHED', approve: YES },
  terminal: { ...standing, retry: 'NEEDS_PERSON', approve: YES },
  unknown: { ...standing, retry: 'NEEDS_PERSON', approve: YES },
  intended: { ...onTheWay, retry: NO, approve: NO },
  intendedFailed: { ...onTheWay, retry: YES, approve: YES },
  gone: { ...standing, begin: NOTHING, go: NOTHING, retry: NO, approve: NO },
}

describe('W2 W8 every operation in every state', () => {
  test.each(Object.entries(TABLE))('%s', async (state, row) => {
    for (const [step, said] of Object.entries(row)) {
      const session = await begin({ retry_limit: 1 })
      // The keys of the table are the states and the steps.
      for (const before of STATES[state as State]) await STEPS[before](session)
      const answer = await STEPS[step as Step](session)
      const came = answer.kind === 'refused' ? answer.code : answer.events.length === 0 ? NOTHING : YES
      expect(came, step).toBe(said)
    }
  })
})

describe('W8 the error state', () => {
  test('says what failed last, where, how often it was retried, and of how many', async () => {
    const session = await begin()
    await session.run('workflow.fail', { reason: 'connection lost' }, { actor: 'agent:one' })
    expect(session.get('$.workflow.error')).toMatchObject({
      last_error: 'connection lost',
      failed_state: 'a',
      class: 'transient',
      retry_count: 0,
      limit: 3,
      actor: 'agent:one',
    })
    await session.run('workflow.retry')
    expect(session.get('$.workflow.error')).toMatchObject({ last_error: null, failed_state: 'a', retry_count: 1 })
  })

  test('names the intended state when the way there failed', async () => {
    const session = await begin()
    await session.run('workflow.transition', { to: 'b', begin: true })
    await session.run('workflow.fail', { reason: 'no' })
    expect(session.get('$.workflow.error')).toMatchObject({ failed_state: 'b' })
  })

  test('ends when a transition leads on, and with a restart', async () => {
    const session = await begin()
    await session.run('workflow.fail', { reason: 'no' })
    await session.run('workflow.transition', { to: 'b' })
    expect(session.get('$.workflow.error')).toBe(null)
    for (const to of ['c', 'd']) await session.run('workflow.transition', { to })
    await session.run('workflow.fail', { reason: 'no' })
    await session.run('workflow.restart')
    expect(session.get('$.workflow')).toMatchObject({ error: null, current: 'a' })
  })

  test('stands in the way of resuming, and says what to do', async () => {
    const session = await begin()
    await session.run('workflow.fail', { reason: 'no' })
    expect(await session.run('workflow.resume-check')).toMatchObject({
      value: { next: 'steadfold workflow retry', error: { last_error: 'no' } },
    })
  })

  test('a transition under way does so as well, and it alone is meant', async () => {
    const session = await begin()
    await session.run('workflow.transition', { to: 'b', begin: true })
    const next = 'steadfold workflow transition b --resume'
    expect(await session.run('workflow.resume-check')).toMatchObject({ value: { next } })
  })

  test('is begun in the default workflow, too', async () => {
    const session = await makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'plain' })
    await session.run('workflow.fail', { reason: 'no' })
    expect(session.get('$.workflow')).toMatchObject({ name: 'default', error: { failed_state: 'initialize' } })
  })

  test('retries between two approvals are never more than the limit', async () => {
    const steps = fc.array(
      fc.constantFrom<Step>('fail', 'fail', 'retry', 'retry', 'approve', 'go', 'begin', 'abandon'),
      {
        minLength: 8,
        maxLength: 30,
      },
    )
    await fc.assert(
      fc.asyncProperty(fc.nat(2), steps, async (limit, wishes) => {
        const session = await begin({ retry_limit: limit })
        let retries = 0
        let state = ''
        for (const wish of wishes) {
          const answer = await STEPS[wish](session)
          if (answer.kind === 'refused' || answer.events.length === 0) continue
          const failed = session.get('$.workflow.error.failed_state')
          if (wish === 'retry') retries += 1
          if (wish === 'approve' || wish === 'go' || String(failed) !== state) retries = wish === 'retry' ? 1 : 0
          state = String(failed)
          expect(retries).toBeLessThanOrEqual(limit)
          expect(session.get('$.workflow.error.retry_count') ?? 0).toBe(retries)
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('W7 an advisory workflow', () => {
  test('makes a transition that is not allowed, and records it', async () => {
    const session = await begin({ advisory: true })
    const answer = await session.run('workflow.transition', { to: 'c' }, { actor: 'agent:one' })
    const types = answer.kind === 'accepted' ? answer.events.map(({ type }) => type) : []
    expect(types).toEqual(['workflow.violated', 'workflow.transition-intended', 'workflow.transitioned'])
    expect(session.get('$.workflow')).toMatchObject({
      current: 'c',
      violations: [{ from: 'a', to: 'c', allowed: ['b'], actor: 'agent:one' }],
    })
    await session.run('workflow.transition', { to: 'd' })
    await session.run('workflow.transition', { to: 'a' })
    expect(session.get('$.workflow.violations')).toMatchObject([{ to: 'c' }, { from: 'd', to: 'a', allowed: [] }])
  })

  test('W10 is complete no more when it goes on from its end', async () => {
    const session = await begin({ advisory: true })
    await session.run('workflow.transition', { to: 'd' })
    await session.run('workflow.complete')
    await session.run('workflow.transition', { to: 'a' })
    expect(session.get('$.workflow')).toMatchObject({ current: 'a', completed_at: null })
    expect(await session.run('workflow.fail', { reason: 'quota' })).toMatchObject({ kind: 'accepted' })
  })

  test('still knows which states there are, and finishes what was begun', async () => {
    const session = await begin({ advisory: true })
    for (const to of ['e', 'constructor', '', 'A'])
      expect(await session.run('workflow.transition', { to })).toMatchObject({ code: 'TRANSITION_INVALID' })
    await session.run('workflow.transition', { to: 'b', begin: true })
    expect(await session.run('workflow.transition', { to: 'd' })).toMatchObject({ code: 'TRANSITION_UNFINISHED' })
  })
})
