import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { fixedHost } from '../../../test/conformance/kit.ts'
import { begin } from '../../../test/domain/begin.ts'
import { expectIndexed } from '../../../test/domain/indexed.ts'
import { makeWorkspace } from '../../compose.ts'
import type { Session } from '../../kernel/session.ts'
import type { Claimed, Task } from './events.ts'

const MINUTE = 60_000

const taskOf = (session: Session, id = 'task-1') => session.get(`$.execution.tasks['${id}']`) as Task | undefined
const tasksOf = (session: Session) => Object.values((session.get('$.execution.tasks') ?? {}) as Record<string, Task>)

async function readyIds(session: Session, input: object = {}): Promise<readonly string[]> {
  const answer = await session.run('task.ready', { limit: 1000, ...input })
  return answer.kind === 'accepted' ? (answer.value as readonly { id: string }[]).map(({ id }) => id) : []
}

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

type Move =
  | { readonly kind: 'add'; readonly priority: string; readonly team: string; readonly needs: readonly number[] }
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
        team: fc.constantFrom('core', 'web'),
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
      return session.run('task.add', {
        title: 'x',
        priority: move.priority,
        team: move.team,
        needs: move.needs.map(id),
      })
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

const claimsIn = (events: readonly { readonly type: string; readonly data: unknown }[]) =>
  events.flatMap(({ type, data }) => (type === 'task.claimed' ? [data as Claimed] : []))

/** K1: nobody held it, or the lease was over; its token is above all before. */
function expectGranted({ token }: Claimed, before: Task | undefined, now: number) {
  expect(before?.claim?.expires ?? 0).toBeLessThan(now)
  expect(token).toBeGreaterThan(before?.token ?? 0)
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
        if (answer === undefined || answer.kind === 'refused' || answer.events.length === 0) continue
        for (const each of claimsIn(answer.events)) expectGranted(each, before.get(each.id), host.now())
        for (const { id: claimed, token } of claimsIn(answer.events)) {
          expect(token).toBe(answer.seq)
          tokens.set(claimed, [...(tokens.get(claimed) ?? []), token])
        }
        const tasks = tasksOf(session)
        for (const task of completed) expect(taskOf(session, task)?.status).toBe('completed')
        for (const task of tasks.filter(({ status }) => status === 'completed')) completed.add(task.id)
        for (const { claim } of tasks) expect(claim?.expires ?? Infinity).toBeGreaterThanOrEqual(host.now())
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
      const core = expected.filter((each) => taskOf(session, each)?.context.team === 'core')
      expect(await readyIds(session, { team: 'core' })).toEqual(core)
      expect(await readyIds(session, { team: 'core', type: 'feature' })).toEqual(core)
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
      expect(again.stored).toEqual(session.stored)
    }),
    { numRuns: 60 },
  )
})
