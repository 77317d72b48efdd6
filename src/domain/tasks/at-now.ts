/* What is so at `now`, whether an operation has told it or not (K3). */
import { copyJson, replaying } from '../../kernel/state/edit.ts'
import { leastOf } from '../../kernel/state/heap.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { indexOf, taskOf, tasksModule, tasksOf } from './tasks.ts'

/**
 * The state with its tasks as the next operation would find them: those whose claim is over wait again. A copy where there
 * are any, else `root` itself; what time alone has done is no change, so `updated_at` stays.
 */
export function tasksAt(root: Readonly<Tree>, now: number): Readonly<Tree> {
  const index = indexOf(root)
  if (index === undefined || (leastOf(index.leases) ?? Infinity) >= now) return root
  const tasks = { ...tasksOf(root) }
  const { execution } = root
  // The module keeps both in `execution`.
  const seen = { ...root, execution: { ...(execution as Tree), tasks, task_index: copyJson(index) } }
  for (const { type, data } of tasksModule.expire?.(root, now, 0) ?? []) {
    // What `expire` tells is a task's own.
    const { id } = data as { readonly id: string }
    const at = taskOf(tasks, id)?.updated_at ?? ''
    tasksModule.evolve[type]?.(tasks, data, replaying, { seq: 0, at, actor: '', root: seen })
  }
  return seen
}
