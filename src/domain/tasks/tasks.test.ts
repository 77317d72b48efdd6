import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'
import type { Claimed, Task, TaskIndex, TaskStatus } from './events.ts'

async function begin() {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  return { host, kernel, session: await makeWorkspace(kernel).createSession({ name: 'test' }) }
}

const ME = { actor: 'agent:me' }
const OTHER = { actor: 'agent:other' }
const MINUTE = 60_000

const taskOf = (session: Session, id = 'task-1') => session.get(`$.execution.tasks['${id}']`) as Task | undefined
const indexOf = (session: Session) => session.get('$.execution.task_index') as TaskIndex | undefined
const tasksOf = (session: Session) => Object.values((session.get('$.execution.tasks') ?? {}) as Record<string, Task>)

async function claim(session: Session, id = 'task-1', options = ME): Promise<number> {
  const answer = await session.run('task.claim', { task: id }, options)
  return answer.kind === 'accepted' ? (answer.value as Claimed).token : 0
}

async function readyIds(session: Session, input: object = {}): Promise<readonly string[]> {
  const answer = await session.run('task.ready', { limit: 1000, ...input })
  return answer.kind === 'accepted' ? (answer.value as readonly { id: string }[]).map(({ id }) => id) : []
}

type Place = TaskStatus | 'absent' | 'failed'
type Command =
  | 'claim'
  | 'start'
  | 'renew'
  | 'release'
  | 'submit'
  | 'done'
  | 'fail'
  | 'block'
  | 'unblock'
  | 'retry'
  | 'cancel'

/** How a task gets into a status; the answer is the token of its last claim. */
const arrive: Record<Place, (session: Session) => Promise<number>> = {
  absent: () => Promise.resolve(1),
  pending: async (session) => {
    await session.run('task.add', { title: 'one' })
    return 1
  },
  assigned: async (session) => {
    await arrive.pending(session)
    return claim(session)
  },
  in_progress: (session) => after(session, 'assigned', 'start'),
  review: (session) => after(session, 'in_progress', 'submit'),
  completed: (session) => after(session, 'in_progress', 'done'),
  failed: (session) => after(session, 'in_progress', 'fail'),
  blocked: (session) => after(session, 'in_progress', 'block'),
  cancelled: (session) => after(session, 'in_progress', 'cancel'),
}

async function after(session: Session, place: Place, verb: Command): Promise<number> {
  const token = await arrive[place](session)
  expect(await session.run(`task.${verb}`, { task: 'task-1', token }, ME)).toMatchObject({ kind: 'accepted' })
  return token
}

const same = 'nothing to do'
const NO = 'TASK_STATUS_INVALID'
const LOST = 'LEASE_LOST'
const gone: Record<Command, string> = {
  claim: 'NOT_FOUND',
  start: 'NOT_FOUND',
  renew: 'NOT_FOUND',
  release: 'NOT_FOUND',
  submit: 'NOT_FOUND',
  done: 'NOT_FOUND',
  fail: 'NOT_FOUND',
  block: 'NOT_FOUND',
  unblock: 'NOT_FOUND',
  retry: 'NOT_FOUND',
  cancel: 'NOT_FOUND',
}

/** By somebody who is not the holder and gives no token. */
const byAnybody: Record<Place, Record<Command, string>> = {
  absent: gone,
  pending: {
    claim: 'assigned',
    start: NO,
    renew: NO,
    release: NO,
    submit: NO,
    done: NO,
    fail: NO,
    block: 'blocked',
    unblock: same,
    retry: same,
    cancel: 'cancelled',
  },
  assigned: {
    claim: 'LEASE_HELD',
    start: 'LEASE_HELD',
    renew: 'LEASE_HELD',
    release: 'LEASE_HELD',
    submit: NO,
    done: 'LEASE_HELD',
    fail: 'LEASE_HELD',
    block: 'blocked',
    unblock: NO,
    retry: NO,
    cancel: 'cancelled',
  },
  in_progress: {
    claim: 'LEASE_HELD',
    start: same,
    renew: 'LEASE_HELD',
    release: 'LEASE_HELD',
    submit: 'LEASE_HELD',
    done: 'LEASE_HELD',
    fail: 'LEASE_HELD',
    block: 'blocked',
    unblock: NO,
    retry: NO,
    cancel: 'cancelled',
  },
  review: {
    claim: NO,
    start: NO,
    renew: NO,
    release: NO,
    submit: same,
    done: 'completed',
    fail: 'blocked',
    block: 'blocked',
    unblock: NO,
    retry: 'pending',
    cancel: 'cancelled',
  },
  completed: {
    claim: NO,
    start: NO,
    renew: NO,
    release: NO,
    submit: NO,
    done: same,
    fail: NO,
    block: NO,
    unblock: NO,
    retry: NO,
    cancel: NO,
  },
  blocked: {
    claim: NO,
    start: NO,
    renew: NO,
    release: NO,
    submit: NO,
    done: NO,
    fail: NO,
    block: same,
    unblock: 'pending',
    retry: NO,
    cancel: 'cancelled',
  },
  failed: {
    claim: NO,
    start: NO,
    renew: NO,
    release: NO,
    submit: NO,
    done: NO,
    fail: NO,
    block: same,
    unblock: NO,
    retry: 'pending',
    cancel: 'cancelled',
  },
  cancelled: {
    claim: NO,
    start: NO,
    renew: NO,
    release: NO,
    submit: NO,
    done: NO,
    fail: NO,
    block: NO,
    unblock: NO,
    retry: 'pending',
    cancel: same,
  },
}

