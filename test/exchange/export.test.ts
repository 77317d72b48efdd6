/* Sessions in the forms of others. */
import { expect, test } from 'vitest'
import { cloudEvents, eventLines } from '../../src/domain/exports/events.ts'
import { markdownReport } from '../../src/domain/exports/markdown.ts'
import { detect } from '../../src/domain/imports/registry.ts'
import type { Task } from '../../src/domain/tasks/events.ts'
import type { Commit } from '../../src/kernel/log/commit.ts'
import type { Session } from '../../src/kernel/session.ts'
import { lived } from '../session-state/lived.ts'
import { text } from './files.ts'
import { imported, planOf, workspace } from './taken.ts'

const around = { updated_at: '2026-03-01T01:02:03.000Z', seq: 9, hash: 'f'.repeat(64) }

async function commits(): Promise<{ readonly id: string; readonly all: readonly Commit[] }> {
  const session = await lived()
  const all: Commit[] = []
  for await (const commit of session.commits()) all.push(commit)
  return { id: session.id, all }
}

test('CloudEvents have what version 1.0 requires, ids of their own, and stand in order', async () => {
  const { id, all } = await commits()
  const events = all.flatMap((commit) => cloudEvents(commit, id)) as readonly Record<string, unknown>[]
  expect(events.length).toBe(all.reduce((sum, commit) => sum + commit.events.length, 0))
  expect(new Set(events.map((event) => event['id'])).size).toBe(events.length)
  const order = events.map((event) => String(event['sequence']))
  expect(order.toSorted()).toEqual(order)
  for (const event of events) {
    expect(event).toMatchObject({ specversion: '1.0', source: `urn:steadfold:session:${id}` })
    const attributes = Object.keys(event)
    expect(attributes.filter((name) => !/^[a-z0-9]{1,20}$/.test(name))).toEqual([])
    expect(attributes.filter((name) => event[name] === null && name !== 'data')).toEqual([])
    expect(String(event['type'])).toMatch(/^steadfold\.[a-z-]+\.[a-z-]+$/)
    expect(String(event['subject'])).not.toBe('')
  }
})

test('event lines are an event log that the import knows, with the same tasks', async () => {
  const { id, all } = await commits()
  const lines = all.flatMap((commit) => eventLines(commit, id)).map((event) => JSON.stringify(event))
  const { plans } = detect([text('session-x.jsonl', lines.join('\n'))])
  expect(plans).toMatchObject([{ kind: 'event-lines' }])
  const added = all.flatMap(({ events }) => events).filter(({ type }) => type === 'task.added')
  expect(plans[0]?.rows.find(({ what }) => what === 'tasks')?.count).toBe(added.length)
})

test('tasks come back from event lines as they stand, and what they wait for with them', async () => {
  const session = await workspace().createSession({ name: 'told' })
  for (const title of ['a', 'b', 'c']) await session.run('task.add', { title })
  const before = [
    ['task.block', { task: 'task-1', reason: 'no key' }],
    ['task.unblock', { task: 'task-1' }],
    ['task.cancel', { task: 'task-2' }],
    ['task.retry', { task: 'task-2' }],
    ['task.claim', { task: 'task-3' }],
    ['task.start', { task: 'task-3' }],
    ['task.submit', { task: 'task-3' }],
    ['task.update', { task: 'task-1', title: 'A', priority: 'high' }],
    ['task.add', { title: 'd', needs: ['task-1'] }],
    ['task.add', { title: 'e', needs: ['task-1', 'task-2'] }],
    ['dependency.remove', { from: 'task-1', to: 'task-5' }],
  ] as const
  for (const [op, input] of before) expect([op, (await session.run(op, input)).kind]).toEqual([op, 'accepted'])
  const lines: string[] = []
  for await (const commit of session.commits())
    lines.push(...eventLines(commit, session.id).map((event) => JSON.stringify(event)))
  const { session: back } = await imported(planOf(text('told.jsonl', lines.join('\n'))))
  const stands = (of: Session) =>
    // Of the module of tasks.
    Object.values(of.get('$.execution.tasks') as Readonly<Record<string, Task>>).map(
      ({ title, priority, status, dependencies }) => ({ title, priority, status, dependencies }),
    )
  expect(stands(back)).toEqual(stands(session))
})

test('the report names the goal, open and done work, and what went wrong', async () => {
  const session = await lived()
  const report = markdownReport(session.stored, around)
  expect(report).toMatch(/^## /)
  for (const part of ['### Open', '- [ ] ', '| Status | ', '`ffffffffffff`']) expect(report).toContain(part)
})

test('what agents wrote is text in the report, never markup', async () => {
  const title = '<img src=x> [click](http://x) `code` | cell\n# heading @everyone **loud**'
  const task = { id: 'task-1', title, status: 'pending', assignee: null, block: null }
  const report = markdownReport(
    { session: { name: title, goal: title }, execution: { tasks: { 'task-1': task } } },
    around,
  )
  expect(report).not.toMatch(/(?<!\\)(?:<img|\[click|`code|\*\*loud)|\n# heading|@everyone|cell\n/)
  expect(report).toContain('\\| cell')
})
