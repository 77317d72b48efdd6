import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'
import type { Lifecycle } from './session.ts'

async function begin() {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  return { host, session: await makeWorkspace(kernel).createSession({ name: 'test' }) }
}

const arrive: Record<Exclude<Lifecycle, 'recovering'>, readonly string[]> = {
  active: [],
  suspended: ['session.suspend'],
  terminated: ['session.end'],
}
type Command = 'session.suspend' | 'session.resume' | 'session.end' | 'state.set'
const same = 'nothing to do'
const table: Record<keyof typeof arrive, Record<Command, string>> = {
  active: {
    'session.suspend': 'suspended',
    'session.resume': same,
    'session.end': 'terminated',
    'state.set': 'active',
  },
  suspended: {
    'session.suspend': same,
    'session.resume': 'active',
    'session.end': 'terminated',
    'state.set': 'SESSION_NOT_WRITABLE',
  },
  terminated: {
    'session.suspend': 'SESSION_NOT_WRITABLE',
    'session.resume': 'SESSION_NOT_WRITABLE',
    'session.end': 'SESSION_NOT_WRITABLE',
    'state.set': 'SESSION_NOT_WRITABLE',
  },
}

describe('S1 every state of life meets every command', () => {
  for (const [status, cells] of Object.entries(table)) {
    for (const [command, then] of Object.entries(cells)) {
      test(`${status}: ${command} → ${then}`, async () => {
        const { session } = await begin()
        for (const step of arrive[status as keyof typeof arrive]) await session.run(step)
        const before = session.seq
        const answer = await session.run(command, command === 'state.set' ? { path: '$.data.a', value: 1 } : {})
        if (answer.kind === 'refused') return expect(answer.code).toBe(then)
        if (then === same) return expect(session.seq).toBe(before)
        expect(session.get('$.session.lifecycle.status')).toBe(then)
      })
    }
  }
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
