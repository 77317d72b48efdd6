import { describe, expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Session } from '../../kernel/session.ts'
import type { Claimed, Task, TaskStatus } from './events.ts'

const ME = { actor: 'agent:me' }
const OTHER = { actor: 'agent:other' }

const taskOf = (session: Session, id = 'task-1') => session.get(`$.execution.tasks['${id}']`) as Task | undefined

async function claim(session: Session, id = 'task-1', options = ME): Promise<number> {
  const answer = await session.run('task.claim', { task: id }, options)
  return answer.kind === 'accepted' ? (answer.value as Claimed).token : 0
}

type Place = TaskStatus | 'absent' | 'failed'
type Command =
  | 'claim'
  | 'start'
  | 'renew'
  | 'release'
  | 'submit'
  | 'done'
  | 'fail'
  | 'block'
  | 'unblock'
  | 'retry'
  | 'cancel'

/** How a task gets into a status; the answer is the token of its last claim. */
const arrive: Record<Place, (session: Session) => Promise<number>> = {
  absent: () => Promise.resolve(1),
  pending: async (session) => {
    await session.run('task.add', { title: 'one' })
    return 1
  },
  assigned: async (session) => {
    await arrive.pending(session)
    return claim(session)
  },
  in_progress: (session) => after(session, 'assigned', 'start'),
  review: (session) => after(session, 'in_progress', 'submit'),
  completed: (session) => after(session, 'in_progress', 'done'),
  failed: (session) => after(session, 'in_progress', 'fail'),
  blocked: (session) => after(session, 'in_progress', 'block'),
  cancelled: (session) => after(session, 'in_progress', 'cancel'),
}

async function after(session: Session, place: Place, verb: Command): Promise<number> {
  const token = await arrive[place](session)
  expect(await session.run(`task.${verb}`, { task: 'task-1', token }, ME)).toMatchObject({ kind: 'accepted' })
  return token
}

const same = 'nothing to do'
const NO = 'TASK_STATUS_INVALID'
const LOST = 'LEASE_LOST'
const gone: Record<Command, string> = {
  claim: 'NOT_FOUND',
  start: 'NOT_FOUND',
  renew: 'NOT_FOUND',
  release: 'NOT_FOUND',
  submit: 'NOT_FOUND',
  done: 'NOT_FOUND',
  fail: 'NOT_FOUND',
  block: 'NOT_FOUND',
  unblock: 'NOT_FOUND',
  retry: 'NOT_FOUND',
  cancel: 'NOT_FOUND',
}

/** By somebody who is not the holder and gives no token. */
const byAnybody: Record<Place, Record<Command, string>> = {
  absent: gone,
  pending: {
    claim: 'assigned',
    start: NO,
    renew: NO,
    release: NO,
    submit: NO,
    done: NO,
    fail: NO,
    block: 'blocked',
    unblock: same,
    retry: same,
    cancel: 'cancelled',
  },
  assigned: {
    claim: 'LEASE_HELD',
    start: 'LEASE_HELD',
    renew: 'LEASE_HELD',
    release: 'LEASE_HELD',
    submit: NO,
    done: 'LEASE_HELD',
    fail: 'LEASE_HELD',
    block: 'blocked',
    unblock: NO,
    retry: NO,
    cancel: 'cancelled',
  },
  in_progress: {
    claim: 'LEASE_HELD',
    start: 'LEASE_HELD',
    renew: 'LEASE_HELD',
    release: 'LEASE_HELD',
    submit: 'LEASE_HELD',
    done: 'LEASE_HELD',
    fail: 'LEASE_HELD',
    block: 'blocked',
    unblock: NO,
    retry: NO,
    cancel: 'cancelled',
  },
  review: {
    claim: NO,
    start: NO,
    renew: NO,
    release: NO,
    submit: same,
    done: 'completed',
    fail: 'blocked',
    block: 'blocked',
    unblock: NO,
    retry: 'pending',
    cancel: 'cancelled',
  },
  completed: {
    claim: NO,
    start: NO,
    renew: NO,
    release: NO,
    submit: NO,
    done: same,
    fail: NO,
    block: NO,
    unblock: NO,
    retry: NO,
    cancel: NO,
  },
  blocked: {
    claim: NO,
    start: NO,
    renew: NO,
    release: NO,
    submit: NO,
    done: NO,
    fail: NO,
    block: same,
    unblock: 'pending',
    retry: NO,
    cancel: 'cancelled',
  },
  failed: {
    claim: NO,
    start: NO,
    renew: NO,
    release: NO,
    submit: NO,
    done: NO,
    fail: NO,
    block: same,
    unblock: NO,
    retry: 'pending',
    cancel: 'cancelled',
  },
  cancelled: {
    claim: NO,
    start: NO,
    renew: NO,
    release: NO,
    submit: NO,
    done: NO,
    fail: NO,
    block: NO,
    unblock: NO,
    retry: 'pending',
    cancel: same,
  },
}

/** What is different for the holder, who gives the token of the last claim. */
const byHolder: Record<Exclude<Place, 'absent' | 'pending'>, Partial<Record<Command, string>>> = {
  assigned: { start: 'in_progress', renew: 'assigned', release: 'pending', done: 'completed', fail: 'blocked' },
  in_progress: {
    start: same,
    renew: 'in_progress',
    release: 'pending',
    submit: 'review',
    done: 'completed',
    fail: 'blocked',
  },
  review: { start: LOST, renew: LOST, release: LOST },
  completed: { start: LOST, renew: LOST, release: LOST, submit: LOST, fail: LOST },
  blocked: { start: LOST, renew: LOST, release: LOST, submit: LOST, done: LOST, fail: LOST },
  failed: { start: LOST, renew: LOST, release: LOST, submit: LOST, done: LOST, fail: LOST },
  cancelled: { start: LOST, renew: LOST, release: LOST, submit: LOST, done: LOST, fail: LOST },
}

async function meets(place: Place, command: Command, then: string, who: 'anybody' | 'holder') {
  const { session } = await begin()
  const token = await arrive[place](session)
  const before = session.seq
  const input = { task: 'task-1', ...(who === 'holder' && command !== 'claim' ? { token } : {}) }
  const answer = await session.run(`task.${command}`, input, who === 'holder' ? ME : OTHER)
  if (answer.kind === 'refused') return expect(answer.code).toBe(then)
  if (then === same) return expect(session.seq).toBe(before)
  expect(taskOf(session)?.status).toBe(then)
}

describe('K2 every status meets every command', () => {
  for (const [place, cells] of Object.entries(byAnybody))
    for (const [command, then] of Object.entries(cells))
      // Keys of a total record are its key types.
      test(`${place}: ${command} by anybody → ${then}`, () =>
        meets(place as Place, command as Command, then, 'anybody'))

  for (const [place, cells] of Object.entries(byHolder))
    for (const [command, all] of Object.entries(byAnybody[place as Place])) {
      const then = cells[command as Command] ?? all
      test(`${place}: ${command} by its holder → ${then}`, () =>
        meets(place as Place, command as Command, then, 'holder'))
    }

  test.each(Object.keys(byAnybody.assigned).filter((command) => command !== 'claim'))(
    'a token of an earlier claim is refused: %s',
    async (command) => {
      const { session } = await begin()
      const token = await arrive.assigned(session)
      await session.run('task.release', { task: 'task-1', token }, ME)
      await claim(session, 'task-1', OTHER)
      expect(await session.run(`task.${command}`, { task: 'task-1', token }, ME)).toMatchObject({ code: LOST })
    },
  )
})
