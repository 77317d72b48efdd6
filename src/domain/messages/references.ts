import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { dangling, missingAgent, placeOf, type Dangling, type References } from '../../kernel/state/references.ts'
import type { TasksSlice } from '../tasks/events.ts'
import { handoffsOf } from './handoffs.ts'
import { messageOf, messagesOf } from './messages.ts'

/** Letters without a text, inboxes of agents that are not there, and handoffs that nobody can take up. */
export const references: References = (root) => {
  const slice = messagesOf(root)
  const inboxes = Object.entries(slice?.inboxes ?? {}).flatMap(([agent, { deliveries, dead, open }]) => {
    const place = placeOf('$.communication.messages.inboxes', agent)
    const gone = open === 0 ? undefined : missingAgent(root, agent)
    return [
      ...[...Object.keys(deliveries), ...Object.keys(dead)]
        .filter((id) => messageOf(slice, id) === undefined)
        .map((id) => dangling(place, `message ${id}`)),
      ...(gone === undefined ? [] : [dangling(place, `agent ${gone}`, `nobody reads what is open in it (${open})`)]),
    ]
  })
  return [...inboxes, ...handoffs(root)]
}

function handoffs(root: Readonly<Tree>): readonly Dangling[] {
  const tasks = sliceOf<TasksSlice>(root, 'execution.tasks')
  const open = Object.values(handoffsOf(root) ?? {}).filter(({ finished_at }) => finished_at === null)
  return open.flatMap(({ id, to_agent, task_id }) => {
    const place = placeOf('$.communication.handoffs', id)
    const gone = missingAgent(root, to_agent)
    return [
      ...(gone === undefined ? [] : [dangling(`${place}.to_agent`, `agent ${gone}`)]),
      ...(tasks === undefined || Object.hasOwn(tasks, task_id)
        ? []
        : [dangling(`${place}.task_id`, `task ${task_id}`)]),
    ]
  })
}
