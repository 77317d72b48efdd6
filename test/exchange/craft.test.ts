/* The craft session document: one schema, published; in, out, and what breaks it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { exportCraft } from '../../src/domain/exports/craft.ts'
import { craftJsonSchema } from '../../src/domain/imports/craft-schema.ts'
import { detect } from '../../src/domain/imports/registry.ts'
import { carryOut } from '../../src/kernel/exchange/carry-out.ts'
import { lived } from '../session-state/lived.ts'
import { validator } from '../session-state/validators.ts'
import { craftDocument, json } from './files.ts'

const file = join(import.meta.dirname, '../../schemas/craft-session.v1.json')
if (process.env['SCHEMAS'] === 'write') writeFileSync(file, `${JSON.stringify(craftJsonSchema(), null, 2)}\n`)

const wrongWith = validator(craftJsonSchema())
const around = { updated_at: '2026-03-01T00:00:00.000Z', project: '/home/ann/here', device: 'Here' }
const planOf = (value: unknown) => {
  const [plan] = detect([json('craft.json', value)]).plans
  if (plan === undefined) throw new Error('nobody knows it')
  return plan
}
const through = async (value: unknown) => {
  const plan = planOf(value)
  const bytes = [Buffer.from(JSON.stringify(value))]
  const { session, refused } = await carryOut(makeWorkspace(memoryKernel()), plan, { name: 'craft', bytes })
  expect(refused).toEqual([])
  return exportCraft(session.stored, around)
}

test('V1 schemas/craft-session.v1.json is what the reader reads', () => {
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(craftJsonSchema())))
  expect(wrongWith(craftDocument)).toEqual([])
})

test('R1 every field comes back as it went in', async () => {
  const { updated_at: _now, ...rest } = craftDocument
  const out = await through(craftDocument)
  expect(out).toMatchObject(rest)
  expect(wrongWith(out)).toEqual([])
})

test('R1 members of its own come back, too', async () => {
  const own = { ticket: 'G-7', context_usage: { ...craftDocument.context_usage, percentage: 20 } }
  const out = await through({ ...craftDocument, ...own })
  expect(out).toMatchObject(own)
  expect(wrongWith(out)).toEqual([])
})

test('R1 how far it is, is counted in tasks once work went on here', async () => {
  const bytes = [Buffer.from('progress')]
  const plan = planOf({ ...craftDocument, status: 'in_progress' })
  const { session } = await carryOut(makeWorkspace(memoryKernel()), plan, { name: 'craft', bytes })
  expect(exportCraft(session.stored, around).progress).toBe(0.5)
  await session.run('task.add', { title: 'one more' })
  expect(exportCraft(session.stored, around).progress).toBe(0.25)
  expect(await session.run('task.archive', { older_ms: 0 })).toMatchObject({ events: [{ type: 'task.archived' }] })
  expect(exportCraft(session.stored, around)).toMatchObject({ progress: 0.25, completed_work: [] })
})

test.each(['paused', 'completed', 'error', 'aborted'])(
  'R1 one that is %s stays so until somebody goes on with it',
  async (status) => {
    const bytes = [Buffer.from(status)]
    const plan = planOf({ ...craftDocument, status })
    const workspace = makeWorkspace(memoryKernel())
    const { session } = await carryOut(workspace, plan, { name: 'craft', bytes })
    expect(exportCraft(session.stored, around).status).toBe(status)
    const further = status === 'paused' ? session : await workspace.fork(session, 'further')
    if (status === 'paused') await session.run('session.resume', {})
    expect(exportCraft(further.stored, around).status).toBe('in_progress')
  },
)

test('R1 work that is more than a title is given back whole, and is whole in its task', async () => {
  const pending_tasks = ['Dig the beds.\nThen water them.', 'x'.repeat(700)]
  expect((await through({ ...craftDocument, pending_tasks })).pending_tasks).toEqual(pending_tasks)
  const todo = planOf([{ content: pending_tasks[0], status: 'pending' }])
  const { session } = await carryOut(makeWorkspace(memoryKernel()), todo, { name: 'todo', bytes: [] })
  expect(session.get("$.execution.tasks['task-todo-1']")).toMatchObject({
    title: 'Dig the beds. Then water them.',
    context: { requirements: pending_tasks[0] },
  })
  const both = [{ id: '1', subject: 'x'.repeat(700), description: 'y', status: 'pending' }]
  expect(planOf(both).problems).toEqual(['tasks: "1" has a title that is more than a line here'])
  const long = [{ id: '1', subject: 'one', description: 'y'.repeat(100_001), status: 'pending' }]
  expect(planOf(long).problems).toEqual(['tasks: "1" says 100001 characters of what is wanted; 100000 are taken over'])
})

test('R2 what a session has lived through is a valid document', async () => {
  const session = await lived()
  const out = exportCraft(session.stored, around)
  expect(wrongWith(out)).toEqual([])
  expect(out.agents.length).toBeGreaterThan(0)
  expect(Object.keys((out.metadata as unknown as { agent_names: object }).agent_names).length).toBe(out.agents.length)
})

const broken = {
  ...craftDocument,
  session_id: 'abc-garden',
  agents: craftDocument.agents.map((agent, at) => ({ ...agent, id: `dig-${at}`, blocking_on: null })),
  files_modified: craftDocument.files_modified.map((each) => ({
    ...each,
    agent_id: 'dig-0',
    hash_after: 'a'.repeat(40),
  })),
  context_usage: { ...craftDocument.context_usage, by_agent: { 'dig-0': 900 } },
}

test('V1 a later version 1 has to be allowed, and is held to the rules of 1.0.0', () => {
  expect(planOf({ ...craftDocument, schema_version: '1.1.0', session_id: 'abc-garden' })).toMatchObject({
    unreadable: [],
    violations: ['schema_version: must be 1.0.0', 'session_id: must be a UUID'],
  })
})

test('A1 decisions need not be said', async () => {
  const { decisions_made: _none, ...without } = craftDocument
  expect(planOf(without)).toMatchObject({ unreadable: [], violations: [], problems: ['decisions_made is not said'] })
  expect(wrongWith(await through(without))).toEqual([])
})

describe('a document that breaks its own rules', () => {
  test('is reported rule by rule', () => {
    expect(planOf(broken)).toMatchObject({
      unreadable: [],
      violations: [
        'session_id: must be a UUID',
        'agents.0.id: must be agent-N',
        'agents.1.id: must be agent-N',
        'files_modified.0.agent_id: must be agent-N',
        'files_modified.0.hash_after: must be a sha256: 64 hex digits',
        'context_usage.by_agent.dig-0: is no name that may stand here',
      ],
    })
  })

  test('does not break them again when it leaves', async () => {
    const out = await through(broken)
    expect(wrongWith(out)).toEqual([])
    expect(out.metadata).toMatchObject({ agent_names: { 'agent-1': 'dig-0', 'agent-2': 'dig-1' } })
    expect(out.context_usage.by_agent).toEqual({ 'agent-1': 900 })
  })

  test.each([
    [{ schema_version: '2.0.0' }, 'schema_version'],
    [{ schema_version: 1 }, 'schema_version'],
    [{ mode: 'fast' }, 'mode'],
    [{ progress: 7 }, 'progress'],
    [{ status: 'asleep' }, 'status'],
    [{ agents: [{ id: 'agent-1' }] }, 'agents.0.type'],
    [{ teleportation: { enabled: 'yes' } }, 'teleportation.enabled'],
  ])('is refused where it cannot be read, by field: %j', (change, field) => {
    expect(planOf({ ...craftDocument, ...change }).unreadable?.some((each) => each.startsWith(`${field}:`))).toBe(true)
  })
})

const older = {
  schema_version: '1.0',
  session_id: '2026-02-01-garden',
  created: '2026-02-01T08:00:00Z',
  updated: '2026-02-01T09:00:00Z',
  project: { name: 'garden', path: '/home/ann/garden', git_branch: 'dev' },
  goal: 'Mend the garden',
  mode: 'default',
  status: 'in_progress',
  agents: [
    {
      id: 'dig-1',
      type: 'dig',
      task: 'Dig',
      status: 'complete',
      started: '2026-02-01T08:00:00Z',
      completed: '2026-02-01T08:30:00Z',
      result_summary: 'dug',
      context_tokens: 40,
    },
    { id: 'sow-1', type: 'sow', task: 'Sow', status: 'in_progress', started: '2026-02-01T08:30:00Z', progress: 60 },
  ],
  completed_work: [{ task: 'Digging', outcome: 'a bed', files: ['bed.md'] }],
  pending_tasks: ['Sow'],
  decisions_made: [{ decision: 'Sow beans', rationale: 'they are good', timestamp: '2026-02-01T08:20:00Z' }],
  context_usage: { estimated_tokens: 400, percentage: 2, last_compression: null },
  errors: [],
}

const brief = {
  session_id: 'abc-def',
  created_at: '2026-02-01T08:00:00Z',
  updated_at: '2026-02-01T09:00:00Z',
  device: 'Laptop',
  project: '/home/ann/garden',
  goal: 'Mend the garden',
  mode: 'default',
  status: 'in_progress',
  progress: 0.65,
  agents: [{ id: 'dig-1', type: 'dig', status: 'in_progress', started_at: '2026-02-01T08:33:00Z', progress: 0.6 }],
  completed_work: ['Digging'],
  pending_tasks: ['Sow'],
  files_modified: ['bed.md', 'bean.md'],
  context_usage: { estimated_tokens: 400, last_compression: null },
  teleportation: { enabled: true, last_sync: '2026-02-01T09:00:00Z', sync_status: 'success', devices: ['Laptop'] },
}

describe('dialects', () => {
  test('of version 1.0 are read, and leave as 1.0.0', async () => {
    expect(planOf(older)).toMatchObject({
      unreadable: [],
      violations: [],
      problems: expect.arrayContaining(['device is not said']) as unknown,
    })
    const out = await through(older)
    expect(wrongWith(out)).toEqual([])
    expect(out.agents).toMatchObject([
      { output_summary: 'dug', result: 'success' },
      { status: 'running', progress: 0.6 },
    ])
    expect(out.decisions_made).toMatchObject([{ chosen: 'Sow beans', reasoning: 'they are good' }])
    expect(out.completed_work).toEqual(['Digging: a bed'])
    expect(out.progress).toBe(0.5)
    expect(out.context_usage.by_agent).toEqual({ 'agent-1': 40 })
  })

  test('lose nothing that has a place here: files of finished work, the task of an agent, the share of its context', async () => {
    const plan = planOf(older)
    const bytes = [Buffer.from(JSON.stringify(older))]
    const { session } = await carryOut(makeWorkspace(memoryKernel()), plan, { name: 'craft', bytes })
    expect(session.get('$.execution.tasks.task-completed-1.artifacts')).toEqual(['bed.md'])
    expect(session.get('$.data.craft.agents[0]')).toMatchObject({ task: 'Dig', output_summary: 'dug' })
    expect(session.get('$.data.craft.context_usage.percentage')).toBe(2)
  })

  test('of no version are read, and leave as 1.0.0', async () => {
    expect(planOf(brief)).toMatchObject({ unreadable: [], violations: [], problems: ['decisions_made is not said'] })
    const out = await through(brief)
    expect(wrongWith(out)).toEqual([])
    expect(out.files_modified).toMatchObject([{ path: 'bed.md' }, { path: 'bean.md' }])
    expect(out.teleportation).toMatchObject({ sync_status: 'success', devices: ['Laptop'], encrypted: false })
  })

  test('A2 what is there in a wrong form is named', () => {
    expect(planOf({ ...brief, mode: 'fast', agents: 'none', pending_tasks: [] }).unreadable).toEqual(
      expect.arrayContaining([expect.stringMatching(/^mode:/), expect.stringMatching(/^agents:/)]),
    )
  })
})

test('how it stands with a place is in the document', async () => {
  const session = await makeWorkspace(memoryKernel()).createSession({ name: 'synced' })
  const sync = {
    last_sync: '2026-02-01T00:00:00.000Z',
    sync_status: 'success',
    sync_error: null,
    remote: 'origin',
    storage_backend: 'git',
    encrypted: true,
  }
  const out = exportCraft(session.stored, { ...around, sync })
  expect(wrongWith(JSON.parse(JSON.stringify(out)))).toEqual([])
  expect(out.teleportation).toMatchObject({
    last_sync: sync.last_sync,
    sync_status: 'success',
    storage_backend: 'local',
    encrypted: true,
    devices: ['Here'],
  })
})
