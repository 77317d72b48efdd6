import type { Position } from '../../kernel/ports.ts'
import type { Session } from '../../kernel/session.ts'
import { isOver, type Desk } from './desk.ts'

interface Known<T> {
  readonly position: Position
  readonly value: T
}

type Remembering<T> = (desk: Desk, id: string, task: (session: Session) => Promise<T>) => Promise<T>

/**
 * What `task` tells of a session. One that has ended is not opened for it again while nothing is appended: there may be
 * many of them. `isLasting` says whether what was told does not change with time alone.
 */
export function remembering<T>(isLasting: (value: T) => boolean = () => true): Remembering<T> {
  const all = new WeakMap<Desk, Map<string, Known<T>>>()
  return async (desk, id, task) => {
    const known = all.get(desk) ?? new Map<string, Known<T>>()
    all.set(desk, known)
    const before = known.get(id)
    if (before !== undefined && (await desk.kernel.log.peek(id, before.position))?.length === 0) return before.value
    known.delete(id)
    return desk.use(id, async (session) => {
      const value = await task(session)
      if (isOver(session) && isLasting(value)) known.set(id, { position: session.position, value })
      return value
    })
  }
}
