import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'
import type { Lifecycle } from './events.ts'
import { MOVES } from './life.ts'

async function begin(hold = false) {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  return { host, session: await makeWorkspace(kernel).createSession({ name: 'test', hold }) }
}

type Place = Lifecycle
type Command =
  | 'session.activate'
  | 'session.suspend'
  | 'session.resume'
  | 'session.terminate'
  | 'session.extend'
  | 'session.end'
  | 'session.mark'
  | 'state.set'
  | 'task.claim'
  | 'agent.heartbeat'

const arrive: Record<Place, (session: Session) => Promise<unknown>> = {
  initializing: () => Promise.resolve(),
  active: () => Promise.resolve(),
  suspended: (session) => session.run('session.suspend'),
  recovering: async (session) => {
    const answer = await session.run('session.acquire')
    const { seq } = answer.kind === 'accepted' ? answer : { seq: 0 }
    await session.run('session.recover', { token: seq, cause: 'crashed', evidence: [], hold: true })
  },
  terminating: (session) => session.run('session.terminate'),
  terminated: (session) => session.run('session.end'),
}
const same = 'nothing to do'
const shut = 'SESSION_NOT_WRITABLE'
const not = 'LIFECYCLE_INVALID'
/** What became of it: a state of life, or a code. `NOT_FOUND` and `LEASE_LOST` come from behind the gate. */
const table: Record<Place, Record<Command, string>> = {
  initializing: cells(
    'active',
    not,
    not,
    'terminating',
    'initializing',
    'terminated',
    'initializing',
    'initializing',
    shut,
    'NOT_FOUND',
  ),
  active: cells(
    same,
    'suspended',
    same,
    'terminating',
    'active',
    'terminated',
    'active',
    'active',
    'NOT_FOUND',
    'NOT_FOUND',
  ),
  suspended: cells(shut, same, 'active', 'terminating', 'suspended', 'terminated', 'suspended', shut, shut, shut),
  recovering: cells(
    shut,
    shut,
    'active',
    'terminating',
    'recovering',
    'terminated',
    'recovering',
    shut,
    shut,
    'NOT_FOUND',
  ),
  terminating: cells(shut, shut, shut, same, 'active', 'terminated', 'terminating', shut, shut, 'NOT_FOUND'),
  terminated: cells(shut, shut, shut, shut, shut, shut, shut, shut, shut, shut),
}

function cells(
  ...[activate, suspend, resume, terminate, extend, end, mark, set, claim, beat]: readonly [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ]
): Record<Command, string> {
  return {
    'session.activate': activate,
    'session.suspend': suspend,
    'session.resume': resume,
    'session.terminate': terminate,
    'session.extend': extend,
    'session.end': end,
    'session.mark': mark,
    'state.set': set,
    'task.claim': claim,
    'agent.heartbeat': beat,
  }
}

const INPUT: Partial<Record<Command, object>> = {
  'session.extend': { hours: 8 },
  'session.mark': { name: 'here' },
  'state.set': { path: '$.data.a', value: 1 },
  'task.claim': { task: 'task-none' },
  'agent.heartbeat': { agent: 'nobody' },
}

