import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'

test('M6 a dead letter whose time is over is kept, and does not come again', async () => {
  const { host, session } = await begin()
  await session.run('message.send', { to: ['a'], payload: 'hello', ttl_ms: 2000, max_deliveries: 1 })
  const received = await session.run('message.receive', { agent: 'a' })
  const [{ id, token }] = received.kind === 'accepted' ? (received.value as [{ id: string; token: number }]) : [{}]
  await session.run('message.return', { id, token, agent: 'a' })
  host.advance(1999)
  expect(await session.run('message.revive', { id, agent: 'a' }, { dryRun: true })).toMatchObject({ kind: 'accepted' })
  host.advance(1)
  expect(await session.run('message.revive', { id, agent: 'a' })).toMatchObject({
    code: 'LIFECYCLE_INVALID',
    message: expect.stringContaining('over since') as unknown,
    hint: expect.stringContaining(`steadfold message drop ${id} a`) as unknown,
  })
  await session.run('session.tick', {})
  expect(await session.run('message.list', {})).toMatchObject({ value: [{ id, status: 'dead', payload: 'hello' }] })
  expect(await session.run('message.drop', { id, agent: 'a' })).toMatchObject({ kind: 'accepted' })
})
