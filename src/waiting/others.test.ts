/* A turn, and a message, that come while somebody waits for them. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel, type OpenSession } from '../compose.ts'
import { receiveMessages } from './inbox.ts'
import { waitForTurn } from './turn.ts'

let session: OpenSession
beforeEach(async () => {
  session = await makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'one' })
})
afterEach(() => session.close())

const why = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => error,
  )

describe('a turn', () => {
  beforeEach(async () => {
    await session.channel.create({ channel: 'room' })
    await session.turn.join({ channel: 'room', agent: 'a' })
    await session.turn.join({ channel: 'room', agent: 'b' })
    await session.turn.start({ channel: 'room' })
  })

  test('is there when the one before has ended', async () => {
    const first = await waitForTurn(session, { agent: 'a' })
    const waits = waitForTurn(session, { agent: 'b', channel: 'room' })
    await session.turn.end({ channel: 'room', agent: 'a', token: first.token })
    const next = await waits
    expect(next).toMatchObject({ channel: 'room' })
    expect(next.token).toBeGreaterThan(first.token)
  })

  test('of somebody else is waited for no longer than asked, and not by who sits nowhere', async () => {
    expect(await why(waitForTurn(session, { agent: 'b', wait_ms: 120 }))).toMatchObject({ code: 'WAIT_TIMEOUT' })
    expect(await why(waitForTurn(session, { agent: 'nobody' }))).toMatchObject({ code: 'NOT_FOUND' })
  })

  test('is waited for until a signal, or the closing of the session, ends that', async () => {
    const stop = new AbortController()
    const waits = why(waitForTurn(session, { agent: 'b', signal: stop.signal }))
    stop.abort(new Error('enough'))
    expect(await waits).toMatchObject({ message: 'enough' })
    const waiting = why(waitForTurn(session, { agent: 'b' }))
    await session.close()
    expect(await waiting).toMatchObject({ code: 'CLOSED' })
  })
})

describe('a message', () => {
  const by = { actor: 'agent:b' }

  test('is taken when it comes, and is another’s no more', async () => {
    const waits = receiveMessages(session, by)
    await session.message.send({ to: ['b'], payload: 'hello' }, { actor: 'agent:a' })
    const [message] = await waits
    expect(message).toMatchObject({ from: 'a', payload: 'hello', agent: 'b', attempt: 1 })
    expect(await why(receiveMessages(session, { agent: 'b', wait_ms: 120 }))).toMatchObject({ code: 'WAIT_TIMEOUT' })
  })

  test('that was not acknowledged comes again when its lease is over, by time alone', async () => {
    await session.message.send({ to: ['b'], payload: 1 }, { actor: 'agent:a' })
    await receiveMessages(session, { ...by, lease_ms: 1000 })
    expect(await receiveMessages(session, by)).toMatchObject([{ attempt: 2 }])
  })

  test('is waited for until the session is closed', async () => {
    const waiting = why(receiveMessages(session, by))
    await session.close()
    expect(await waiting).toMatchObject({ code: 'CLOSED' })
  })
})

test.each([
  ['waitForTurn', () => waitForTurn(session, {} as never), 'agent missing'],
  ['waitForTurn', () => waitForTurn(session, { agent: 'a', timeout: 5 } as never), 'there is no option "timeout"'],
  ['receiveMessages', () => receiveMessages(session, { max: '2' } as never), 'max must be'],
  ['receiveMessages', () => receiveMessages(session, { lease_ms: 0.5 }), 'lease_ms'],
])('%s says what is wrong', async (_, call, said) => {
  expect(await why(call())).toMatchObject({ code: 'INPUT_INVALID', message: expect.stringContaining(said) })
})
