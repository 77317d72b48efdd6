import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { NEED_KINDS, type Glance, type NeedKind, type Seen } from '../../kernel/care/inbox.ts'
import { glance, inbox } from './inbox.ts'

const LONG = 3_600_000
/** As long as the key of a step is. */
const KEY = 'a'.repeat(64)

async function begin() {
  const host = fixedHost()
  const session = await makeWorkspace({ ...memoryKernel({ checkpoints: false }), host }).createSession({
    name: 'my one',
  })
  const run = async (name: string, input: object = {}, actor = 'human:ana') => {
    const answer = await session.run(name, input, { actor })
    if (answer.kind === 'refused') throw new Error(`${name}: ${answer.message}`)
    return answer
  }
  return { host, session, run }
}

type Begun = Awaited<ReturnType<typeof begin>>

async function look({ session, host }: Pick<Begun, 'session' | 'host'>, more: Partial<Seen> = {}): Promise<Glance> {
  const { id, seq, updatedAt } = session
  const state = await session.stateAt()
  return glance({ id, seq, updated_at: updatedAt, state, damaged: false, lost: undefined, ...more }, host.now())
}

const started = ({ run }: Begun) => run('step.start', { key: KEY, name: 'lint', state: null, command: 'x' })

interface Case {
  readonly arrange: (begun: Begun) => Promise<unknown>
  readonly what: string
  readonly next: string
  /** Undefined where nothing in this process ends it. */
  readonly answer: ((begun: Begun) => Promise<unknown>) | undefined
}

const CASES: Record<NeedKind, Case> = {
  DAMAGED: { arrange: () => Promise.resolve(), what: 'log', next: 'steadfold verify', answer: undefined },
  ASK: {
    arrange: async ({ run }) => {
      await run('session.configure', { consent_mode: 'explicit', gated: ['lock.break'] })
      await run('consent.ask', { operation: 'lock.break', note: 'b is gone' }, 'agent:a')
    },
    what: 'a',
    next: 'steadfold consent grant lock.break --for agent:a',
    answer: ({ run }) => run('consent.grant', { operation: 'lock.break', for: 'agent:a' }),
  },
  GATE: {
    arrange: ({ run }) => run('step.gate', { key: KEY, name: 'plan:approval', state: null, reason: 'approve' }),
    what: 'plan:approval',
    next: 'steadfold step release plan:approval',
    answer: ({ run }) => run('step.release', { step: 'plan:approval' }),
  },
  LOST: {
    arrange: async ({ run, host }) => {
      await run('agent.register', { agent: 'a', type: 'worker', ttl_ms: 1000 })
      host.advance(2000)
    },
    what: 'a',
    next: 'steadfold recover',
    answer: ({ run }) => run('agent.register', { agent: 'a', type: 'worker' }),
  },
  PARKED: {
    arrange: async (begun) => {
      const { seq: token } = await started(begun)
      await begun.run('step.fail', { key: KEY, token, class: 'terminal', reason: 'quota' })
    },
    what: 'step lint',
    next: 'steadfold step release lint',
    answer: ({ run }) => run('step.release', { step: 'lint' }),
  },
  UNFINISHED: {
    arrange: ({ run }) => run('workflow.transition', { to: 'research', begin: true }),
    what: 'initialize → research',
    next: 'steadfold workflow transition research --resume',
    answer: ({ run }) => run('workflow.transition', { abandon: true }),
  },
  DEADLOCK: {
    arrange: ({ run }) => {
      const task = (id: string, needs: string) => ({ id, title: id, dependencies: [needs] })
      return run('task.import', { tasks: [task('task-a', 'task-b'), task('task-b', 'task-a')] })
    },
    what: 'task-a → task-b → task-a',
    next: 'steadfold dependency break task-a',
    answer: ({ run }) => run('dependency.break', { from: 'task-a', to: 'task-b' }),
  },
  BLOCKED: {
    arrange: async ({ run }) => {
      await run('task.add', { title: 'x' })
      await run('task.block', { task: 'task-1', reason: 'not yet' })
    },
    what: 'task task-1',
    next: 'steadfold task unblock task-1',
    answer: ({ run }) => run('task.unblock', { task: 'task-1' }),
  },
  STOPPED: {
    arrange: async (begun) => {
      await begun.run('workflow.transition', { to: 'research' })
      await begun.run('step.start', { key: KEY, name: 'lint', state: 'research', command: 'x' })
    },
    what: 'lint',
    next: 'steadfold run',
    answer: ({ run, session }) =>
      run('step.finish', { key: KEY, token: session.seq, exit: 0, duration_ms: 1, tokens: 0, cost_usd: 0 }),
  },
  FAILED: {
    arrange: async ({ run }) => {
      await run('task.add', { title: 'x' })
      await run('task.claim', { task: 'task-1' })
      await run('task.fail', { task: 'task-1', reason: 'no database' })
    },
    what: 'task task-1',
    next: 'steadfold task retry task-1',
    answer: ({ run }) => run('task.retry', { task: 'task-1' }),
  },
  DEAD: {
    arrange: async ({ run, session }) => {
      await run('message.send', { payload: 'x', to: ['b'], max_deliveries: 1 })
      await run('message.receive', { agent: 'b' })
      const [id = ''] = Object.keys(session.get('$.communication.messages.messages') as object)
      await run('message.return', { id, token: session.seq, agent: 'b' })
    },
    what: 'message to b',
    next: 'steadfold message revive 00000000-0000-7000-8000-',
    answer: ({ run, session }) => {
      const [id = ''] = Object.keys(session.get('$.communication.messages.messages') as object)
      return run('message.revive', { id, agent: 'b' })
    },
  },
  EXPIRED: {
    arrange: async ({ run, host }) => {
      await run('session.extend', { hours: 1 })
      host.advance(LONG + 1)
    },
    what: 'session',
    next: 'steadfold session extend 8',
    answer: ({ run }) => run('session.extend', { hours: 8 }),
  },
  MESSAGE: {
    arrange: ({ run }) => run('message.send', { payload: 'x', to: ['human:ana'], type: 'alert' }, 'agent:b'),
    what: 'b',
    next: 'steadfold message receive --agent human:ana',
    answer: async ({ run, session }) => {
      await run('message.receive', { agent: 'human:ana' })
      const [id = ''] = Object.keys(session.get('$.communication.messages.messages') as object)
      await run('message.ack', { id, token: session.seq, agent: 'human:ana' })
    },
  },
}

