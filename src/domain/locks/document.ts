/* `communication.coordination.locks`: what is held now, one entry a resource. */
import type { View } from '../../kernel/document/view.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { locksOf } from './locks.ts'

export const lockView: View = { derive: (state, { now }) => lockDocument(state, now) }

function lockDocument(state: Readonly<Tree>, now: number) {
  const records = Object.values(locksOf(state)?.resources ?? {})
  return Object.fromEntries(
    records.flatMap(({ resource, holders, queue }) => {
      const held = holders.filter(({ expires }) => expires > now)
      const [first] = held
      if (first === undefined) return []
      const lock = {
        resource,
        locked_by: first.holder,
        locked_at: first.locked_at,
        expires_at: new Date(first.expires).toISOString(),
        lock_type: first.mode,
        ...(first.reason === null ? {} : { reason: first.reason }),
        holders: held.map(({ holder, locked_at, expires, token }) => ({
          locked_by: holder,
          locked_at,
          expires_at: new Date(expires).toISOString(),
          token,
        })),
        waiting: queue.filter(({ until }) => until > now).length,
      }
      return [[resource, lock]]
    }),
  )
}
