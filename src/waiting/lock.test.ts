import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { remove } from '../../test/remove.ts'
import { until } from '../../test/until.ts'
import { openWorkspace, type OpenSession } from '../compose.ts'
import { holdLock, type HeldLock } from './lock.ts'
import type { LockRequest } from './queue.ts'

let dir = ''
/** Two programs on one session. */
let one: OpenSession
let other: OpenSession
let close: () => Promise<unknown>

beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'waiting-'))
  const settings = { checkpoints: false }
  const workspaces = [await openWorkspace({ dir, settings }), await openWorkspace({ dir, settings })] as const
  one = await workspaces[0].createSession({ name: 'one' })
  other = await workspaces[1].session('one')
  close = () => Promise.all(workspaces.map((each) => each.close()))
})
afterEach(async () => {
  await close()
  remove(dir)
})

const db = (more: Partial<LockRequest> = {}): LockRequest => ({ resource: 'db', ...more })

async function rows(session: OpenSession): Promise<readonly string[]> {
  const answer = await session.lock.list({})
  return answer.kind === 'accepted' ? answer.value.map(({ resource, status }) => `${resource} ${status}`) : []
}

const why = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => error,
  )

test('H3 of many that call at once, of one actor and of two programs, one holds it at a time, under a greater token each', async () => {
  const tokens: number[] = []
  let inside = 0
  const work = async (session: OpenSession) => {
    const lock = await holdLock(session, db())
    tokens.push(lock.token)
    expect(++inside).toBe(1)
    await sleep(2)
    inside--
    await lock.release()
  }
  await Promise.all(Array.from({ length: 24 }, (_, i) => work(i % 2 === 0 ? one : other)))
  expect(tokens).toHaveLength(24)
  expect(tokens).toEqual(tokens.toSorted((a, b) => a - b))
  expect(new Set(tokens).size).toBe(24)
})

test('who shares it shares it', async () => {
  const held = await Promise.all([one, other].map((session) => holdLock(session, db({ mode: 'shared' }))))
  expect(await rows(one)).toEqual(['db held', 'db held'])
  expect(held.map(({ lost }) => lost.aborted)).toEqual([false, false])
})

describe('H1', () => {
  test('it is renewed for longer than its time, and free when it is given back', async () => {
    const { token, release, lost } = await holdLock(one, db({ ttl_ms: 2000 }))
    await sleep(2500)
    expect(await other.lock.check({ resource: 'db', token })).toMatchObject({ kind: 'accepted' })
    await Promise.all([release(), release()])
    expect([await rows(other), lost.aborted]).toEqual([[], false])
  })

  test('a session that is closed gives it back', async () => {
    const { lost } = await holdLock(one, db())
    await one.close()
    expect([await rows(other), lost.aborted]).toEqual([[], true])
  })

  test('await using gives it back', async () => {
    {
      await using lock = await holdLock(one, db())
      expect(await rows(other)).toEqual(['db held'])
      expect(lock.lost.aborted).toBe(false)
    }
    expect(await rows(other)).toEqual([])
  })
})

test('H2 who holds it is told when it was broken, and gives back what it does not hold', async () => {
  const lock = await holdLock(one, db({ ttl_ms: 1000 }))
  await other.lock.break({ resource: 'db', cause: 'stuck' })
  const next = await holdLock(other, db())
  await until(() => lock.lost.aborted)
  expect(lock.lost.reason).toMatchObject({ code: 'LEASE_LOST' })
  await lock.release()
  expect(await rows(one)).toEqual(['db held'])
  expect(next.token).toBeGreaterThan(lock.token)
})

