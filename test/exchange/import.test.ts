/* I1 to I3, and what each importer makes of a file. */
import { finalizeEvent, generateSecretKey } from 'nostr-tools/pure'
import { describe, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { detect } from '../../src/domain/imports/registry.ts'
import { carryOut, nameFor } from '../../src/kernel/exchange/carry-out.ts'
import type { Detected, Source } from '../../src/kernel/exchange/importer.ts'
import * as files from './files.ts'
import { imported, optionsOf, planOf, workspace } from './taken.ts'

const became = ({ rows }: Detected) =>
  Object.fromEntries(rows.map(({ what, count, becomes }) => [what, [count, becomes !== undefined]]))

const KINDS: readonly (readonly [kind: string, source: Source])[] = [
  ['session-document', files.sessionDocument],
  ['event-lines', files.eventLog],
  ['orchestration-state', files.orchestration],
  ['checkpoint', files.checkpoint],
  ['shell-state', files.shellFile],
  ['supervisor-checkpoint', files.supervisor],
  ['channel-state', files.channels],
  ['task-list', files.taskList],
  ['issue-lines', files.issues],
  ['conversation', files.conversation],
  ['signed-events', files.signed],
  ['craft-session', files.json('craft.json', files.craftDocument)],
]

describe.each(KINDS)('%s', (kind, source) => {
  test('is detected', () => {
    expect(planOf(source)).toMatchObject({ kind, sources: [source] })
  })

  test('I1 the same file again changes nothing; nothing is refused, and the original is kept', async () => {
    const plan = planOf(source)
    const { into, session, refused, originals, repeated } = await imported(plan)
    expect([refused, repeated]).toEqual([[], false])
    const { seq } = session
    const again = await imported(plan, into)
    expect([again.repeated, again.session.seq, again.session.id]).toEqual([true, seq, session.id])
    const [original] = originals
    expect((await into.kernel.log.blobs?.get(session.id, original?.sha256 ?? ''))?.toString()).toBe(source.text)
  })
})

test.each([
  files.json('a.json', { name: 'x' }),
  files.json('a.json', []),
  files.json('a.json', 7),
  files.json('a.json', { subject: 'x', status: 'open' }),
  files.text('a.jsonl', 'words\n'),
  files.text('a.sh', '#!/bin/sh\nrm -rf /\n'),
  files.text('a.json', ''),
])('nobody takes what is something else: %j', (source) => {
  expect(detect([source])).toEqual({ plans: [], stateless: [], unknown: [source] })
})

test('a checkpoint and the events behind it are one; only later events count', async () => {
  const plan = planOf(files.sessionDocument, files.eventLog)
  expect(plan).toMatchObject({ kind: 'state-folder', group: 'session-1f', sources: { length: 2 } })
  const { session, refused } = await imported(plan)
  expect(refused).toEqual([])
  expect(session.get("$.execution.tasks['task-gate']")).toMatchObject({ status: 'completed', title: 'Mend the gate' })
  expect(session.get("$.execution.tasks['task-path'].status")).toBe('pending')
  expect(plan.problems).toContain('execution.tasks: "task-path" needs "task-nowhere", which is not there')
  expect(became(plan)).toMatchObject({
    'events before the checkpoint': [1, true],
    'locks, whose holders are not here': [1, false],
  })
})

test('events that say what a document holds are told again over it, also where its checkpoint is lost', async () => {
  const event = (type: string, data: object) => ({ type, timestamp: '2026-01-03T00:00:00Z', source: 'o', data })
  const log = files.lines(
    'session-1f.jsonl',
    event('state_updated', {
      path: 'execution.tasks.task-gate.status',
      old_value: 'in_progress',
      new_value: 'completed',
    }),
    event('state_updated', {
      path: '$.organization.teams.qa',
      new_value: { name: 'QA', orchestrator: 'q', members: [] },
    }),
    event('task_created', { task_id: 'task-path', task_data: { title: 'Lay the path', priority: 'high' } }),
    event('state_updated', { path: "execution.tasks['task-hinge']", new_value: null }),
    event('state_updated', { path: 'execution.__proto__.polluted', new_value: 1 }),
    event('state_updated', { path: 'tasks.task-gate.status', new_value: 'cancelled' }),
  )
  const plan = planOf(files.sessionDocument, log)
  expect(became(plan)).toMatchObject({ 'events of the state': [4, true], 'events state:updated': [2, false] })
  const { session, refused } = await imported(plan)
  expect(refused).toEqual([])
  expect(session.get('$.execution.tasks')).toMatchObject({
    'task-gate': { status: 'completed', title: 'Mend the gate' },
    'task-path': { title: 'Lay the path', priority: 'high' },
  })
  expect(session.get("$.execution.tasks['task-hinge']")).toBeUndefined()
  expect(Object.keys(session.get('$.organization.teams') as object)).toEqual(['core', 'qa'])

  const alone = await imported(planOf(log))
  expect(alone.session.get("$.execution.tasks['task-path']")).toMatchObject({ title: 'Lay the path' })
  expect(alone.session.get('$.organization.teams.qa')).toMatchObject({ name: 'QA' })
})

test('projects keep their status and worktrees, sprints their tasks; limits and pools are told', async () => {
  const project = { name: 'Shed', status: 'suspended', repository: { main_branch: 'main', worktrees: { a: '../a' } } }
  const sprint = { id: 'sprint-1', epic_id: 'epic-1', name: 'S', start_date: '2026-01-05', end_date: '2026-01-16' }
  const task_categories = { pending: ['task-a'], blocked: ['task-gone'] }
  const document = {
    session: { user_context: { workspace_path: '/x' }, lifecycle: {} },
    organization: { projects: { shed: project }, global_settings: { token_budget: 5, time_budget_minutes: 6 } },
    execution: {
      agents: { active: {}, pool: { dev: { max_instances: 2 } } },
      tasks: { 'task-a': { title: 'A' } },
      workflows: { active_sprints: [{ ...sprint, task_categories }], epics: { 'epic-1': { title: 'E', owner: 'pm' } } },
    },
    communication: { coordination: { dependencies: { graph: { edges: [{ from: 'a', to: 'b', type: 'blocks' }] } } } },
  }
  const plan = planOf(files.json('doc.json', document))
  const { session, refused } = await imported(plan)
  expect(refused).toEqual([])
  expect(session.get('$.organization.projects.shed')).toMatchObject({
    status: 'suspended',
    repository: { worktrees: { a: '../a' } },
  })
  expect(session.get("$.execution.tasks['task-a'].context.sprint_id")).toBe('sprint-1')
  expect(plan.problems).toEqual(['sprint "sprint-1" names "task-gone", which is not among the tasks'])
  expect(became(plan)).toMatchObject({
    'mode, context and expiry': [1, false],
    limits: [2, true],
    pools: [1, true],
    'edges of the graph beside the tasks': [1, false],
  })
})

test('teams of tasks, and what epics are judged by, come in; what is for something that is not there is told', async () => {
  const epic = { title: 'Auth', owner: 'lead', success_criteria: ['it logs in'], timeline: { estimated_weeks: 3 } }
  const task = { title: 'A', context: { team: 'core', epic_id: 'epic-auth', sprint_id: 'sprint-x' } }
  const execution = { tasks: { 'task-a': task }, workflows: { active_sprints: [], epics: { 'epic-auth': epic } } }
  const plan = planOf(files.json('doc.json', { session: {}, organization: {}, execution, communication: {} }))
  const { session } = await imported(plan)
  expect(session.get('$.execution.tasks.task-a.context')).toMatchObject({ team: 'core', epic_id: 'epic-auth' })
  expect(session.get('$.execution.workflows.epics.epic-auth')).toMatchObject({
    success_criteria: ['it logs in'],
    timeline: { estimated_weeks: 3 },
  })
  expect(plan.problems).toEqual(['execution.tasks: "task-a" is for "sprint-x", which is not there'])
})

test('one task a file is one list', () => {
  const files1 = [1, 2].map((n) =>
    files.json(`tasks/ab/${n}.json`, {
      id: String(n),
      subject: `t${n}`,
      status: 'pending',
      blockedBy: n === 1 ? ['2'] : [],
    }),
  )
  expect(detect(files1).plans).toMatchObject([{ group: 'ab', problems: [], requests: [{ op: 'task.import' }] }])
})

test('names that nothing stands behind are told', () => {
  expect(planOf(files.orchestration).problems).toEqual([
    'tasks: "task-1" has no title; its id stands for it',
    'sprint "sprint-1" names "task-2", which is not among the tasks',
    'sprint "sprint-1" names "epic-2", which is not among the epics',
    'epic "epic-1" names "sprint-9", which is not among the sprints',
    'task "task-1" is assigned to "dev-7", which is not among the agents',
  ])
})

test('a checkpoint of version 2.0 is named after what it says of itself, and the table names what is left', () => {
  const { group, rows } = planOf(
    files.json('cp.json', {
      version: '2.0',
      state_machine: { current_state: 'plan' },
      metadata: { checkpoint_id: 'auth_7', created_at: '2025-11-08T14:30:22Z', host: 'laptop' },
      replanning_count: 0,
    }),
  )
  expect(group).toBe('auth_7')
  expect(rows.map(({ what, becomes }) => [what, becomes === undefined])).toEqual([
    ['fields', false],
    ['other fields: replanning_count', false],
    ['other fields: metadata.checkpoint_id, metadata.host', true],
  ])
})

test('a supervisor has its workers, with what they handed in', async () => {
  const plan = planOf(files.supervisor)
  expect(plan.problems).toEqual(['it tells of 4 workers, and describes 3', 'worker "r3" is "running"; it is open here'])
  const { session } = await imported(plan)
  const said = JSON.stringify(session.get('$.execution.supervisors') ?? session.stored)
  expect(said).toContain('they squeak')
})

test('what a worker took is what the file says; where it says nothing, nobody measured it', async () => {
  const { session } = await imported(planOf(files.supervisor))
  expect(await session.run('supervise.meter', {})).toMatchObject({
    value: { time: { sum_ms: 1200, critical_path: ['r1'], measured: 1, of: 3, from_ready: [] } },
  })
})

test('events that do not check are put aside, and told', async () => {
  const { quarantined, session } = await imported(planOf(files.conversation))
  expect(quarantined).toBe(2)
  expect(JSON.stringify(session.get('$.data.imports'))).toContain('"quarantined":2')
})

test('events that are too large together are taken in apart', async () => {
  const key = generateSecretKey()
  const history = Array.from({ length: 12 }, (_, at) =>
    finalizeEvent({ kind: 11, created_at: 1_767_225_600 + at, tags: [], content: 'x'.repeat(60_000) }, key),
  )
  const plan = planOf(files.json('conv.json', { ...(files.conversation.value as object), history }))
  const { quarantined, refused } = await imported(plan, makeWorkspace(memoryKernel({ commitBytes: 500_000 })))
  expect([quarantined, refused]).toEqual([0, []])
})

test('I3 what a rule refuses is told, and the rest goes on', async () => {
  const bad = files.json('cp.json', { ...(files.checkpoint.value as object), version: '9.0' })
  const { session, refused } = await imported(planOf(bad))
  expect(refused).toMatchObject([{ op: 'workflow.import', code: 'VERSION_UNKNOWN' }])
  expect(JSON.stringify(session.get('$.data.imports'))).toContain('VERSION_UNKNOWN')
})

test('a session that no import has made is left alone', async () => {
  const into = workspace()
  await into.createSession({ name: 'garden_1' })
  await expect(imported(planOf(files.checkpoint), into)).rejects.toMatchObject({ code: 'NAME_TAKEN' })
})

test('files of one name go to sessions of their own', async () => {
  const into = workspace()
  const first = await imported(planOf(files.checkpoint), into)
  const other = planOf(files.json('cp.json', { ...(files.checkpoint.value as object), status: 'completed' }))
  const second = await imported(other, into)
  expect(second.session.id).not.toBe(first.session.id)
  expect((await imported(other, into)).session.id).toBe(second.session.id)
})

test('I2 an import that was broken off is gone on with', async () => {
  const into = workspace()
  const plan = planOf(files.shellFile)
  const half = { ...plan, requests: [{ op: 'no.such', input: {} }] }
  await expect(imported(half, into)).rejects.toMatchObject({ code: 'OPERATION_UNKNOWN' })
  const { session, refused } = await imported(plan, into)
  expect(refused).toEqual([])
  expect(session.get('$.workflow.current')).toBe('plan')
  const names: string[] = []
  for await (const each of into.sessions()) names.push(each.id)
  expect(names).toEqual([session.id])
})

test('I1 the same file again changes nothing where its session was given another name, which others may take up', async () => {
  const list = (subject: string) => planOf(files.json('todo.json', [{ id: '1', subject, status: 'pending' }]))
  const { into, session } = await imported(list('write'))
  await session.run('session.rename', { name: 'docs' })
  expect(await nameFor(into, optionsOf(list('write')))).toBe('docs')
  const again = await imported(list('write'), into)
  expect([again.session.id, again.repeated]).toEqual([session.id, true])
  const other = await imported(list('read'), into)
  expect([other.session.get('$.session.name'), other.repeated]).toEqual(['todo', false])
  const third = await imported(list('write'), into)
  expect([third.session.id, third.repeated]).toEqual([session.id, true])
  const named = await carryOut(into, list('write'), { ...optionsOf(list('write')), name: 'second' })
  expect([named.session.get('$.session.name'), named.repeated]).toEqual(['second', false])
  // One that was told to go elsewhere never had that name.
  await carryOut(into, list('sign'), { ...optionsOf(list('sign')), name: 'apart' })
  expect((await imported(list('sign'), into)).repeated).toBe(false)
})
