import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Answer } from '../../kernel/operation/answer.ts'
import type { Session } from '../../kernel/session.ts'
import type { Message, Received } from './events.ts'
import type { MessageRow } from './views.ts'

const ANA = { actor: 'human:ana' }
const BO = { actor: 'human:bo' }

function valueOf<T>(answer: Answer): T {
  if (answer.kind === 'refused') throw new Error(`${answer.code}: ${answer.message}`)
  // The operation's own answer.
  return answer.value as T
}

async function ask(session: Session, payload: string, priority = 'normal'): Promise<string> {
  const input = { to: ['human:ana'], payload, priority }
  return valueOf<Message>(await session.run('message.send', input, { actor: 'agent:b' })).id
}

const inbox = async (session: Session, agent: string): Promise<readonly MessageRow[]> =>
  valueOf(await session.run('message.list', { agent }))

test('M7 an answer goes to who asked, and settles what it answers, whatever comes before that', async () => {
  const { session } = await begin()
  const first = await ask(session, 'now?', 'high')
  const id = await ask(session, 'argon2 or bcrypt?', 'low')
  await session.run('message.answer', { id, payload: 'argon2' }, ANA)
  expect(await inbox(session, 'human:ana')).toMatchObject([{ id: first, status: 'ready', attempts: 0 }])
  expect(await inbox(session, 'b')).toMatchObject([
    { from: 'human:ana', type: 'answer', payload: 'argon2', correlation_id: id, priority: 'low' },
  ])
})

test('M7 it is answered once, and by nobody else while somebody has taken it', async () => {
  const { session } = await begin()
  const id = await ask(session, 'argon2 or bcrypt?')
  const [got] = valueOf<readonly Received[]>(await session.run('message.receive', {}, ANA))
  expect(got?.id).toBe(id)
  const input = { id, payload: 'argon2', agent: 'human:ana' }
  expect(await session.run('message.answer', input, BO)).toMatchObject({ code: 'LEASE_HELD' })
  expect(await session.run('message.answer', input, ANA)).toMatchObject({
    events: [{ type: 'message.acknowledged', data: { token: got?.token } }, { type: 'message.sent' }],
  })
  for (const who of [ANA, BO])
    expect(await session.run('message.answer', input, who)).toMatchObject({ code: 'NOT_FOUND' })
  expect(await inbox(session, 'b')).toHaveLength(1)
})

test('M7 nothing is no answer', async () => {
  const { session } = await begin()
  const id = await ask(session, 'argon2 or bcrypt?')
  for (const payload of [undefined, null, '', ' \n'])
    expect(await session.run('message.answer', { id, payload }, ANA)).toMatchObject({ code: 'INPUT_INVALID' })
})