/** What is different for the holder, who gives the token of the last claim. */
const byHolder: Record<Exclude<Place, 'absent' | 'pending'>, Partial<Record<Command, string>>> = {
  assigned: { start: 'in_progress', renew: 'assigned', release: 'pending', done: 'completed', fail: 'blocked' },
  in_progress: { renew: 'in_progress', release: 'pending', submit: 'review', done: 'completed', fail: 'blocked' },
  review: { start: LOST, renew: LOST, release: LOST },
  completed: { start: LOST, renew: LOST, release: LOST, submit: LOST, fail: LOST },
  blocked: { start: LOST, renew: LOST, release: LOST, submit: LOST, done: LOST, fail: LOST },
  failed: { start: LOST, renew: LOST, release: LOST, submit: LOST, done: LOST, fail: LOST },
  cancelled: { start: LOST, renew: LOST, release: LOST, submit: LOST, done: LOST, fail: LOST },
}

async function meets(place: Place, command: Command, then: string, who: 'anybody' | 'holder') {
  const { session } = await begin()
  const token = await arrive[place](session)
  const before = session.seq
  const input = { task: 'task-1', ...(who === 'holder' && command !== 'claim' ? { token } : {}) }
  const answer = await session.run(`task.${command}`, input, who === 'holder' ? ME : OTHER)
  if (answer.kind === 'refused') return expect(answer.code).toBe(then)
  if (then === same) return expect(session.seq).toBe(before)
  expect(taskOf(session)?.status).toBe(then)
}

describe('K2 every status meets every command', () => {
  for (const [place, cells] of Object.entries(byAnybody))
    for (const [command, then] of Object.entries(cells))
      // Keys of a total record are its key types.
      test(`${place}: ${command} by anybody → ${then}`, () =>
        meets(place as Place, command as Command, then, 'anybody'))

  for (const [place, cells] of Object.entries(byHolder))
    for (const [command, all] of Object.entries(byAnybody[place as Place])) {
      const then = cells[command as Command] ?? all
      test(`${place}: ${command} by its holder → ${then}`, () =>
        meets(place as Place, command as Command, then, 'holder'))
    }

  test.each(Object.keys(byAnybody.assigned).filter((command) => command !== 'claim'))(
    'a token of an earlier claim is refused: %s',
    async (command) => {
      const { session } = await begin()
      const token = await arrive.assigned(session)
      await session.run('task.release', { task: 'task-1', token }, ME)
      await claim(session, 'task-1', OTHER)
      expect(await session.run(`task.${command}`, { task: 'task-1', token }, ME)).toMatchObject({ code: LOST })
    },
  )
})