describe('I2 every kind of need has an age and a command, and is gone when it was answered', () => {
  test.each(NEED_KINDS)('%s', async (kind) => {
    const begun = await begin()
    const { arrange, what, next, answer } = CASES[kind]
    await arrange(begun)
    begun.host.advance(250)
    const { needs } = await look(begun, { damaged: kind === 'DAMAGED' })
    const found = needs.filter((need) => need.kind === kind)
    expect(found).toMatchObject([{ kind, name: 'my one', what, next: expect.stringContaining(next) as unknown }])
    expect(found[0]?.next).toMatch(/ 'my one'$/)
    expect(found[0]?.age_ms).toBeGreaterThanOrEqual(250)
    await answer?.(begun)
    if (answer !== undefined) expect((await look(begun)).needs.filter((need) => need.kind === kind)).toEqual([])
  })
})

test.each([
  ['suspended', 'session.suspend', "steadfold session resume --session 'my one'"],
  ['terminating', 'session.terminate', "steadfold session extend 8 --session 'my one'"],
])('I2 in a session that is %s what lets it go on comes first: no other answer is taken', async (_, rest, next) => {
  const begun = await begin()
  await CASES.PARKED.arrange(begun)
  await CASES.FAILED.arrange(begun)
  await CASES.LOST.arrange(begun)
  await begun.run(rest)
  const { needs } = await look(begun)
  const gone = "steadfold agent list --gone --session 'my one'"
  expect(Object.fromEntries(needs.map((need) => [need.kind, need.next]))).toEqual({
    PARKED: next,
    FAILED: next,
    LOST: gone,
  })
})

test('I2 of a larger circle the weakest link is named with both ends, so that its command is done as it stands', async () => {
  const begun = await begin()
  const task = (id: string, needs: string, priority: string) => ({ id, title: id, dependencies: [needs], priority })
  const tasks = [task('task-1', 'task-3', 'high'), task('task-2', 'task-1', 'low'), task('task-3', 'task-2', 'high')]
  await begun.run('task.import', { tasks })
  const [need] = (await look(begun)).needs
  expect(need).toMatchObject({ kind: 'DEADLOCK', why: expect.stringContaining('weakest link') as unknown })
  const [, from, to] = /break (\S+) (\S+) --session/.exec(need?.next ?? '') ?? []
  expect([from, to]).toEqual(['task-2', 'task-1'])
  const { value } = await begun.run('dependency.break', { from, to })
  expect(value).toMatchObject({ weakest: true })
  expect((await look(begun)).needs).toEqual([])
})

test('I1 what time alone has ended is judged by now, and looking writes nothing', async () => {
  const begun = await begin()
  await CASES.EXPIRED.arrange(begun)
  const { seq } = begun.session
  const before = JSON.stringify(await begun.session.stateAt())
  expect((await look(begun)).row.status).toBe('terminating')
  expect(begun.session.get('$.session.lifecycle.status')).toBe('active')
  expect([begun.session.seq, JSON.stringify(await begun.session.stateAt())]).toEqual([seq, before])
})

