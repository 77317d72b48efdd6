import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'
import type { Handoff, HandoffStatus, Received } from './events.ts'

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

test('H5 a task that the session does not have is not offered; what is kept elsewhere has names of its own', async () => {
  const session = await begin()
  const offered = (task_id: string) => session.run('handoff.create', { to: 'b', task_id }, by('a'))
  const missing = { code: 'NOT_FOUND', message: 'no task "task-9999"', hint: 'steadfold task list' }
  expect(await offered('task-9999')).toMatchObject(missing)
  expect(await offered('T-12')).toMatchObject({ kind: 'accepted' })
  await session.run('task.add', { title: 'one' })
  expect(await offered('task-1')).toMatchObject({ kind: 'accepted' })
  expect(await offered('task-9999')).toMatchObject(missing)
  expect(await offered('T-12')).toMatchObject({ kind: 'accepted' })
})

describe('H4 K13 accepting takes the claim over', () => {
  const TASK = 'task-1'
  const run = async (session: Session, operation: string, input: object, name: string) => {
    const answer = await session.run(operation, input, by(name))
    return answer.kind === 'refused' ? answer.code : answer.events.map(({ type }) => type).join(' ')
  }
  const claimed = async (holder = 'a') => {
    const session = await begin()
    await session.run('task.add', { title: 'one', id: TASK })
    await session.run('task.claim', { task: TASK }, by(holder))
    const offered = await session.run('handoff.create', { to: 'b', task_id: TASK }, by('a'))
    // The answer of handoff.create is the offer.
    return { session, id: offered.kind === 'accepted' ? (offered.value as Handoff).id : '' }
  }
  const task = (session: Session) =>
    session.get(`$.execution.tasks['${TASK}']`) as {
      readonly token: number
      readonly status: string
      readonly claim: { readonly holder: string }
    }

  test.each(['assigned', 'in_progress'])('of a task that is %s, with a token that grows', async (status) => {
    const { session, id } = await claimed()
    if (status === 'in_progress') await session.run('task.start', { task: TASK }, by('a'))
    const { token } = task(session)
    const answer = await session.run('handoff.accept', { id }, by('b'))
    expect(answer).toMatchObject({ value: { id: TASK, holder: 'agent:b', token: session.seq } })
    expect(task(session)).toMatchObject({ status: 'assigned', token: session.seq, claim: { holder: 'agent:b' } })
    expect(await run(session, 'task.done', { task: TASK, token }, 'a')).toBe('LEASE_LOST')
    expect(await run(session, 'task.renew', { task: TASK }, 'a')).toBe('LEASE_HELD')
    expect(await run(session, 'task.start', { task: TASK }, 'b')).toBe('task.started')
    expect(await run(session, 'handoff.accept', { id }, 'b')).toBe('')
  })

  test("and who rejects it after that holds nothing: the task is anybody's, the giver's, too", async () => {
    const { session, id } = await claimed()
    await session.run('handoff.accept', { id }, by('b'))
    const { token } = task(session)
    const rejected = await run(session, 'handoff.reject', { id, reason: 'no access' }, 'b')
    expect(rejected).toBe('handoff.rejected message.sent task.returned')
    expect(task(session)).toMatchObject({ status: 'pending', claim: null })
    expect(await run(session, 'task.claim', { task: TASK }, 'a')).toBe('task.claimed')
    expect(await run(session, 'task.done', { task: TASK, token }, 'b')).toBe('LEASE_LOST')
  })

  test('rejecting what was only offered takes nothing from who has the task', async () => {
    const { session, id } = await claimed('b')
    expect(await run(session, 'handoff.reject', { id, reason: 'mine already' }, 'b')).toBe(
      'handoff.rejected message.sent',
    )
    expect(task(session).claim.holder).toBe('agent:b')
  })

  test('also when a person accepts in its place', async () => {
    const { session, id } = await claimed()
    await session.run('handoff.accept', { id }, { actor: 'human:ana' })
    expect(task(session).claim.holder).toBe('agent:b')
  })

  test('but not from one who did not offer it, nor of what is no task or waits for anybody', async () => {
    const { session, id } = await claimed('c')
    expect(await run(session, 'handoff.accept', { id }, 'b')).toBe('handoff.acknowledged')
    expect(task(session).claim.holder).toBe('agent:c')
    expect(await run(session, 'handoff.accept', { id: await offer(session) }, 'b')).toBe('handoff.acknowledged')
    const free = await claimed()
    await free.session.run('task.release', { task: TASK }, by('a'))
    expect(await run(free.session, 'handoff.accept', { id: free.id }, 'b')).toBe('handoff.acknowledged')
    expect(task(free.session).status).toBe('pending')
  })

  test('K9 within what the session prefers: who passes its only task on makes room', async () => {
    const { session, id } = await claimed()
    await session.run('session.configure', { max_parallel_agents: 1 })
    expect(await run(session, 'handoff.accept', { id }, 'b')).toBe('handoff.acknowledged task.returned task.claimed')
    const second = await claimed()
    await second.session.run('task.add', { title: 'two', id: 'task-2' })
    await second.session.run('task.claim', { task: 'task-2' }, by('a'))
    await second.session.run('session.configure', { max_parallel_agents: 1 })
    expect(await run(second.session, 'handoff.accept', { id: second.id }, 'b')).toBe('LIMIT_REACHED')
    expect(handoff(second.session, second.id)?.status).toBe('pending')
  })
})
