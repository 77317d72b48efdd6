/* Claims of those who are lost, and tasks that are done with. */
import { heldBefore, saidOfLoss, type Freed, type Lost, type Sweeper } from '../../kernel/care/recovery.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { PlansSlice } from '../plans/events.ts'
import type { Task, TaskEvent } from './events.ts'
import { indexOf, tasksOf } from './tasks.ts'

export const tasksSweeper: Sweeper = { release: returnTasks, tidy: archiveDone }

/** K1 of tasks.ts: the claim is over, and its task waits for another. */
function returnTasks(root: Readonly<Tree>, lost: Lost): readonly Freed[] {
  const held = indexOf(root)?.held ?? {}
  return [...lost].flatMap(([actor, { cause }]) =>
    Object.entries((Object.hasOwn(held, actor) ? held[actor] : undefined) ?? {}).flatMap(([id, token]) => {
      if (!heldBefore(lost, actor, token)) return []
      const event: TaskEvent = { type: 'task.returned', data: { id, token, cause: saidOfLoss(actor, cause) } }
      const what = `task ${id} (claimed by ${actor.replace(/^agent:/, '')})`
      return [{ kind: 'return' as const, what, events: [event] }]
    }),
  )
}

/**
 * Done with before that moment; what was cancelled stays as long as something waits for it, and N5 of plans what the
 * progress of a plan is made of.
 */
export function doneBefore(root: Readonly<Tree>, before: number): readonly string[] {
  const plans = sliceOf<PlansSlice>(root, 'execution.workflows')
  return Object.values(tasksOf(root))
    .filter(({ status, blocking }) => status === 'completed' || (status === 'cancelled' && blocking.length === 0))
    .filter(({ updated_at }) => Date.parse(updated_at) <= before)
    .filter((task) => plans === undefined || !isOfOpen(plans, task))
    .map(({ id }) => id)
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'cancelled'])

/** Of an epic that has not ended, itself or by its sprint, or of such a sprint. */
function isOfOpen({ epics, active_sprints, past_sprints }: PlansSlice, { context }: Task): boolean {
  const { epic_id, sprint_id } = context
  if (active_sprints.some(({ id }) => id === sprint_id)) return true
  const past = sprint_id !== null && Object.hasOwn(past_sprints, sprint_id) ? past_sprints[sprint_id] : undefined
  const own = [epic_id, past?.epic_id].flatMap((id) => (id && Object.hasOwn(epics, id) ? (epics[id] ?? []) : []))
  return own.some(({ status }) => !ENDED.has(status))
}

function archiveDone(root: Readonly<Tree>, before: number): readonly Freed[] {
  const ids = doneBefore(root, before)
  if (ids.length === 0) return []
  const event: TaskEvent = { type: 'task.archived', data: { ids, counted: true } }
  return [{ kind: 'drop', what: `${ids.length} finished task${ids.length === 1 ? '' : 's'}`, events: [event] }]
}
