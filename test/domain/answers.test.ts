import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { operations } from '../../src/compose/operations.ts'
import { lived } from '../session-state/lived.ts'

/** What those reads are asked that want to know what for. */
const ASKED: Readonly<Record<string, object>> = {
  'state.bulk': { paths: ['$.data', '$.execution.tasks', '$.*'] },
  'state.query': { query: '$.*' },
  'state.test': { query: '$.data' },
  'state.history': { path: '$.data' },
  'output.get': { name: 'plan.topic' },
  'step.show': { step: 'build' },
  'agent.show': { agent: 'a' },
  'team.show': { team: 'core' },
  'task.show': { task: 'task-1' },
  'task.why': { task: 'task-2' },
  'epic.show': { epic: 'epic-1' },
  'sprint.show': { sprint: 'sprint-1' },
  'turn.messages': { channel: 'room' },
  'workflow.detect-scope': { description: 'a small fix' },
  'activity.show': { agent: 'claude', run: 's-1' },
}

const asked = (await operations.all()).flatMap(({ name, kind, input }) => {
  const given = ASKED[name] ?? {}
  return kind === 'read' && z.safeParse(input, given).success ? [[name, given] as const] : []
})

test.each([...asked, ['supervise.show', { worker: 'docs' }] as const])(
  'nothing that %s answers, asked for %j, is part of the state, which goes on',
  async (name, input) => {
    const session = await lived()
    for (const options of [{}, { at: '@' }, { at: session.seq }]) {
      const answer = await session.run(name, input, options)
      expect(answer).toMatchObject({ kind: 'accepted' })
      const parts = objectsIn(session.stored)
      const shared = [...objectsIn('value' in answer ? answer.value : undefined)].filter((each) => parts.has(each))
      expect([options, shared.length]).toEqual([options, 0])
    }
  },
)

function objectsIn(value: unknown, found = new Set<unknown>()): Set<unknown> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found
  found.add(value)
  for (const each of Object.values(value)) objectsIn(each, found)
  return found
}