describe('who waits for what another holds', () => {
  let first: HeldLock
  beforeEach(async () => {
    first = await holdLock(one, db({ actor: 'agent:first' }))
  })
  /** As soon as it stands in the queue. */
  const queued = () => until(async () => (await rows(one)).includes('db waiting'))

  test('is told by whom, and has it when that gives it back', async () => {
    const said: (readonly string[])[] = []
    const second = holdLock(other, db({ onWait: (holders) => said.push(holders) }))
    await queued()
    await first.release()
    expect((await second).token).toBeGreaterThan(first.token)
    expect(said).toEqual([[first.holder]])
  })

  test('does not wait, or not for long', async () => {
    expect(await why(holdLock(other, db({ wait_ms: 0 })))).toMatchObject({ code: 'LEASE_HELD' })
    expect(await why(holdLock(other, db({ wait_ms: 150 })))).toMatchObject({ code: 'WAIT_TIMEOUT' })
    expect(await rows(one)).toEqual(['db held'])
  })

  test('is told at once that the session has ended, which another does', async () => {
    const second = why(holdLock(other, db({ wait_ms: 20_000 })))
    await queued()
    await one.run('session.end', {})
    expect(await second).toMatchObject({ code: 'SESSION_NOT_WRITABLE' })
  })

  test('is stopped by its signal, and stands in nobody’s way then', async () => {
    const stop = new AbortController()
    const second = why(holdLock(other, db({ signal: stop.signal })))
    await queued()
    stop.abort(new Error('enough'))
    expect(await second).toMatchObject({ message: 'enough' })
    expect(await rows(one)).toEqual(['db held'])
    expect(await why(holdLock(other, db({ signal: stop.signal })))).toMatchObject({ message: 'enough' })
  })

  test('is stopped by the closing of its session, which leaves the queue first', async () => {
    const second = why(holdLock(other, db()))
    await queued()
    await other.close()
    expect(await second).toMatchObject({ code: 'CLOSED' })
    expect(await rows(one)).toEqual(['db held'])
  })
})

describe('within', () => {
  test('the same lock is held already, and still is when the inner one is given back', async () => {
    const outer = await holdLock(one, db())
    const inner = await holdLock(one, db({ within: outer, wait_ms: 0 }))
    expect(inner.token).toBe(outer.token)
    await inner.release()
    expect(await rows(other)).toEqual(['db held'])
  })

  test('what is held already is renewed by its holder alone', async () => {
    const outer = await holdLock(one, db({ ttl_ms: 2000 }))
    const inner = await holdLock(one, db({ within: outer, ttl_ms: 1000 }))
    await sleep(500)
    expect([inner.lost.aborted, outer.lost.aborted]).toEqual([false, false])
    expect(await other.lock.check({ resource: 'db', token: outer.token })).toMatchObject({ kind: 'accepted' })
  })

  test('two that wait for each other are told', async () => {
    const [a, b] = [await holdLock(one, { resource: 'a' }), await holdLock(other, { resource: 'b' })]
    const waits = holdLock(one, { resource: 'b', within: a })
    await until(async () => (await rows(one)).includes('b waiting'))
    expect(await why(holdLock(other, { resource: 'a', within: b }))).toMatchObject({ code: 'DEADLOCK' })
    await b.release()
    await waits
  })
})

test.each([
  [undefined, 'the options must be an object'],
  [{}, 'resource missing'],
  [{ resource: 7 }, 'resource must be text'],
  [{ resource: 'db', mode: 'both' }, 'mode must be'],
  [{ resource: 'db', ttl_ms: 999 }, 'ttl_ms must be a whole number of milliseconds, 1000 or more'],
  [{ resource: 'db', wait_ms: -1 }, 'wait_ms must be'],
  [{ resource: 'db', within: 'outer' }, 'within must be a lock that is held'],
  [{ resource: 'db', signal: {} }, 'signal must be an AbortSignal'],
  [{ resource: 'db', waitMs: 5 }, 'there is no option "waitMs"'],
  [{ resource: '' }, 'resource'],
  [{ resource: 'db', ttl_ms: 1e12 }, 'ttl_ms'],
])('what is wrong with %j is told, and nothing is held', async (request, said) => {
  const error = await why(holdLock(one, request as unknown as LockRequest))
  expect(error).toMatchObject({ code: 'INPUT_INVALID', message: expect.stringContaining(said) })
  expect(await rows(one)).toEqual([])
})
