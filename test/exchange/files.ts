/* Files as other programs keep them, in the same shapes and with other words. */
import type { Source } from '../../src/kernel/exchange/importer.ts'

export const json = (path: string, value: unknown): Source => ({ path, text: JSON.stringify(value), value })
export const text = (path: string, said: string): Source => ({ path, text: said, value: undefined })
export const lines = (path: string, ...values: readonly unknown[]): Source =>
  text(path, `${values.map((value) => JSON.stringify(value)).join('\n')}\n`)

const task = { type: 'bug', title: 'Mend the gate', status: 'in_progress', priority: 'high', dependencies: [] }

export const sessionDocument = json('.claude/state/session-1f.json', {
  session: { id: '1f', mode: 'development' },
  organization: {
    teams: { core: { name: 'Core', orchestrator: 'lead', members: [{ agent_id: 'ann', role: 'dev', capacity: 2 }] } },
    projects: { web: { id: 'web', name: 'Web', status: 'active', teams_assigned: ['core'], repository: {} } },
  },
  execution: {
    agents: { active: { 'dev-1': {} }, pool: {} },
    tasks: {
      'task-gate': { id: 'task-gate', ...task },
      'task-hinge': {
        id: 'task-hinge',
        ...task,
        title: 'Oil the hinge',
        status: 'completed',
        dependencies: ['task-gate'],
      },
    },
    workflows: { active_sprints: [], epics: { 'epic-garden': { title: 'Garden', owner: 'pm', status: 'draft' } } },
  },
  communication: { message_queues: { pm: [{ id: 'm' }] }, channels: {}, coordination: { locks: { gate: {} } } },
  observability: {},
  persistence: { checkpoint: { last_saved: '2026-01-02T00:00:00Z' } },
})

const told = (type: string, timestamp: string, payload: object) => ({ type, timestamp, source: 'a', payload })

export const eventLog = lines(
  '.claude/state/events/session-1f.jsonl',
  told('task:created', '2026-01-01T00:00:00Z', { task_id: 'task-gate', title: 'Mend the gate' }),
  told('task:completed', '2026-01-03T00:00:00Z', { task_id: 'task-gate', artifacts: ['gate.md'] }),
  told('task:created', '2026-01-03T00:00:01Z', {
    task_id: 'task-path',
    title: 'Lay the path',
    dependencies: ['task-nowhere'],
  }),
  told('team:status', '2026-01-03T00:00:02Z', {}),
)

export const orchestration = json('orchestration-state.json', {
  organization: {},
  projects: {},
  epics: { 'epic-1': { sprints: ['sprint-9'] } },
  sprints: { 'sprint-1': { status: 'active', epic_id: 'epic-2', tasks: { pending: ['task-1', 'task-2'] } } },
  tasks: { 'task-1': { id: 'task-1', status: 'completed', assignee: 'dev-7' } },
  agents: { active: { 'dev-1': { id: 'dev-1' } } },
  communication: { questions: [], handoffs: [] },
  observability: { metrics: {}, events: [] },
})

export const checkpoint = json('cp.json', {
  version: '2.1',
  checkpoint_id: 'garden_1',
  workflow_description: 'Mend the garden',
  state_machine: { current_state: 'plan', completed_states: ['initialize', 'research'] },
  replanning_count: 0,
})

export const shellFile = text(
  'workflow_garden_17.sh',
  `export WORKFLOW_ID="garden_17"
export CURRENT_STATE="research"
export REPORTS="[
  "/a/one.md",
  "/a/two.md"
]"
export CURRENT_STATE="plan"
export COMPLETED_STATES_COUNT="2"
export COMPLETED_STATE_0="initialize"
export COMPLETED_STATE_1="research"
export NOTE="costs \\$5 and \\"more\\""
export RUN="$(touch /tmp/never-made)"
stray words
export CUT="half
`,
)

export const supervisor = json('supervisor.json', {
  supervisor_id: 'research_sub_1',
  supervisor_name: 'research-sub-supervisor',
  worker_count: 4,
  workers: [
    {
      worker_id: 'r1',
      topic: 'gates',
      status: 'completed',
      output_path: '/r/1.md',
      duration_ms: 1200,
      metadata: { title: 'Gates', key_findings: ['they squeak'] },
    },
    { worker_id: 'r2', topic: 'paths', status: 'failed', duration_ms: null, metadata: {} },
    { worker_id: 'r3', topic: 'trees', status: 'running' },
  ],
})

