/* Who goes when somebody goes: A3 and A4 of agents.ts. */
import { keysUpTo } from '../../kernel/state/heap.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { TaskEvent, TaskIndex } from '../tasks/events.ts'
import type { AgentEvent, AgentsSlice, GoneCause } from './events.ts'

type Returned = Extract<TaskEvent, { readonly type: 'task.returned' }>
export type Ending = AgentEvent | Returned

interface Cause {
  readonly cause: GoneCause
  readonly reason: string | null
}

/** A1: everybody whose lease was over before `now`, and who stands below them. */
export function ending(root: Readonly<Tree>, slice: AgentsSlice, now: number): readonly Ending[] {
  const seen = new Set<string>()
  return keysUpTo(slice.leases, now - 1).flatMap((id) => {
    const stopped = slice.active[id]?.status === 'terminating'
    return removals(root, id, { cause: stopped ? 'stopped' : 'timeout', reason: 'its lease is over' }, seen)
  })
}

/** Removes an agent and, as orphans, all who stand below it. `seen` are those that go already. */
export function removals(
  root: Readonly<Tree>,
  id: string,
  why: Cause,
  seen: Set<string> = new Set(),
): readonly Ending[] {
  const active = sliceOf<AgentsSlice>(root, 'execution.agents')?.active ?? {}
  const events: Ending[] = []
  const open: { readonly id: string; readonly why: Cause }[] = [{ id, why }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const agent = Object.hasOwn(active, next.id) ? active[next.id] : undefined
    if (agent === undefined || seen.has(next.id)) continue
    seen.add(next.id)
    const { token, current_task: task, context } = agent
    const parent = context.parent_agent
    events.push({ type: 'agent.removed', data: { id: next.id, token, ...next.why, parent, task } })
    events.push(...returns(root, next.id, next.why))
    const orphaned: Cause = { cause: 'orphaned', reason: `its parent ${next.id} is gone` }
    open.push(...context.child_agents.map((child) => ({ id: child, why: orphaned })))
  }
  return events
}

/** A4: the claims that an agent held end with it, and their tasks wait for another. */
export function returns(root: Readonly<Tree>, id: string, { cause }: Cause): readonly Returned[] {
  return Object.entries(claimsOf(root, id)).map(([task, token]) => ({
    type: 'task.returned',
    data: { id: task, token, cause: `agent ${id}: ${cause}` },
  }))
}

/** Tokens of the tasks that an agent holds. */
export function claimsOf(root: Readonly<Tree>, id: string): Readonly<Record<string, number>> {
  const held = sliceOf<TaskIndex>(root, 'execution.task_index')?.held ?? {}
  const holder = `agent:${id}`
  return (Object.hasOwn(held, holder) ? held[holder] : undefined) ?? {}
}

/** The agents that stand below one, the nearest first; without it. */
export function below(slice: AgentsSlice, id: string): readonly string[] {
  // A set is walked in the order in which it grows, also while it does.
  const found = new Set([id])
  for (const each of found) {
    const agent = Object.hasOwn(slice.active, each) ? slice.active[each] : undefined
    for (const child of agent?.context.child_agents ?? []) if (Object.hasOwn(slice.active, child)) found.add(child)
  }
  return [...found].slice(1)
}
