/* What a refusal tells somebody to type: names that people and agents choose stand in it as a shell takes them back. */
import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import type { Session } from '../../src/kernel/session.ts'
import { quoted } from '../../src/kernel/text/shell-word.ts'

const NAME = `it's$(x)`
const AGENT = `agent:${NAME}`

type Line = readonly [operation: string, input: object, actor?: string]

const begun = async (): Promise<Session> =>
  makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: NAME })

const channel: readonly Line[] = [
  ['channel.create', { channel: NAME }],
  ['turn.join', { channel: NAME, agent: NAME }],
  ['turn.join', { channel: NAME, agent: 'b' }],
  ['turn.start', { channel: NAME, agent: NAME }],
]
const gated: readonly Line[] = [['session.configure', { gated: ['lock.break'] }]]
const breaking: Line = ['lock.break', { resource: 'db', cause: 'deadlock' }, AGENT]

test.each<[refused: Line, before: readonly Line[]]>([
  [['state.set', { path: '$.data.a', value: 1 }], [['session.suspend', {}]]],
  [['state.set', { path: '$.data.a', value: 1 }], [['session.end', {}]]],
  [
    ['session.mark', { name: NAME }],
    [
      ['session.mark', { name: NAME }],
      ['session.extend', { hours: 1 }],
    ],
  ],
  [breaking, gated],
  [breaking, [...gated, ['consent.ask', { operation: 'lock.break' }, AGENT]]],
  [['turn.end', { channel: NAME }], []],
  [['channel.create', { channel: NAME }], channel],
  [['channel.remove', { channel: NAME }], channel],
  [['channel.set', { channel: NAME, mode: 'direct' }], channel],
  [['turn.start', { channel: NAME }], channel],
  [['turn.take', { channel: NAME, agent: 'c' }], channel],
  [['turn.say', { channel: NAME, text: '' }], channel],
  [['turn.say', { channel: NAME, text: 'x' }, 'agent:b'], channel],
  [['turn.say', { channel: NAME, text: 'x', token: 1 }, AGENT], channel],
  [
    ['turn.say', { channel: NAME, text: 'x' }, AGENT],
    [...channel, ['turn.pause', { channel: NAME }]],
  ],
  [['turn.leave', { channel: NAME, agent: NAME }, 'agent:b'], channel],
  [['turn.join', { channel: NAME, agent: 'b' }], [['channel.create', { channel: NAME, roles: ['dev'] }]]],
])('%j: the name of a session, a mark, a channel or an agent is one word of the hint', async (refused, before) => {
  const session = await begun()
  for (const line of before) expect(await run(session, line)).toMatchObject({ kind: 'accepted' })
  const answer = await run(session, refused)
  const hint = answer.kind === 'refused' ? (answer.hint ?? '') : ''
  const rest = [NAME, AGENT].reduce((text, name) => text.replaceAll(quoted(name), ''), hint)
  expect([rest === hint, rest.includes(NAME)], hint).toEqual([false, false])
})

test.each<[said: string, refused: Line, before: readonly Line[]]>([
  ['cannot complete task "task-1", which is pending; ', ['task.done', { task: 'task-1' }], []],
  ['cannot submit task "task-1", which is pending; ', ['task.submit', { task: 'task-1' }], []],
  [
    'cannot add a dependency to task "task-1", which is cancelled; ',
    ['dependency.add', { from: 'task-2', to: 'task-1' }],
    [['task.cancel', { task: 'task-1' }]],
  ],
])('%s is a sentence', async (said, refused, before) => {
  const session = await begun()
  const tasks: readonly Line[] = ['one', 'two'].map((title) => ['task.add', { title }])
  for (const line of [...tasks, ...before]) expect(await run(session, line)).toMatchObject({ kind: 'accepted' })
  expect(await run(session, refused)).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining(said) as unknown,
  })
})

const run = (session: Session, [operation, input, actor = 'human:ana']: Line) =>
  session.run(operation, input, { actor })