describe('K3 leases', () => {
  test('a claim past its lease is told over by the next write, whatever that is', async () => {
    const { host, session } = await begin()
    const token = await arrive.in_progress(session)
    host.advance(15 * MINUTE)
    await session.run('state.set', { path: '$.data.a', value: 1 })
    expect(taskOf(session)?.status).toBe('in_progress')
    host.advance(1)
    await session.run('state.set', { path: '$.data.a', value: 2 })
    expect(taskOf(session)).toMatchObject({ status: 'pending', assignee: null, claim: null, token })
    const told: unknown[] = []
    for await (const { events } of session.commits({ after: session.seq - 1 })) told.push(...events)
    expect(told[0]).toEqual({ type: 'task.returned', data: { id: 'task-1', token, cause: 'expired' } })
    expect(await session.run('task.done', { task: 'task-1', token }, ME)).toMatchObject({ code: LOST })
    expect(indexOf(session)).toMatchObject({ leases: { size: 0 }, held: {}, ready: { size: 1 } })
  })

  test('a renewed one holds on, and one that was refused does not tell', async () => {
    const { host, session } = await begin()
    const token = await arrive.in_progress(session)
    host.advance(10 * MINUTE)
    await session.run('task.renew', { task: 'task-1', token, ttl_ms: 20 * MINUTE }, ME)
    host.advance(19 * MINUTE)
    expect(await session.run('task.claim', { task: 'task-1' }, OTHER)).toMatchObject({ code: 'LEASE_HELD' })
    host.advance(2 * MINUTE)
    expect(await session.run('task.claim', { task: 'task-9' }, OTHER)).toMatchObject({ code: 'NOT_FOUND' })
    expect(taskOf(session)?.status).toBe('in_progress')
    expect(await claim(session, 'task-1', OTHER)).toBeGreaterThan(token)
  })

  test('what is in review has no lease', async () => {
    const { host, session } = await begin()
    await arrive.review(session)
    host.advance(60 * MINUTE)
    await session.run('state.set', { path: '$.data.a', value: 1 })
    expect(taskOf(session)).toMatchObject({ status: 'review', assignee: 'agent:me' })
  })
})

describe('K4 what is ready', () => {
  test('by priority, then age', async () => {
    const { session } = await begin()
    for (const priority of ['low', 'medium', 'critical', 'medium', 'high'])
      await session.run('task.add', { title: 'x', priority })
    expect(await readyIds(session)).toEqual(['task-3', 'task-5', 'task-2', 'task-4', 'task-1'])
    await session.run('task.update', { task: 'task-1', priority: 'critical' })
    expect(await readyIds(session, { limit: 2 })).toEqual(['task-1', 'task-3'])
    const taken: string[] = []
    for (let n = 0; n < 5; n++) {
      const answer = await session.run('task.claim', { any: true }, ME)
      if (answer.kind === 'accepted') taken.push((answer.value as Claimed).id)
    }
    expect(taken).toEqual(['task-1', 'task-3', 'task-5', 'task-2', 'task-4'])
    expect(await session.run('task.claim', { any: true }, ME)).toMatchObject({ code: 'TASK_NOT_READY' })
  })

  test('a filter leaves the order as it is', async () => {
    const { session } = await begin()
    for (const team of ['a', 'b', 'a']) await session.run('task.add', { title: 'x', team })
    expect(await readyIds(session, { team: 'a' })).toEqual(['task-1', 'task-3'])
    expect(await session.run('task.claim', { any: true, team: 'b' }, ME)).toMatchObject({ value: { id: 'task-2' } })
  })

  test('a task waits until all it needs is completed, and not for longer', async () => {
    const { session } = await begin()
    for (const needs of [[], [], ['task-1', 'task-2']]) await session.run('task.add', { title: 'x', needs })
    expect(await session.run('task.claim', { task: 'task-3' })).toMatchObject({
      code: 'TASK_NOT_READY',
      details: { waits_for: ['task-1', 'task-2'] },
    })
    for (const id of ['task-1', 'task-2']) {
      expect(await readyIds(session)).not.toContain('task-3')
      await session.run('task.done', { task: id, token: await claim(session, id) }, ME)
    }
    expect(await readyIds(session)).toEqual(['task-3'])
  })

  test('one word or the other: a task by name, or any', async () => {
    const { session } = await begin()
    expect(await session.run('task.claim', {})).toMatchObject({ code: 'INPUT_INVALID' })
    expect(await session.run('task.claim', { task: 'task-1', any: true })).toMatchObject({ code: 'INPUT_INVALID' })
  })
})

