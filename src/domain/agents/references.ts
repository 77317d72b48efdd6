import { sliceOf } from '../../kernel/state/module.ts'
import { dangling, placeOf, type References } from '../../kernel/state/references.ts'
import type { TasksSlice } from '../tasks/events.ts'
import { agentIn, agentsOf } from './agents.ts'

/** A3 and A6 of agents.ts: parents, children, what they work on, and the index of leases. */
export const references: References = (root) => {
  const slice = agentsOf(root)
  const tasks = sliceOf<TasksSlice>(root, 'execution.tasks')
  const has = (id: string) => agentIn(slice, id) !== undefined
  const own = Object.entries(slice?.active ?? {}).flatMap(([id, { context, current_task }]) => {
    const place = placeOf('$.execution.agents.active', id)
    const { parent_agent: parent, child_agents: children } = context
    return [
      ...(parent === null || has(parent)
        ? []
        : [dangling(`${place}.context.parent_agent`, `agent ${parent}`, 'its parent is gone')]),
      ...children
        .filter((child) => !has(child))
        .map((child) => dangling(`${place}.context.child_agents`, `agent ${child}`)),
      ...(current_task === null || tasks === undefined || Object.hasOwn(tasks, current_task)
        ? []
        : [dangling(`${place}.current_task`, `task ${current_task}`)]),
    ]
  })
  const leases = Object.keys(slice?.leases.places ?? {}).filter((id) => !has(id))
  return [...own, ...leases.map((id) => dangling('$.execution.agents.leases', `agent ${id}`))]
}
