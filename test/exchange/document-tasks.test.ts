/* Who did the tasks of a session document. */
import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { detect } from '../../src/domain/imports/registry.ts'
import type { Detected, Source } from '../../src/kernel/exchange/import.ts'
import { carryOut } from '../../src/kernel/exchange/importing.ts'
import { json } from './files.ts'

const planOf = (source: Source): Detected => {
  const [plan] = detect([source]).plans
  if (plan === undefined) throw new Error('nobody knows it')
  return plan
}

const imported = (plan: Detected) =>
  carryOut(makeWorkspace(memoryKernel()), plan, {
    name: plan.group,
    bytes: plan.sources.map(({ text }) => Buffer.from(text)),
  })

test('K10 who did a task is known, and does not approve it', async () => {
  const task = { title: 'A', assignee: 'dev-1', context: { team: 'core' } }
  const tasks = {
    'task-a': { ...task, status: 'review' },
    'task-b': { ...task, status: 'completed' },
    'task-c': { ...task, status: 'pending' },
  }
  const teams = { core: { name: 'Core', orchestrator: 'lead', members: [], settings: { require_approval: true } } }
  const document = { session: {}, organization: { teams }, execution: { tasks }, communication: {} }
  const { session } = await imported(planOf(json('doc.json', document)))
  expect(await session.query('$.execution.tasks.*.assignee')).toEqual(['agent:dev-1', 'agent:dev-1', null])
  const asked = session.run('task.done', { task: 'task-a' }, { actor: 'agent:dev-1' })
  expect(await asked).toMatchObject({ kind: 'refused', code: 'NEEDS_PERSON' })
})