test('what was added can be read at the paths of seed documents, and updated', async () => {
  const { session } = await begin()
  await session.run('epic.add', { title: 'sign in', owner: 'ana' })
  const words = { type: 'bug', priority: 'high', effort: 3, artifacts: ['a.ts'], requirements: 'r', criteria: ['c'] }
  await session.run('task.add', { title: 'hash', epic: 'epic-1', team: 'core', project: 'p', ...words })
  await session.run('task.update', {
    task: 'task-1',
    artifacts: ['a.ts', 'b.ts'],
    actual_effort: 2,
    criteria: ['c', 'd'],
  })
  expect(session.get("execution.tasks['task-1'].status")).toBe('pending')
  expect(taskOf(session)).toMatchObject({
    type: 'bug',
    priority: 'high',
    estimated_effort: 3,
    actual_effort: 2,
    artifacts: ['a.ts', 'b.ts'],
    context: { epic_id: 'epic-1', project_id: 'p', team: 'core', requirements: 'r', acceptance_criteria: ['c', 'd'] },
  })
  const seq = session.seq
  await session.run('task.update', { task: 'task-1', artifacts: ['a.ts'] })
  expect(session.seq).toBe(seq)
  for (const input of [{ epic: 'epic-9' }, { sprint: 'sprint-9' }, { needs: ['task-9'] }])
    expect(await session.run('task.add', { title: 'x', ...input })).toMatchObject({ code: 'NOT_FOUND' })
  expect(await session.run('task.add', { title: 'x', id: 'task-1' })).toMatchObject({ code: 'NAME_TAKEN' })
  expect(await session.run('task.add', { title: 'x', id: 'Task 1' })).toMatchObject({ code: 'INPUT_INVALID' })
})

test('a task that was completed long ago can be archived, a cancelled one when nothing waits for it', async () => {
  const { host, session } = await begin()
  for (const needs of [[], [], ['task-1', 'task-2']]) await session.run('task.add', { title: 'x', needs })
  await session.run('task.done', { task: 'task-1', token: await claim(session) }, ME)
  await session.run('task.cancel', { task: 'task-2' })
  expect(await session.run('task.archive', {})).toMatchObject({ events: [] })
  host.advance(25 * 60 * MINUTE)
  expect(await session.run('task.archive', {})).toMatchObject({ events: [{ data: { ids: ['task-1'] } }] })
  expect(taskOf(session, 'task-3')).toMatchObject({ dependencies: ['task-2'], waits: 1 })
  await session.run('dependency.break', { from: 'task-2', to: 'task-3' })
  await session.run('task.archive', {})
  expect(tasksOf(session).map(({ id }) => id)).toEqual(['task-3'])
  expect(await readyIds(session)).toEqual(['task-3'])
})

type Move =
  | { readonly kind: 'add'; readonly priority: string; readonly needs: readonly number[] }
  | {
      readonly kind: 'run'
      readonly verb: Command
      readonly task: number
      readonly who: number
      readonly late: boolean
    }
  | { readonly kind: 'depend' | 'remove' | 'break'; readonly from: number; readonly to: number; readonly type: string }
  | { readonly kind: 'wait'; readonly minutes: number }
  | { readonly kind: 'any'; readonly who: number }

const some = fc.nat({ max: 7 })
const who = fc.nat({ max: 2 })
const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('add' as const),
        priority: fc.constantFrom('critical', 'high', 'medium', 'low'),
        needs: fc.uniqueArray(some, { maxLength: 2 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('run' as const),
        verb: fc.constantFrom<Command>(
          'claim',
          'start',
          'renew',
          'release',
          'submit',
          'done',
          'done',
          'fail',
          'block',
          'unblock',
          'retry',
          'cancel',
        ),
        task: some,
        who,
        late: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('depend' as const, 'remove' as const, 'break' as const),
        from: some,
        to: some,
        type: fc.constantFrom('blocks', 'enables', 'requires'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), minutes: fc.nat({ max: 20 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('any' as const), who }) },
  ),
  { minLength: 5, maxLength: 60 },
)

const id = (n: number) => `task-${n + 1}`

async function make(session: Session, host: ReturnType<typeof fixedHost>, move: Move, tokens: Map<string, number[]>) {
  switch (move.kind) {
    case 'add':
      return session.run('task.add', { title: 'x', priority: move.priority, needs: move.needs.map(id) })
    case 'wait':
      return host.advance(move.minutes * MINUTE)
    case 'any':
      return session.run('task.claim', { any: true }, { actor: `agent:${move.who}` })
    case 'depend':
      return session.run('dependency.add', { from: id(move.from), to: id(move.to), type: move.type })
    case 'remove':
    case 'break':
      return session.run(`dependency.${move.kind}`, { from: id(move.from), to: id(move.to) })
    case 'run': {
      const known = tokens.get(id(move.task)) ?? []
      const token = move.late ? known[0] : known.at(-1)
      const more = move.verb === 'claim' || token === undefined ? {} : { token }
      return session.run(`task.${move.verb}`, { task: id(move.task), ...more }, { actor: `agent:${move.who}` })
    }
  }
}