describe('S1 every state of life meets every command', () => {
  for (const [status, row] of Object.entries(table)) {
    for (const [command, then] of Object.entries(row)) {
      test(`${status}: ${command} → ${then}`, async () => {
        const { session } = await begin(status === 'initializing')
        await arrive[status as Place](session)
        expect(session.get('$.session.lifecycle.status')).toBe(status)
        const before = session.seq
        const answer = await session.run(command, INPUT[command as Command] ?? {})
        if (answer.kind === 'refused') return expect(answer.code).toBe(then)
        if (then === same) return expect(session.seq).toBe(before)
        expect(session.get('$.session.lifecycle.status')).toBe(then)
      })
    }
  }

  test('only moves of the table are ever made, whatever is asked for in whatever order', async () => {
    const verbs = ['activate', 'suspend', 'resume', 'terminate', 'extend', 'end'].map((verb) => `session.${verb}`)
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(fc.constantFrom(...verbs), { maxLength: 12 }), async (hold, commands) => {
        const { session } = await begin(hold)
        for (const command of commands) {
          const from = session.get('$.session.lifecycle.status') as Lifecycle
          await session.run(command, command === 'session.extend' ? { hours: 1 } : {})
          const to = session.get('$.session.lifecycle.status') as Lifecycle
          const through = to === 'terminated' && MOVES[from].includes('terminating')
          expect(from === to || MOVES[from].includes(to) || through).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('leases', () => {
  const acquire = (session: Session, actor: string, ttl_ms = 1000) =>
    session.run('session.acquire', { ttl_ms }, { actor })

  test('S2 a held lease is refused to another, with who holds it', async () => {
    const { session } = await begin()
    expect(await acquire(session, 'agent:a')).toMatchObject({
      kind: 'accepted',
      value: { holder: 'agent:a', token: 2 },
    })
    expect(await acquire(session, 'agent:b')).toMatchObject({ kind: 'refused', code: 'LEASE_HELD' })
  })

  test('S3 an expired lease is free, and its old token is lost', async () => {
    const { host, session } = await begin()
    await acquire(session, 'agent:a')
    host.advance(1001)
    expect(await acquire(session, 'agent:b')).toMatchObject({ kind: 'accepted', value: { token: 3 } })
    expect(await session.run('session.renew', { token: 2 })).toMatchObject({ code: 'LEASE_LOST' })
    expect(await session.run('session.release', { token: 2 })).toMatchObject({ code: 'LEASE_LOST' })
  })

  test('S2 tokens only grow and one actor at a time holds, in any order of commands', async () => {
    const command = fc.oneof(
      fc.record({ kind: fc.constant('acquire' as const), actor: fc.constantFrom('agent:a', 'agent:b', 'agent:c') }),
      fc.record({ kind: fc.constant('release' as const), token: fc.nat({ max: 20 }) }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 1500 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 20 }), async (commands) => {
        const { host, session } = await begin()
        let last = 0
        let until = -1
        for (const each of commands) {
          if (each.kind === 'wait') host.advance(each.ms)
          else if (each.kind === 'release') {
            const answer = await session.run('session.release', { token: each.token })
            if (answer.kind === 'accepted') until = -1
          } else {
            const answer = await acquire(session, each.actor)
            expect(answer.kind === 'accepted').toBe(host.now() > until)
            if (answer.kind !== 'accepted') continue
            const { token, expires } = answer.value as { token: number; expires: number }
            expect(token).toBeGreaterThan(last)
            last = token
            until = expires
          }
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('marks and names', () => {
  test('a mark stands where it was set; another place under its name is refused', async () => {
    const { session } = await begin()
    await session.run('session.mark', { name: 'here' })
    expect(session.get('$.session.marks.here')).toBe(1)
    expect(await session.run('session.mark', { name: 'here', at: '2' })).toMatchObject({ code: 'MARK_TAKEN' })
    expect(await session.run('session.mark', { name: '12' })).toMatchObject({ code: 'NAME_INVALID' })
    expect(await session.run('session.mark', { name: '@x' })).toMatchObject({ kind: 'refused' })
  })

  test('a second session of the same name is refused', async () => {
    const workspace = makeWorkspace(memoryKernel())
    await workspace.createSession({ name: 'one' })
    await expect(workspace.createSession({ name: 'one' })).rejects.toMatchObject({ code: 'NAME_TAKEN' })
  })

  test('a session is found by name, by id and by the beginning of its id', async () => {
    const workspace = makeWorkspace(memoryKernel())
    const { id } = await workspace.createSession({ name: 'one' })
    for (const key of ['one', id, id.slice(0, 13)]) expect((await workspace.session(key)).id).toBe(id)
    await expect(workspace.session('two')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})
