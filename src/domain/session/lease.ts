/* S2 of session.ts: who may act as the holder of a session's lease. */
import { refuse, type Refusal } from '../../kernel/decision.ts'
import type { Tree } from '../../kernel/state/module.ts'
import type { Lease } from './events.ts'
import { leaseExpired, sessionOf } from './session.ts'

export function heldByOther(state: Readonly<Tree>, now: number): Refusal | undefined {
  const lease = sessionOf(state)?.lease ?? null
  if (lease === null || leaseExpired(lease, now)) return undefined
  return refuse(
    'LEASE_HELD',
    `session is held by ${describe(lease)} for ${Math.ceil((lease.expires - now) / 1000)} s more`,
    {
      hint: 'wait, or if it died: steadfold recover',
      details: { holder: lease.holder, token: lease.token, expires: lease.expires },
    },
  )
}

export function lost(state: Readonly<Tree>, token: number): Refusal | undefined {
  const lease = sessionOf(state)?.lease ?? null
  if (lease?.token === token) return undefined
  return refuse(
    'LEASE_LOST',
    `lease ${token} is over: ${lease === null ? 'nobody holds the session' : `${describe(lease)} holds it`}`,
    {
      hint: 'stop writing as its holder; take the lease again',
    },
  )
}

const describe = (lease: Lease): string =>
  `${lease.holder}${lease.process === null ? '' : ` (pid ${lease.process.pid} on ${lease.process.host})`}`