/** K8: what a search would say. */
function expectIndexed(session: Session) {
  const tasks = tasksOf(session)
  const index = indexOf(session)
  if (index === undefined) return expect(tasks).toEqual([])
  const status = new Map(tasks.map((task) => [task.id, task.status]))
  const ready = tasks.filter(
    (task) => task.status === 'pending' && task.dependencies.every((on) => status.get(on) === 'completed'),
  )
  expect(Object.keys(index.ready.places).toSorted()).toEqual(ready.map((task) => task.id).toSorted())
  const held = tasks.filter((task) => task.claim !== null)
  expect(Object.keys(index.leases.places).toSorted()).toEqual(held.map((task) => task.id).toSorted())
  const byHolder = Object.entries(index.held).flatMap(([holder, mine]) =>
    Object.entries(mine).map(([task, token]) => `${holder} ${task} ${token}`),
  )
  expect(byHolder.toSorted()).toEqual(
    held.map((task) => `${task.claim?.holder ?? ''} ${task.id} ${task.token ?? 0}`).toSorted(),
  )
  for (const task of tasks) {
    expect(task.waits).toBe(task.dependencies.filter((on) => status.get(on) !== 'completed').length)
    expect(Object.keys(index.edges[task.id] ?? {}).toSorted()).toEqual(task.dependencies.toSorted())
    for (const on of task.dependencies) expect(tasks.find((each) => each.id === on)?.blocking).toContain(task.id)
    expect(task.claim !== null).toBe(task.status === 'assigned' || task.status === 'in_progress')
    expect(task.block !== null).toBe(task.status === 'blocked')
  }
}

/** K5 */
function expectNoCircle(session: Session) {
  const needs = new Map(tasksOf(session).map((task) => [task.id, task.dependencies]))
  const settled = new Set<string>()
  for (let before = -1; before < settled.size;) {
    before = settled.size
    for (const [task, on] of needs) if (on.every((each) => settled.has(each))) settled.add(task)
  }
  expect(settled.size).toBe(needs.size)
}

test('K1 K2 K3 K5 K7 K8 hold after any sequence of commands of three agents', async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const { host, session } = await begin()
      const tokens = new Map<string, number[]>()
      const completed = new Set<string>()
      for (const move of all) {
        const before = new Map(tasksOf(session).map((task) => [task.id, task]))
        const answer = await make(session, host, move, tokens)
        if (answer === undefined || answer.kind === 'refused') continue
        for (const { type, data } of answer.events as { type: string; data: Claimed }[]) {
          if (type !== 'task.claimed') continue
          const known = tokens.get(data.id) ?? []
          expect(data.token).toBe(answer.seq)
          expect(data.token).toBeGreaterThan(known.at(-1) ?? 0)
          // Nobody held it, or the lease was over.
          const held = before.get(data.id)?.claim
          expect(held === null || held === undefined || held.expires < host.now()).toBe(true)
          tokens.set(data.id, [...known, data.token])
        }
        for (const task of tasksOf(session)) {
          if (completed.has(task.id)) expect(task.status).toBe('completed')
          if (task.status === 'completed') completed.add(task.id)
          if (answer.events.length > 0 && task.claim !== null)
            expect(task.claim.expires).toBeGreaterThanOrEqual(host.now())
        }
        expectIndexed(session)
        expectNoCircle(session)
      }
    }),
    { numRuns: 150 },
  )
})

test('K4 any is the first by priority, then age, of all that is ready', async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const { host, session } = await begin()
      for (const move of all) await make(session, host, move, new Map())
      await session.run('state.set', { path: '$.data.a', value: 1 })
      const ranks = ['critical', 'high', 'medium', 'low']
      const expected = tasksOf(session)
        .filter((task) => task.status === 'pending' && task.waits === 0)
        .toSorted((a, b) => ranks.indexOf(a.priority) - ranks.indexOf(b.priority) || a.ordinal - b.ordinal)
        .map((task) => task.id)
      expect(await readyIds(session)).toEqual(expected)
      const answer = await session.run('task.claim', { any: true })
      expect(answer.kind === 'accepted' ? (answer.value as Claimed).id : undefined).toBe(expected[0])
    }),
    { numRuns: 80 },
  )
})

test('K8 whoever opens the session anew finds the index that the live writes left', async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const { host, kernel, session } = await begin()
      for (const move of all) await make(session, host, move, new Map())
      const again = await makeWorkspace(kernel).session(session.id)
      expect(again).not.toBe(session)
      expect(again.get()).toEqual(session.get())
    }),
    { numRuns: 60 },
  )
})
