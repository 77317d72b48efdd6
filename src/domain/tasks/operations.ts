import * as z from 'zod/mini'
import { EngineError } from '../../kernel/error.ts'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { moment } from '../../kernel/state/shapes.ts'
import { tasksAt } from './at-now.ts'
import {
  LEASE_MS,
  decideBlock,
  decideCancel,
  decideClaim,
  decideDone,
  decideFail,
  decideRelease,
  decideRenew,
  decideRetry,
  decideStart,
  decideSubmit,
  decideUnblock,
  readyTasks,
} from './decide.ts'
import { decideAdd, decideArchive, decideImport, decideUpdate } from './describe.ts'
import type { Task } from './events.ts'
import { graphText } from './graph.ts'
import { taskOf, tasksOf } from './tasks.ts'
import { showTask, taskRow, taskRows } from './views.ts'
import { explain } from './why.ts'

const LONGEST_LEASE_MS = 30 * 24 * 60 * 60_000
const DAY_MS = 24 * 60 * 60_000
const READY_SHOWN = 20
const MOST_IMPORTED = 10_000

const task = z.string().check(z.minLength(1))
const id = z.string().check(z.maxLength(100), z.regex(/^task-[a-z0-9-]+$/, 'must be "task-" and a-z, 0-9 or hyphens'))
const status = z.enum(['pending', 'assigned', 'in_progress', 'review', 'completed', 'blocked', 'cancelled'])
const type = z.enum(['feature', 'bug', 'tech_debt', 'documentation', 'testing'])
const priority = z.enum(['critical', 'high', 'medium', 'low'])
const title = z.string().check(
  z.minLength(1),
  z.maxLength(500),
  // oxlint-disable-next-line no-control-regex -- titles are shown on terminals
  z.regex(/^[^\u0000-\u001f\u007f]+$/, 'must not hold control characters'),
)
const word = z.string().check(z.minLength(1), z.maxLength(200))
const long = z.string().check(z.maxLength(100_000))
const effort = z.int().check(z.minimum(1))
const spent = z.int().check(z.minimum(0))
const list = z.array(word)
const token = z.optional(z.int().check(z.positive()))
const ttl_ms = z._default(z.int().check(z.positive(), z.maximum(LONGEST_LEASE_MS)), LEASE_MS)
const reason = z.string().check(z.minLength(1), z.maxLength(1000))
const flag = z._default(z.boolean(), false)

const about = () => ({
  type: z.optional(type),
  priority: z.optional(priority),
  effort: z.optional(effort),
  artifacts: z.optional(list),
  epic: z.optional(word),
  sprint: z.optional(word),
  project: z.optional(word),
  team: z.optional(word),
  requirements: z.optional(long),
  criteria: z.optional(z.array(long)),
})

const filter = () => ({
  type: z.optional(type),
  team: z.optional(word),
  epic: z.optional(word),
  sprint: z.optional(word),
  project: z.optional(word),
})

const name = z.optional(z.nullable(word))

/** As session documents have a task. */
const imported = () =>
  z.object({
    id,
    title,
    type: z._default(type, 'feature'),
    status: z._default(status, 'pending'),
    assignee: z.optional(word),
    priority: z._default(priority, 'medium'),
    estimated_effort: z.optional(effort),
    actual_effort: z.optional(z.nullable(spent)),
    reason: z.optional(reason),
    artifacts: z._default(list, []),
    created_at: z.optional(moment),
    completed_at: z.optional(moment),
    dependencies: z._default(list, []),
    context: z._default(
      z.object({
        epic_id: name,
        sprint_id: name,
        project_id: name,
        team: z.optional(word),
        requirements: z.optional(long),
        acceptance_criteria: z.optional(z.array(long)),
      }),
      {},
    ),
  })

function found(root: Readonly<Tree>, asked: string): Task {
  const known = taskOf(tasksOf(root), asked)
  if (known === undefined) throw new EngineError('NOT_FOUND', `no task "${asked}"`, { hint: 'steadfold task list' })
  return known
}

