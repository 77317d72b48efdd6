import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Session } from '../../kernel/session.ts'
import { EPIC_MOVES, SPRINT_MOVES } from './decide.ts'
import type { Epic, EpicStatus, SprintStatus } from './events.ts'
import { plansOf as plansIn } from './plans.ts'

const DAY = 24 * 60 * 60_000

async function begin() {
  const host = fixedHost()
  const session = await makeWorkspace({ ...memoryKernel({ checkpoints: false }), host }).createSession({ name: 'test' })
  await session.run('epic.add', { title: 'sign in', owner: 'ana', weeks: 2 })
  return { host, session }
}

const SPRINT = { name: 'first', epic: 'epic-1', start: '2026-01-01', end: '2026-01-14' }
const plansOf = (session: Session) => plansIn(session.stored)
const epicOf = (session: Session): Epic | undefined => plansOf(session).epics['epic-1']

async function valueOf<T>(session: Session, name: string, input: object): Promise<T> {
  const answer = await session.run(name, input)
  if (answer.kind === 'refused') throw new Error(answer.message)
  return answer.value as T
}

function statusOf(session: Session, id: string): string | undefined {
  const { active_sprints, past_sprints, epics } = plansOf(session)
  return (epics[id] ?? past_sprints[id] ?? active_sprints.find((sprint) => sprint.id === id))?.status
}

const epicWays: Record<EpicStatus, readonly string[]> = {
  draft: [],
  approved: ['approve'],
  in_progress: ['approve', 'start'],
  completed: ['approve', 'start', 'complete'],
  cancelled: ['cancel'],
}
const sprintWays: Record<SprintStatus, readonly string[]> = {
  planning: [],
  active: ['start'],
  review: ['start', 'review'],
  completed: ['start', 'complete'],
  cancelled: ['cancel'],
}
const epicVerbs = { approve: 'approved', start: 'in_progress', complete: 'completed', cancel: 'cancelled' }
const sprintVerbs = { start: 'active', review: 'review', complete: 'completed', cancel: 'cancelled' }

const kinds = [
  { kind: 'epic', ways: epicWays, verbs: epicVerbs, moves: EPIC_MOVES as Readonly<Record<string, readonly string[]>> },
  {
    kind: 'sprint',
    ways: sprintWays,
    verbs: sprintVerbs,
    moves: SPRINT_MOVES as Readonly<Record<string, readonly string[]>>,
  },
]

describe.each(kinds)('N1 every status of $kind meets every command', ({ kind, ways, verbs, moves }) => {
  for (const [status, way] of Object.entries(ways))
    for (const [verb, to] of Object.entries(verbs)) {
      const then = status === to ? 'nothing to do' : moves[status]?.includes(to) === true ? to : 'PLAN_STATUS_INVALID'
      test(`${status}: ${verb} → ${then}`, async () => {
        const { session } = await begin()
        if (kind === 'sprint') await session.run('sprint.add', SPRINT)
        for (const each of way) await session.run(`${kind}.${each}`, { [kind]: `${kind}-1` })
        expect(statusOf(session, `${kind}-1`)).toBe(status)
        const { seq } = session
        const answer = await session.run(`${kind}.${verb}`, { [kind]: `${kind}-1` })
        if (answer.kind === 'refused') return expect(answer.code).toBe(then)
        if (then === 'nothing to do') return expect(session.seq).toBe(seq)
        expect(statusOf(session, `${kind}-1`)).toBe(to)
      })
    }
})

test.each(['completed', 'cancelled'] as const)('N2 an epic that is %s gets no task', async (status) => {
  const { session } = await begin()
  await session.run('task.add', { title: 'early' })
  for (const verb of epicWays[status]) await session.run(`epic.${verb}`, { epic: 'epic-1' })
  const late = [
    await session.run('task.add', { title: 'late', epic: 'epic-1' }),
    await session.run('task.update', { task: 'task-1', epic: 'epic-1' }),
  ]
  for (const answer of late)
    expect(answer).toMatchObject({ code: 'PLAN_STATUS_INVALID', message: `epic "epic-1" is ${status}, and stays so` })
})

