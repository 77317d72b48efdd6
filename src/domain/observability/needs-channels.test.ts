import { expect, test } from 'vitest'
import { begin } from '../../../test/turns/place.ts'
import type { Session } from '../../kernel/session.ts'
import { glance } from './inbox.ts'

async function needsOf(session: Session, now: number) {
  const { id, seq, updatedAt } = session
  const seen = { id, seq, updated_at: updatedAt, state: await session.stateAt(), damaged: false, lost: undefined }
  return glance(seen, now).needs.map(({ kind, what, next }) => ({ kind, what, next }))
}

test('I2 a channel that its guard stopped waits for a person until somebody lets it go on', async () => {
  const { session, done, say, host } = await begin({ max_turns: 2 }, 'pm', 'dev')
  await done('turn.start', { channel: 'room' })
  await say('pm', 'one TURN_COMPLETE')
  await say('dev', 'two TURN_COMPLETE')
  const name = String(session.get('$.session.name'))
  expect(await needsOf(session, host.now())).toEqual([
    { kind: 'STOPPED', what: 'channel room', next: `steadfold turn resume room --session ${name}` },
  ])
  await done('turn.resume', { channel: 'room' })
  expect(await needsOf(session, host.now())).toEqual([])
})
