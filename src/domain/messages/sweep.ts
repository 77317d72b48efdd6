/* Inbox leases of those who are lost, and dead letters that nobody came for. */
import { heldBefore, type Freed, type Lost, type Sweeper } from '../../kernel/care/recovery.ts'
import type { Tree } from '../../kernel/state/module.ts'
import type { Delivery, MessageEvent } from './events.ts'
import { afterFailure, messageOf, messagesOf } from './messages.ts'

export const messagesSweeper: Sweeper = { release: freeLeases, tidy: dropDead }

/** M4 of messages.ts, before the lease is over. */
function freeLeases(root: Readonly<Tree>, lost: Lost): readonly Freed[] {
  const slice = messagesOf(root)
  return Object.entries(slice?.inboxes ?? {}).flatMap(([agent, { deliveries }]) => {
    const leased = Object.entries(deliveries).filter(
      ([, { lease }]) => lease !== null && heldBefore(lost, lease.by, lease.token),
    )
    if (leased.length === 0) return []
    const events = leased.flatMap(([id, { lease, attempts }]): readonly MessageEvent[] => [
      { type: 'message.lease-ended', data: { id, agent, token: lease?.token ?? 0 } },
      ...afterFailure({ id, agent }, attempts, messageOf(slice, id)?.max_deliveries ?? 1),
    ])
    return [{ kind: 'return', what: `${many(leased.length, 'message')} (leased by ${holders(leased)})`, events }]
  })
}

const holders = (leased: readonly (readonly [string, Delivery])[]): string =>
  [...new Set(leased.map(([, { lease }]) => (lease?.by ?? '').replace(/^agent:/, '')))].join(', ')

function dropDead(root: Readonly<Tree>, before: number): readonly Freed[] {
  const inboxes = Object.entries(messagesOf(root)?.inboxes ?? {})
  const events = inboxes.flatMap(([agent, { dead }]) =>
    Object.entries(dead)
      .filter(([, { at }]) => Date.parse(at) <= before)
      .map(([id]): MessageEvent => ({ type: 'message.dropped', data: { id, agent } })),
  )
  return events.length === 0 ? [] : [{ kind: 'drop', what: many(events.length, 'dead letter'), events }]
}

const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