export const channels = json('orchestration-state.json', {
  version: '1.0',
  agents: { pm: { state: 'IDLE' } },
  channels: { garden: { queue: ['pm'], currentIndex: -1, activeAgent: null } },
  history: [],
})

export const taskList = json('tasks.json', [
  { id: '1', subject: 'Mend the gate', status: 'completed', blocks: ['2'], blockedBy: [] },
  { id: '2', subject: 'Oil the hinge', status: 'in_progress', blocks: [], blockedBy: ['1', '9'] },
])

export const issues = text(
  'issues.jsonl',
  `{"id":"g-1","title":"Gate squeaks","status":"open","priority":0,"issue_type":"bug"}
{"id":"g-2","title":"Tell of it","status":"closed","priority":2,"issue_type":"docs","dependencies":[{"depends_on_id":"g-1","type":"blocks"},{"depends_on_id":"g-7","type":"related"}]}
{"id":"g-3","ti`,
)

const note = (digit: string) => ({
  id: digit.repeat(64),
  pubkey: 'a'.repeat(64),
  created_at: 1_767_225_600,
  kind: 1111,
  tags: [['E', 'b'.repeat(64)]],
  content: 'is the gate mended?',
  sig: 'c'.repeat(128),
})

export const conversation = json('conv_garden.json', {
  id: 'garden',
  title: 'The gate',
  phase: 'chat',
  history: [note('1'), JSON.stringify(note('2')), 'no event'],
  agentStates: [],
  phaseTransitions: [{}],
  metadata: {},
})

export const signed = lines('relay.jsonl', note('1'), note('2'))

/** A document that keeps to version 1.0.0. */
export const craftDocument = {
  schema_version: '1.0.0',
  session_id: '6f1c2d3e-4a5b-4c6d-8e7f-9a0b1c2d3e4f',
  created_at: '2026-02-01T08:00:00.000Z',
  updated_at: '2026-02-01T09:00:00.000Z',
  device: 'Laptop',
  project: '/home/ann/garden',
  goal: 'Mend the garden',
  mode: 'optimize',
  status: 'paused',
  progress: 0.5,
  agents: [
    {
      id: 'agent-1',
      type: 'gardener',
      status: 'error',
      started_at: '2026-02-01T08:01:00.000Z',
      completed_at: '2026-02-01T08:05:00.000Z',
      duration_seconds: 240,
      progress: 0.4,
      result: 'failure',
      blocking_on: 'agent-2',
      error: { category: 'resource', message: 'out of oil', retry_count: 2, last_retry_at: '2026-02-01T08:04:00.000Z' },
      output_summary: 'half an hinge',
      artifacts: { files_created: ['hinge.md'], files_modified: ['gate.md'], files_deleted: ['rust.md'] },
    },
    {
      id: 'agent-2',
      type: 'doc-writer',
      status: 'pending',
      started_at: null,
      completed_at: null,
      duration_seconds: null,
      progress: null,
      result: null,
      blocking_on: null,
      error: null,
      output_summary: null,
      artifacts: { files_created: [], files_modified: [], files_deleted: [] },
    },
  ],
  completed_work: ['Gate found'],
  pending_tasks: ['Oil the hinge (40% → 100%)', 'Tell of it'],
  decisions_made: [
    {
      timestamp: '2026-02-01T08:02:00.000Z',
      context: 'Oil',
      options: ['olive', 'machine'],
      chosen: 'machine',
      reasoning: null,
    },
  ],
  files_modified: [
    {
      path: 'gate.md',
      action: 'modified',
      agent_id: 'agent-1',
      timestamp: '2026-02-01T08:03:00.000Z',
      lines_added: 3,
      lines_removed: 0,
      hash_before: null,
      hash_after: 'e'.repeat(64),
    },
  ],
  context_usage: { estimated_tokens: 900, compression_count: 1, last_compression: null, by_agent: { 'agent-1': 900 } },
  teleportation: {
    enabled: true,
    last_sync: null,
    sync_status: 'success',
    sync_error: null,
    devices: ['Laptop', 'Desk'],
    storage_backend: 's3',
    encrypted: true,
    shared_with: ['bob@example.org'],
  },
  metadata: { git_branch: 'garden', git_commit: 'd'.repeat(40), craft_version: '1.2.3', tags: ['spring'], notes: null },
}
