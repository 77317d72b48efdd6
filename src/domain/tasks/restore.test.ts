import fc from 'fast-check'
import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import { expectIndexed } from '../../../test/domain/indexed.ts'
import type { Task } from './events.ts'

const LEASE = 60_000

const moves = fc.array(
  fc.oneof(
    fc.record({ op: fc.constant('task.add'), input: fc.constant({ title: 'x' }), actor: fc.constant('human:ana') }),
    fc.record({
      op: fc.constantFrom('task.claim', 'task.claim', 'task.renew', 'task.release', 'task.done', 'task.retry'),
      input: fc.record({ task: fc.constantFrom('task-1', 'task-2', 'task-3') }),
      actor: fc.constantFrom('agent:a', 'agent:b'),
    }),
    fc.record({
      op: fc.constant('agent.register'),
      input: fc.constant({ agent: 'a', type: 'coder', ttl_ms: LEASE / 2 }),
      actor: fc.constant('agent:a'),
    }),
    fc.record({ op: fc.constant('wait'), ms: fc.nat(2 * LEASE) }),
    fc.record({ op: fc.constant('back'), by: fc.nat(8) }),
  ),
  { minLength: 4, maxLength: 40, size: 'max' },
)

type Begun = Awaited<ReturnType<typeof begin>>
type Move = (typeof moves extends fc.Arbitrary<infer All> ? All : never)[number]

function make({ host, session }: Begun, move: Move) {
  if ('ms' in move) return host.advance(move.ms)
  if ('by' in move) return session.run('session.restore', { to: String(Math.max(1, session.seq - move.by)) })
  const input = move.op === 'task.claim' || move.op === 'task.renew' ? { ...move.input, ttl_ms: LEASE } : move.input
  return session.run(move.op, input, { actor: move.actor })
}

const claimsOf = ({ session }: Begun) =>
  Object.values((session.get('$.execution.tasks') ?? {}) as Record<string, Task>).flatMap(({ id, token, claim }) =>
    claim === null ? [] : [`${id} ${claim.holder} ${token ?? 0} until ${claim.expires}`],
  )

test('K1 K8 hold after restores, too, whatever time has ended and nobody has told', async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const begun = await begin()
      for (const move of all) {
        const before = claimsOf(begun)
        await make(begun, move)
        expectIndexed(begun.session)
        // R4 of session/restore.ts
        if (move.op === 'back') expect(before).toEqual(expect.arrayContaining(claimsOf(begun)))
      }
      begun.host.advance(3 * LEASE)
      await begun.session.run('session.tick', {})
      expect(claimsOf(begun)).toEqual([])
      expectIndexed(begun.session)
    }),
    { numRuns: 150 },
  )
})
