/* Locks and waits of those who are lost. */
import { heldBefore, type Freed, type Lost, type Sweep, type Sweeper } from '../../kernel/care/recovery.ts'
import type { LockEvent, LockRecord } from './events.ts'
import { grants, locksOf } from './locks.ts'

/** K7 of locks.ts: broken because the holder is gone; the next in the queue gets its turn in the same commit. */
export const locksSweeper: Sweeper = {
  release: (root, lost, sweep) =>
    Object.values(locksOf(root)?.resources ?? {}).flatMap((record) => freed(record, lost, sweep)),
}

function freed(record: LockRecord, lost: Lost, { now, seq, actor: by }: Sweep): readonly Freed[] {
  const { resource, holders, queue } = record
  const isLost = (holder: string, since: number) => heldBefore(lost, actorOf(holder), since)
  const broken = holders.filter(({ holder, token }) => isLost(holder, token))
  const left = queue.filter(({ holder, ticket }) => isLost(holder, ticket))
  if (broken.length + left.length === 0) return []
  const rest = {
    resource,
    holders: holders.filter((hold) => !broken.includes(hold)),
    queue: queue.filter((waiter) => !left.includes(waiter)),
  }
  const events: readonly LockEvent[] = [
    ...broken.map(({ holder, token }): LockEvent => ({
      type: 'lock.broken',
      data: { resource, holder, token, cause: 'holder-gone', by, note: lost.get(actorOf(holder))?.cause ?? null },
    })),
    ...left.map(({ holder }): LockEvent => ({
      type: 'lock.wait-ended',
      data: { resource, holder, cause: 'withdrawn' },
    })),
    ...grants(rest, now, seq),
  ]
  return [
    {
      kind: 'release',
      what: `lock ${resource} (${said(broken.length > 0 ? broken : left, broken.length > 0)})`,
      events,
    },
  ]
}

const said = (those: readonly { readonly holder: string }[], held: boolean): string =>
  `${held ? 'held' : 'wanted'} by ${[...new Set(those.map(({ holder }) => actorOf(holder).replace(/^agent:/, '')))].join(', ')}`

/** Actors have no spaces; an activity stands behind one. */
const actorOf = (holder: string): string => holder.split(' ', 1)[0] ?? ''
