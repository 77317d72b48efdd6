/*
 * A claim goes from who gave work away to who took it over, in one commit; who gives it back keeps none.
 *
 * K13. The claim of the giver is over and that of the taker begins, with a token of its own, so the giver's counts no more
 *      (K2). What session and team want of those who work holds for the taker, too (K9, K12). Given back, it is anybody's.
 */
import type { Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { LEASE_MS } from './decide.ts'
import type { TaskEvent } from './events.ts'
import { memberFull, noRoom } from './limits.ts'
import { indexOf, taskOf, tasksOf } from './tasks.ts'

export interface Passing {
  readonly task: string
  /** Actors. */
  readonly from: string
  readonly to: string
}

/** No events where the giver does not hold the task: there is nothing to pass on. */
export function handOver(
  root: Readonly<Tree>,
  { task: id, from, to }: Passing,
  { now, seq }: Context,
): Refusal | readonly TaskEvent[] {
  const task = taskOf(tasksOf(root), id)
  if (task === undefined || task.claim?.holder !== from) return []
  // Who passes on the only task it has makes room for the one that takes it.
  const makesRoom = Object.keys(indexOf(root)?.held[from] ?? {}).length === 1
  const busy = (makesRoom ? undefined : noRoom(root, to)) ?? memberFull(root, to)
  return (
    busy ?? [
      { type: 'task.returned', data: { id, token: task.token ?? 0, cause: 'handed-over' } },
      { type: 'task.claimed', data: { id, token: seq, holder: to, expires: now + LEASE_MS } },
    ]
  )
}

/** No events where the taker does not hold the task any more. */
export function handBack(
  root: Readonly<Tree>,
  { task: id, from }: Pick<Passing, 'task' | 'from'>,
): readonly TaskEvent[] {
  const task = taskOf(tasksOf(root), id)
  if (task === undefined || task.claim?.holder !== from) return []
  return [{ type: 'task.returned', data: { id, token: task.token ?? 0, cause: 'released' } }]
}
