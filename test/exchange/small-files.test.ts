/* Files of which little or nothing becomes state: what they are is said, and why. */
import { describe, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { detect } from '../../src/domain/imports/registry.ts'
import { shapeOf } from '../../src/domain/imports/shape.ts'
import { carryOut } from '../../src/kernel/exchange/carry-out.ts'
import type { Session } from '../../src/kernel/session.ts'
import { json, lines, sessionDocument, text } from './files.ts'

async function imported(value: unknown): Promise<{ readonly session: Session; readonly problems: readonly string[] }> {
  const [plan] = detect([json('given.json', value)]).plans
  if (plan === undefined) throw new Error('nobody knows it')
  const bytes = [Buffer.from(JSON.stringify(value))]
  const { session, refused } = await carryOut(makeWorkspace(memoryKernel()), plan, { name: 'given', bytes })
  expect(refused).toEqual([])
  return { session, problems: plan.problems }
}

const machine = { current_state: 'plan', completed_states: ['initialize', 'research', 'plan'] }

test.each<[string, object, number]>([
  ['alone', machine, 1],
  ['without a version', { state_machine: machine, workflow_description: 'a search page' }, 1],
  ['with its version', { version: '2.0', state_machine: machine }, 0],
])('the state machine of a checkpoint %s says where work stands', async (_, value, told) => {
  const { session, problems } = await imported(value)
  expect(session.get('$.workflow')).toMatchObject({ current: 'plan', completed: ['initialize', 'research'] })
  expect(problems).toHaveLength(told)
})

test.each(['constructor', '__proto__', 'toString'])(
  'a file that says "%s" where a word is wanted says nothing by it',
  async (odd) => {
    const list = [
      { id: '1', subject: 'one', status: odd },
      { id: '2', subject: 'two', status: 'done', priority: odd },
    ]
    expect((await imported(list)).session.get('$.execution.tasks')).toMatchObject({
      'task-1': { status: 'pending' },
      'task-2': { status: 'completed', priority: 'medium' },
    })
    const issue = { id: 'a', title: 'one', status: 'open', issue_type: odd }
    const told = [
      { type: 'task:created', timestamp: '2026-01-01T00:00:00Z', payload: { task_id: 'a', title: 'one' } },
      { type: `task:${odd}`, timestamp: '2026-01-01T00:00:00Z', payload: { task_id: 'a' } },
    ]
    const { plans } = detect([lines('issues.jsonl', issue), lines('events.jsonl', ...told)])
    for (const plan of plans) {
      const { session, refused } = await carryOut(makeWorkspace(memoryKernel()), plan, { name: 'given', bytes: [] })
      expect(refused).toEqual([])
      expect(session.get("$.execution.tasks['task-a']")).toMatchObject({
        title: 'one',
        type: 'feature',
        status: 'pending',
      })
    }
    expect(plans).toHaveLength(2)
  },
)

test('a line that is nested deeper than can be kept is none, and the others count', async () => {
  const deep = `{"id":"b","title":"two","status":"open","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const signed = { id: '1', pubkey: '2', content: 'x', tags: [] }
  const events = `${JSON.stringify(signed)}\n{"id":"3","pubkey":"4","content":"x","tags":${deep.slice(44, -1)}}\n`
  const { plans } = detect([
    text('issues.jsonl', `${JSON.stringify({ id: 'a', title: 'one', status: 'open' })}\n${deep}\n`),
    text('events.jsonl', events),
  ])
  expect(plans).toMatchObject([
    {
      kind: 'issue-lines',
      rows: [{ count: 1 }],
      problems: ['line 2 is no JSON: it was cut off, or is something else'],
    },
    { kind: 'signed-events', rows: [{ count: 1 }], problems: [expect.stringContaining('line 2')] },
  ])
})

test('teams are read from a file that defines them', async () => {
  const { session } = await imported({
    version: '1.0',
    teams: {
      core: {
        name: 'Core',
        orchestrator: 'lead',
        settings: { max_parallel_agents: 4 },
        members: [{ agent: 'ann', role: 'dev', capacity: 2, skills: ['gates'], model: 'large' }],
      },
    },
  })
  expect(session.get('$.organization.teams.core')).toMatchObject({
    orchestrator: 'lead',
    settings: { max_parallel: 4 },
    members: [{ agent_id: 'ann', role: 'dev', capacity: 2 }],
  })
})

test('a message of a bus lies in the inbox, with who sent it and when', async () => {
  const sent = { id: 'm-1', timestamp: '2026-01-01T10:00:00', from: 'pm', to: 'dev', type: 'NEWS', payload: 'late' }
  const { session, problems } = await imported({ ...sent, priority: 'critical' })
  const answer = await session.run('message.receive', { agent: 'dev' })
  expect(answer).toMatchObject({
    value: [
      { type: 'alert', priority: 'critical', payload: { from: 'pm', timestamp: sent.timestamp, payload: 'late' } },
    ],
  })
  expect(problems).toEqual(['the type "NEWS" is none here; it is an alert, and keeps its own inside'])
})

test('an artifact of a registry is an output, with its time', async () => {
  const entry = {
    artifact_id: 'debug_7',
    artifact_type: 'debug',
    artifact_path: '/w/7.md',
    created_at: '2026-01-01T00:00:00Z',
  }
  const { session } = await imported(entry)
  expect(JSON.parse(String(session.get("$.outputs['artifact.debug_7']")))).toMatchObject({
    path: '/w/7.md',
    created_at: '2026-01-01T00:00:00Z',
  })
})

test('channels that are set up have their agents', async () => {
  const { session } = await imported({
    channels: { shed: { id: '77', name: 'shed', mode: 'turn-based', agents: ['pm', 'dev'], turnOrder: 'priority' } },
  })
  expect(await session.run('channel.list', {})).toMatchObject({ value: [{ channel: '77', mode: 'turn-based' }] })
  expect(JSON.stringify(session.stored)).toContain('"dev"')
})

test('what of channels stays in the original is told: old history, agents without one, what they are for', () => {
  const rowsOf = (value: object) => detect([json('given.json', value)]).plans.flatMap(({ rows }) => rows)
  const entry = { timestamp: '2026-02-04T21:12:00Z', event: 'turn_started', agentId: 'pm', channelId: 'c' }
  const state = {
    version: '1.0',
    agents: { pm: { state: 'IDLE' }, ops: { state: 'IDLE' } },
    channels: { c: { queue: ['pm'] } },
    history: Array.from({ length: 130 }, () => entry),
  }
  expect(rowsOf(state).map(({ what, count, becomes }) => [what, count, becomes !== undefined])).toEqual([
    ['channels', 1, true],
    ['history', 100, true],
    ['entries of history before the last 100', 30, false],
    ['agents in no channel', 1, false],
  ])
  const settings = { channels: { c: { mode: 'single', agents: ['pm'], description: 'reviews' } } }
  expect(rowsOf(settings).map(({ what, count }) => [what, count])).toEqual([
    ['channels', 1],
    ['descriptions of channels', 1],
  ])
})

describe('nothing becomes state', () => {
  test.each<[string, object]>([
    ['orchestration-settings', { orchestration_mode: { enabled: false }, resource_limits: {} }],
    ['workflow-templates', { workflows: { sprint: { phases: [{ name: 'planning' }] } } }],
    ['team-load', { assignments: {}, capacity_tracking: { core: { total_capacity: 9 } } }],
    ['supervisor-counts', { supervisor_state: { one: { worker_count: 4 } } }],
    ['aggregated-metadata', { topics_researched: 2, reports_created: ['a.md'], summary: 's', key_findings: ['f'] }],
    ['report-metadata', { title: 't', summary: 's', key_findings: ['f'] }],
    ['json-schema', { $schema: 'http://json-schema.org/draft-07/schema#', properties: {} }],
  ])('of %s, and it is said why', (kind, value) => {
    expect(detect([json('a.json', value)])).toMatchObject({
      plans: [],
      unknown: [],
      stateless: [{ kind, requests: [], stateless: expect.stringMatching(/\w+ \w+/) }],
    })
  })
})

test.each([
  [json('a.json', { w1: 'x', w2: 'y' }), 'a JSON object with w1, w2'],
  [json('a.json', [{ file: 1 }, 2]), 'a JSON list of 2, first with file'],
  [json('a.json', 7), 'a single JSON value'],
  [text('a.txt', 'words'), 'it is no JSON'],
  [
    text('a.json', '{"tokens": 9007199254740993}'),
    expect.stringMatching(/^JSON that cannot be kept as it is: .*9007199254740993/),
  ],
  [lines('a.jsonl', { specversion: '1.0', id: 'a' }, { id: 'b' }), 'JSON lines, first with specversion, id'],
  [text('a.json', ' \n'), 'it is empty'],
])('what a file looks like that is of no kind: %#', (source, looks) => {
  expect(shapeOf(source)).toEqual(looks)
})

describe('times of what happened elsewhere', () => {
  const tasksOf = async (...sources: Parameters<typeof detect>[0]) => {
    const [plan] = detect(sources).plans
    if (plan === undefined) throw new Error('nobody knows it')
    const bytes = sources.map((source) => Buffer.from(source.text))
    const { session } = await carryOut(makeWorkspace(memoryKernel()), plan, { name: 'given', bytes })
    return session
  }

  test('are data of the task; the commit has its own', async () => {
    const session = await tasksOf(
      lines(
        'e.jsonl',
        { type: 'task:created', timestamp: '2025-01-20T14:30:00Z', payload: { task_id: 'task-a', title: 'A' } },
        { type: 'task:completed', timestamp: '2025-01-22T16:45:00+02:00', payload: { task_id: 'task-a' } },
      ),
    )
    expect(session.get("$.execution.tasks['task-a']")).toMatchObject({
      created_at: '2025-01-20T14:30:00.000Z',
      completed_at: '2025-01-22T14:45:00.000Z',
    })
    for await (const { at } of session.commits()) expect(at > '2025-02').toBe(true)
  })

  test('that are none, or not yet, are left out', async () => {
    const session = await tasksOf(
      lines('i.jsonl', { id: 'g-1', title: 'Gate', status: 'open', created_at: 'yesterday' }),
    )
    const later = await tasksOf(
      lines('i.jsonl', { id: 'g-1', title: 'Gate', status: 'open', created_at: '2999-01-01T00:00:00Z' }),
    )
    for (const each of [session, later])
      expect(String(each.get("$.execution.tasks['task-g-1'].created_at")) < '2999').toBe(true)
  })

  test('a task keeps its epic where that comes in too', async () => {
    const value = structuredClone(sessionDocument.value) as { execution: { tasks: Record<string, object> } }
    Object.assign(value.execution.tasks['task-gate'] ?? {}, { context: { epic_id: 'epic-garden', sprint_id: 'gone' } })
    const session = await tasksOf(json('session-1f.json', value))
    expect(session.get("$.execution.tasks['task-gate'].context")).toMatchObject({
      epic_id: 'epic-garden',
      sprint_id: null,
    })
  })
})

test.each([
  lines(
    's-1.jsonl',
    { type: 'user', sessionId: 's-1', message: { content: 'mend the gate' }, timestamp: '2026-01-03T00:00:00Z' },
    { type: 'assistant', sessionId: 's-1', message: { content: [] }, timestamp: '2026-01-03T00:00:01Z' },
  ),
  lines(
    's-2.jsonl',
    { type: 'summary', summary: 'The gate is mended', leafUuid: 'u-9' },
    { type: 'file-history-snapshot', messageId: 'm-1', snapshot: {} },
    { type: 'user', sessionId: 's-2', message: { content: 'mend the gate' }, timestamp: '2026-01-03T00:00:00Z' },
  ),
  lines(
    'rollout-1.jsonl',
    { timestamp: '2026-01-03T00:00:00Z', type: 'session_meta', payload: { id: 's-1', cwd: '/work' } },
    { timestamp: '2026-01-03T00:00:01Z', type: 'response_item', payload: { type: 'message', role: 'user' } },
  ),
])('what an agent said begins no session that nothing stands in: $path', (source) => {
  const { plans, stateless, unknown } = detect([source])
  expect([plans, unknown]).toEqual([[], []])
  expect(stateless).toMatchObject([{ kind: 'event-lines', stateless: expect.stringContaining('tells of tasks') }])
})
