import { expect, test } from 'vitest'
import { deadLetter } from '../../../test/domain/dead-letter.ts'
import { mailNeeds } from './needs-mail.ts'

test('I1 a dead letter is revived while its time lasts, and dropped behind that', async () => {
  const { host, session, id } = await deadLetter()
  const next = async () => {
    const seen = { ...SEEN, state: session.stored }
    const [need] = mailNeeds({ seen, name: 'test', now: host.now() })
    const [, verb = ''] = /^steadfold message (\w+) /.exec(need?.next ?? '') ?? []
    return [verb, (await session.run(`message.${verb}`, { id, agent: 'a' }, { dryRun: true })).kind]
  }
  expect(await next()).toEqual(['revive', 'accepted'])
  host.advance(2000)
  expect(await next()).toEqual(['drop', 'accepted'])
})

const SEEN = { id: 'x', seq: 1, updated_at: '2026-01-01T00:00:00.000Z', damaged: false, lost: undefined }
