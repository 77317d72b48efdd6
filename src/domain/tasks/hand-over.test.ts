import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { handOver } from './hand-over.ts'

const PASSING = { task: 'task-1', from: 'agent:a', to: 'agent:b' }

async function begin() {
  const host = fixedHost()
  const session = await makeWorkspace({ ...memoryKernel({ checkpoints: false }), host }).createSession({ name: 'test' })
  for (const id of ['task-1', 'task-2']) await session.run('task.add', { title: id, id })
  const run = (operation: string, input: object, actor = 'agent:a') => session.run(operation, input, { actor })
  const passed = () => {
    const context = { now: host.now(), seq: session.seq + 1 } as Context
    const answer = handOver(session.stored, PASSING, context)
    return 'kind' in answer ? answer.code : answer.map(({ type }) => type).join(' ')
  }
  return { session, run, passed }
}

type Step = readonly [verb: string, more?: object, actor?: string]

const moved = 'task.returned task.claimed'

describe('K13 a claim is passed on by who has it, in whatever status', () => {
  test.each<readonly [status: string, then: string, steps: readonly Step[]]>([
    ['pending', '', []],
    ['assigned', moved, [['claim']]],
    ['in progress', moved, [['claim'], ['start']]],
    ['in review', '', [['claim'], ['start'], ['submit']]],
    ['completed', '', [['claim'], ['done']]],
    ['blocked', '', [['claim'], ['block', { reason: 'later' }]]],
    ['cancelled', '', [['claim'], ['cancel']]],
    ['held by the taker', '', [['claim', {}, 'agent:b']]],
    ['held by a third', '', [['claim', {}, 'agent:c']]],
  ])('%s → "%s"', async (_status, then, steps) => {
    const { run, passed } = await begin()
    for (const [verb, more, actor] of steps) await run(`task.${verb}`, { task: 'task-1', ...more }, actor)
    expect(passed()).toBe(then)
  })

  test('K9 K12 within what is wanted of those who work', async () => {
    const { run, passed } = await begin()
    await run('session.configure', { max_parallel_agents: 1 }, 'human:ana')
    await run('task.claim', { task: 'task-1' })
    expect(passed()).toBe(moved)
    await run('task.claim', { task: 'task-2' })
    expect(passed()).toBe('LIMIT_REACHED')
  })
})
