import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import { glance } from './inbox.ts'

const NOTIFICATION = JSON.stringify({ session_id: 's-1', hook_event_name: 'Notification', message: 'may I run rm?' })

async function found(after: readonly (readonly [name: string, input: object])[], ms = 0) {
  const { session, host } = await begin()
  for (const [name, input] of after) expect(await session.run(name, input), name).toMatchObject({ kind: 'accepted' })
  const { id, seq, updatedAt: updated_at } = session
  const state = await session.stateAt()
  const plan = {
    session: id,
    name: 'test',
    holder: 'x',
    token: null,
    cause: 'crashed',
    evidence: ['pid 7 not running'],
  } as const
  const more = { last_seen: updated_at, rebuild: { checkpoint: null, commits: 1 }, lost: [], release: [], return: [] }
  const lost = { ...plan, ...more, runs: ['claude:r-1'], resume: [], then: '' }
  return glance({ id, seq, updated_at, state, damaged: false, lost }, host.now() + ms).needs
}

test('an agent that waits for an answer is an ASK, until it was left behind', async () => {
  const asked = [['activity.record', { agent: 'claude', payload: NOTIFICATION }]] as const
  expect(await found(asked)).toMatchObject([{ kind: 'ASK', what: 'claude s-1', why: 'may I run rm?' }])
  expect(await found(asked, 13 * 3_600_000)).toEqual([])
})

test('a run whose watcher is gone is LOST, with the evidence and the command', async () => {
  const launched = [['activity.launch', { agent: 'claude', run: 'r-1', cwd: '/work', assigned: true }]] as const
  expect(await found(launched)).toMatchObject([
    { kind: 'LOST', what: 'claude r-1', why: 'pid 7 not running', next: 'steadfold recover test' },
  ])
})
