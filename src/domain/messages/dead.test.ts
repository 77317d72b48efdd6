import { expect, test } from 'vitest'
import { deadLetter } from '../../../test/domain/dead-letter.ts'

test('M6 a dead letter whose time is over is kept, and does not come again', async () => {
  const { host, session, id } = await deadLetter()
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