test('I1 the lease of a session that is over makes it lost, with the evidence of its process where there is some', async () => {
  const begun = await begin()
  await begun.run('session.acquire', { ttl_ms: 1000 }, 'tool:runner')
  expect(inbox([await look(begun)]).working).toHaveLength(1)
  begun.host.advance(2000)
  const seen = inbox([await look(begun)])
  expect(seen.needs_you).toMatchObject([
    { kind: 'LOST', what: 'tool:runner', why: 'lease expired', next: "steadfold recover 'my one'" },
  ])
  expect(seen.working).toEqual([])
})

test('I1 a message whose last delivery came to nothing is dead, told or not', async () => {
  const begun = await begin()
  await begun.run('message.send', { payload: 'x', to: ['b'], max_deliveries: 1 })
  await begun.run('message.receive', { agent: 'b', lease_ms: 1000 })
  expect((await look(begun)).needs).toEqual([])
  begun.host.advance(1000)
  expect((await look(begun)).needs).toMatchObject([{ kind: 'DEAD', what: 'message to b', age_ms: 0 }])
})

test('a lost agent is news until it is back, its task is taken, or a day has passed; those below it come with it', async () => {
  const lost = async (change: (begun: Begun) => Promise<unknown> | undefined) => {
    const begun = await begin()
    const { run, host, session } = begun
    await run('task.add', { title: 'x' })
    await run('agent.register', { agent: 'lead', type: 'lead', ttl_ms: 1000 })
    await run('agent.spawn', { agent: 'w', type: 'worker', parent: 'lead', ttl_ms: 1000 })
    await run('task.claim', { task: 'task-1', ttl_ms: LONG }, 'agent:lead')
    await run('agent.assign', { agent: 'lead', task: 'task-1' })
    host.advance(2000)
    await run('session.tick')
    await change(begun)
    const { needs } = await look({ session, host })
    return needs.filter(({ kind }) => kind === 'LOST').map(({ what, why }) => `${what}: ${why}`)
  }
  expect(await lost(() => undefined)).toEqual(['lead: its lease is over; it had task-1; 1 below it'])
  expect(await lost(({ run }) => run('task.claim', { task: 'task-1' }, 'agent:b'))).toEqual([])
  expect(await lost(({ run }) => run('agent.register', { agent: 'lead', type: 'lead' }))).toEqual([])
  expect(await lost(async ({ host }) => host.advance(25 * LONG))).toEqual([])
})

test('needs are in the order of their kinds, the oldest first, whatever the order of sessions', async () => {
  const begun = await begin()
  const { row } = await look(begun)
  const glances = NEED_KINDS.flatMap((kind) =>
    [1, 2].map((age_ms): Glance => {
      const need = { kind, session: row.id, name: row.name, what: '', why: '', since: '', age_ms, next: '' }
      return { row, lost: false, needs: [need] }
    }),
  )
  fc.assert(
    fc.property(fc.shuffledSubarray(glances), (some) => {
      const ranks = inbox(some).needs_you.map(({ kind, age_ms }) => NEED_KINDS.indexOf(kind) * 10 - age_ms)
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
    }),
  )
})

test('ended and suspended sessions are counted, and shown when asked for; nobody has to do with an ended one', async () => {
  const begun = await begin()
  await CASES.BLOCKED.arrange(begun)
  await begun.run('session.end', { outcome: 'completed' })
  const glances = [await look(begun)]
  expect(inbox(glances)).toMatchObject({ needs_you: [], idle: [], other: [], hidden: 1 })
  expect(inbox(glances, { all: true })).toMatchObject({ other: [{ status: 'terminated' }], hidden: 0 })
})

test('a departed session is counted with them: whoever goes on with it does so elsewhere', async () => {
  const begun = await begin()
  await CASES.BLOCKED.arrange(begun)
  await begun.run('session.depart', { from: { place: 'p', device: 'laptop' } })
  const glances = [await look(begun)]
  expect(inbox(glances)).toMatchObject({ needs_you: [], idle: [], hidden: 1 })
  expect(inbox(glances, { all: true })).toMatchObject({ other: [{ status: 'departed' }], hidden: 0 })
})

test('I2 a gate is as old as the state that it stands before', async () => {
  const begun = await begin()
  await begun.run('workflow.transition', { to: 'research' })
  begun.host.advance(60_000)
  await begun.run('step.gate', { key: KEY, name: 'research:approval', state: 'research', reason: 'approve' })
  await begun.run('state.set', { path: '$.data.a', value: 1 })
  expect((await look(begun)).needs).toMatchObject([{ kind: 'GATE', age_ms: 60_000 }])
})
