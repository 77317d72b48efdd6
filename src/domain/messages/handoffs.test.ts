import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'
import type { Handoff, HandoffStatus } from './events.ts'
import type { Received } from './operations.ts'

async function begin() {
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host: fixedHost() }
  return makeWorkspace(kernel).createSession({ name: 'test' })
}

const by = (name: string) => ({ actor: `agent:${name}` })
const handoff = (session: Session, id: string) =>
  session.get(`$.communication.handoffs['${id}']`) as Handoff | undefined

async function offer(session: Session): Promise<string> {
  const input = { to: 'b', task_id: 'T-1', artifacts: ['draft.md'], work_completed: 'half', next_steps: 'the rest' }
  const answer = await session.run('handoff.create', input, by('a'))
  // The answer of handoff.create is the offer.
  return answer.kind === 'accepted' ? (answer.value as Handoff).id : ''
}

type Place = HandoffStatus | 'absent'
type Command = 'accept' | 'complete' | 'reject'

const arrive: Record<Place, (session: Session) => Promise<string>> = {
  absent: () => Promise.resolve('no-such'),
  pending: offer,
  acknowledged: async (session) => {
    const id = await offer(session)
    await session.run('handoff.accept', { id }, by('b'))
    return id
  },
  completed: async (session) => {
    const id = await arrive.acknowledged(session)
    await session.run('handoff.complete', { id, artifacts: ['final.md'], notes: 'done' }, by('b'))
    return id
  },
  rejected: async (session) => {
    const id = await offer(session)
    await session.run('handoff.reject', { id, reason: 'not mine' }, by('b'))
    return id
  },
}

const same = 'nothing to do'
const table: Record<Place, Record<Command, string>> = {
  absent: { accept: 'NOT_FOUND', complete: 'NOT_FOUND', reject: 'NOT_FOUND' },
  pending: { accept: 'acknowledged', complete: 'HANDOFF_STATUS_INVALID', reject: 'rejected' },
  acknowledged: { accept: same, complete: 'completed', reject: 'rejected' },
  completed: { accept: 'HANDOFF_STATUS_INVALID', complete: same, reject: 'HANDOFF_STATUS_INVALID' },
  rejected: { accept: 'HANDOFF_STATUS_INVALID', complete: 'HANDOFF_STATUS_INVALID', reject: same },
}

describe('H1 every status meets every command', () => {
  for (const [place, cells] of Object.entries(table)) {
    for (const [command, then] of Object.entries(cells)) {
      test(`${place}: ${command} → ${then}`, async () => {
        const session = await begin()
        // Keys of a total record are its key types.
        const id = await arrive[place as Place](session)
        const before = session.seq
        const why = command === 'reject' ? { reason: 'no' } : {}
        const answer = await session.run(`handoff.${command}`, { id, ...why }, by('b'))
        if (answer.kind === 'refused') return expect(answer.code).toBe(then)
        if (then === same) return expect(session.seq).toBe(before)
        expect(handoff(session, id)?.status).toBe(then)
      })
    }
  }
})

describe('H2 only who it is for moves it, or somebody who is no agent', () => {
  test.each([
    ['agent:a', 'LEASE_HELD'],
    ['agent:bb', 'LEASE_HELD'],
    ['agent:b', undefined],
    ['human:ana', undefined],
    ['tool:script', undefined],
  ])('%s → %s', async (actor, code) => {
    const session = await begin()
    const answer = await session.run('handoff.accept', { id: await offer(session) }, { actor })
    expect(answer.kind === 'refused' ? answer.code : undefined).toBe(code)
  })
})

test('H3 both are told by messages, with artifacts and context kept', async () => {
  const session = await begin()
  const id = await arrive.completed(session)
  const told = async (name: string) => {
    const answer = await session.run('message.receive', { max: 9 }, by(name))
    // The answer of message.receive.
    return answer.kind === 'accepted' ? (answer.value as readonly Received[]) : []
  }
  expect(await told('b')).toMatchObject([{ type: 'handoff', from: 'a', correlation_id: id }])
  expect(await told('a')).toMatchObject([{ type: 'handoff', from: 'b', payload: { status: 'completed' } }])
  expect(handoff(session, id)).toMatchObject({
    from_agent: 'a',
    to_agent: 'b',
    artifacts: ['draft.md'],
    context: { work_completed: 'half', next_steps: 'the rest', notes: '' },
    result: { artifacts: ['final.md'], notes: 'done' },
  })
})

test('H1 nobody hands work to itself', async () => {
  const session = await begin()
  const answer = await session.run('handoff.create', { to: 'agent:a', task_id: 'T' }, by('a'))
  expect(answer).toMatchObject({ code: 'INPUT_INVALID' })
})