export const taskOperations = [
  writeOperation({
    name: 'task.add',
    summary: 'Write down a task, and what it needs first',
    input: () => z.object({ title, id: z.optional(id), needs: z._default(list, []), ...about() }),
    positional: ['title'],
    decide: decideAdd,
    answer: (events) => events.find((event) => event.type === 'task.added')?.data,
  }),
  writeOperation({
    name: 'task.update',
    summary: 'Change what is said about a task; artifacts are added',
    input: () => z.object({ task, title: z.optional(title), actual_effort: z.optional(spent), ...about() }),
    positional: ['task'],
    decide: decideUpdate,
  }),
  writeOperation({
    name: 'task.import',
    summary: 'Take over tasks and dependencies from elsewhere; circles come in, and keep their tasks waiting',
    input: () =>
      z.object({
        tasks: z.array(imported()).check(z.minLength(1), z.maxLength(MOST_IMPORTED)),
        edges: z._default(
          z.array(z.object({ from: word, to: word, type: z.enum(['blocks', 'enables', 'requires']) })),
          [],
        ),
      }),
    decide: decideImport,
    answer: (events) => ({ added: events.flatMap((event) => (event.type === 'task.added' ? [event.data.id] : [])) }),
  }),
  writeOperation({
    name: 'task.claim',
    summary: 'Take a task, or the first that is ready; the answer holds the token to report with',
    input: () => z.object({ task: z.optional(task), any: flag, ttl_ms, ...filter() }),
    positional: ['task'],
    decide: decideClaim,
    answer: (events) => events.find((event) => event.type === 'task.claimed')?.data,
  }),
  writeOperation({
    name: 'task.renew',
    summary: 'Keep a claim for longer',
    input: () => z.object({ task, token, ttl_ms }),
    positional: ['task'],
    decide: decideRenew,
  }),
  writeOperation({
    name: 'task.release',
    summary: 'Give a claim back, so that somebody else can take the task',
    input: () => z.object({ task, token }),
    positional: ['task'],
    decide: decideRelease,
  }),
  writeOperation({
    name: 'task.start',
    summary: 'Say that work on a claimed task has begun',
    input: () => z.object({ task, token }),
    positional: ['task'],
    decide: decideStart,
  }),
  writeOperation({
    name: 'task.submit',
    summary: 'Hand a task in for review; the claim ends',
    input: () => z.object({ task, token }),
    positional: ['task'],
    decide: decideSubmit,
  }),
  writeOperation({
    name: 'task.done',
    summary: 'Complete a task; what waited for it may go on',
    input: () => z.object({ task, token, effort: z.optional(spent), artifacts: z._default(list, []) }),
    positional: ['task'],
    decide: decideDone,
  }),
  writeOperation({
    name: 'task.fail',
    summary: 'Say that work on a task failed; it waits for a retry',
    input: () => z.object({ task, token, reason: z._default(reason, 'failed') }),
    positional: ['task'],
    decide: decideFail,
  }),
  writeOperation({
    name: 'task.block',
    summary: 'Keep a task from being worked on',
    input: () => z.object({ task, token, reason: z._default(reason, 'blocked by a person') }),
    positional: ['task'],
    decide: decideBlock,
  }),
  writeOperation({
    name: 'task.unblock',
    summary: 'Let a blocked task be claimed again',
    input: () => z.object({ task, token }),
    positional: ['task'],
    decide: decideUnblock,
  }),
  writeOperation({
    name: 'task.retry',
    summary: 'Let a task be claimed again that failed, was cancelled or did not pass its review',
    input: () => z.object({ task, token }),
    positional: ['task'],
    decide: decideRetry,
  }),
  writeOperation({
    name: 'task.cancel',
    summary: 'Give a task up; what waits for it goes on waiting',
    input: () => z.object({ task, token, reason: z.optional(reason) }),
    positional: ['task'],
    decide: decideCancel,
  }),
  writeOperation({
    name: 'task.archive',
    summary:
      'Take completed and cancelled tasks out of the state, but for those of open epics and sprints; the log keeps them',
    input: () => z.object({ older_ms: z._default(z.int().check(z.minimum(0)), DAY_MS) }),
    decide: decideArchive,
  }),
  readOperation({
    name: 'task.ready',
    summary: 'What can be claimed, by priority, then age',
    input: () => z.object({ limit: z._default(z.int().check(z.positive()), READY_SHOWN), ...filter() }),
    read: (state, { limit, ...asked }, { now }) => {
      const seen = tasksAt(state, now)
      return readyTasks(seen, limit, asked).map((each) => taskRow(seen, each))
    },
  }),
  readOperation({
    name: 'task.list',
    summary: 'The tasks of a session, by priority, then age',
    input: () => z.object({ status: z.optional(status), assignee: z.optional(word), ...filter() }),
    read: (state, asked, { now }) => taskRows(tasksAt(state, now), asked),
  }),
  readOperation({
    name: 'task.show',
    summary: 'Everything about a task',
    input: () => z.object({ task }),
    positional: ['task'],
    read: (state, { task: asked }, { now }) => {
      const seen = tasksAt(state, now)
      return showTask(seen, found(seen, asked))
    },
  }),
  readOperation({
    name: 'task.why',
    summary: 'What holds a task up, through the whole chain',
    input: () => z.object({ task }),
    positional: ['task'],
    read: (state, { task: asked }, { now }) => {
      const seen = tasksAt(state, now)
      return explain(seen, found(seen, asked))
    },
  }),
  readOperation({
    name: 'task.graph',
    summary: 'The tasks and what they wait for, as a graph',
    input: () => z.object({ format: z._default(z.enum(['text', 'mermaid', 'dot']), 'text'), all: flag }),
    positional: ['format'],
    read: (state, { format, all }, { now }) => graphText(tasksAt(state, now), format, all),
  }),
]