test('N2 an epic is not completed before its sprints have ended, and gets none afterwards', async () => {
  const { host, session } = await begin()
  await session.run('sprint.add', SPRINT)
  for (const verb of ['approve', 'start']) await session.run(`epic.${verb}`, { epic: 'epic-1' })
  const refused = async () => {
    const answer = await session.run('epic.complete', { epic: 'epic-1' })
    expect(answer).toMatchObject({ code: 'PLAN_STATUS_INVALID' })
    return answer.kind === 'refused' ? answer.hint : undefined
  }
  expect(await refused()).toBe('steadfold sprint start sprint-1, or cancel it')
  await session.run('sprint.start', { sprint: 'sprint-1' })
  expect(await refused()).toBe('steadfold sprint complete sprint-1, or cancel it')
  await session.run('sprint.cancel', { sprint: 'sprint-1' })
  host.advance(8 * DAY)
  await session.run('epic.complete', { epic: 'epic-1' })
  expect(epicOf(session)?.timeline).toEqual({ estimated_weeks: 2, actual_weeks: 2 })
  for (const [name, input] of [
    ['sprint.add', SPRINT],
    ['epic.update', { epic: 'epic-1', title: 'x' }],
  ] as const)
    expect(await session.run(name, input)).toMatchObject({ code: 'PLAN_STATUS_INVALID' })
})

test('N3 a sprint ends no earlier than it begins, and on a day that there is', async () => {
  const { session } = await begin()
  expect(await session.run('sprint.add', { ...SPRINT, end: '2025-12-31' })).toMatchObject({ code: 'INPUT_INVALID' })
  expect(await session.run('sprint.add', { ...SPRINT, end: '2026-02-30' })).toMatchObject({ code: 'INPUT_INVALID' })
  expect(await session.run('sprint.add', { ...SPRINT, epic: 'epic-9' })).toMatchObject({ code: 'NOT_FOUND' })
  await session.run('sprint.add', SPRINT)
  expect(await session.run('sprint.update', { sprint: 'sprint-1', start: '2026-02-01' })).toMatchObject({
    kind: 'refused',
  })
  await session.run('sprint.assign', { sprint: 'sprint-1', team: 'core', items: ['a', 'a', 'b'] })
  expect(await session.get('execution.workflows.active_sprints[0].team_assignments.core')).toEqual(['a', 'b'])
})

test('N4 a sprint is among the active or the past ones, never both, after any sequence of commands', async () => {
  const command = fc.record({
    verb: fc.constantFrom('add', ...Object.keys(sprintVerbs)),
    n: fc.integer({ min: 1, max: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
      const { session } = await begin()
      let added = 0
      for (const { verb, n } of commands) {
        const input = verb === 'add' ? SPRINT : { sprint: `sprint-${n}` }
        const answer = await session.run(`sprint.${verb}`, input)
        if (verb === 'add' && answer.kind === 'accepted') added++
      }
      const { active_sprints, past_sprints } = plansOf(session)
      const ids = [...active_sprints.map(({ id }) => id), ...Object.keys(past_sprints)]
      expect(ids.toSorted()).toEqual(epicOf(session)?.sprints.toSorted())
      expect(new Set(ids).size).toBe(added)
      const ended = (status: string) => status === 'completed' || status === 'cancelled'
      expect(active_sprints.some(({ status }) => ended(status))).toBe(false)
      expect(Object.values(past_sprints).every(({ status }) => ended(status))).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test('progress is derived from the tasks', async () => {
  const { session } = await begin()
  await session.run('sprint.add', SPRINT)
  const add = (title: string, more: object = {}) => session.run('task.add', { title, sprint: 'sprint-1', ...more })
  await add('done', { effort: 5 })
  await add('under way')
  await add('waits', { needs: ['task-2'], effort: 3 })
  await add('blocked')
  await add('given up', { effort: 100 })
  await session.run('task.add', { title: 'of the epic alone', epic: 'epic-1' })
  for (const task of ['task-1', 'task-2']) await session.run('task.claim', { task })
  await session.run('task.done', { task: 'task-1' })
  await session.run('task.block', { task: 'task-4' })
  await session.run('task.cancel', { task: 'task-5' })
  expect(await valueOf(session, 'sprint.show', { sprint: 'sprint-1' })).toMatchObject({
    task_categories: { pending: [], in_progress: ['task-2'], completed: ['task-1'], blocked: ['task-3', 'task-4'] },
    metrics: { velocity: 5, completion_rate: 0.25, blocked_ratio: 0.5 },
    counts: { tasks: 4, remaining: 5 },
  })
  expect(await valueOf(session, 'epic.show', { epic: 'epic-1' })).toMatchObject({
    sprints: ['sprint-1'],
    progress: { tasks: 5, completion_rate: 0.2, blocked_ratio: 0.4, velocity: 5 },
  })
  for (const verb of ['start', 'complete']) await session.run(`sprint.${verb}`, { sprint: 'sprint-1' })
  expect(await session.run('task.add', { title: 'late', sprint: 'sprint-1' })).toMatchObject({
    code: 'PLAN_STATUS_INVALID',
  })
  expect(await valueOf(session, 'sprint.list', { status: 'completed' })).toMatchObject([
    { id: 'sprint-1', velocity: 5 },
  ])
  expect(await valueOf(session, 'epic.list', {})).toMatchObject([{ id: 'epic-1', velocity: 5, sprints: 1 }])
})
