import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { dangling, missingAgent, placeOf, type Dangling, type References } from '../../kernel/state/references.ts'
import type { OrganizationSlice } from '../organization/events.ts'
import type { PlansSlice } from '../plans/events.ts'
import { findCircles, nodesOf } from './dependency.ts'
import type { Task } from './events.ts'
import { indexOf, taskOf, tasksOf } from './tasks.ts'

/** What tasks wait for, who holds them and what they are for; and circles, which imported data may hold (K5 of tasks.ts). */
export const references: References = (root) => [
  ...Object.values(tasksOf(root)).flatMap((task) => [...neighbours(root, task), ...plans(root, task)]),
  ...findCircles(root).map((links) => {
    const [first = '', ...rest] = nodesOf(links)
    return dangling(
      placeOf('$.execution.tasks', first, 'dependencies'),
      `task ${rest.join(' → ')}`,
      'a circle: none of them is ever ready; steadfold dependency cycles',
    )
  }),
  ...stale(root),
]

function neighbours(root: Readonly<Tree>, { id, dependencies, blocking, claim }: Task): readonly Dangling[] {
  const place = placeOf('$.execution.tasks', id)
  const outside = indexOf(root)?.outside ?? {}
  const isThere = (node: string) => taskOf(tasksOf(root), node) !== undefined || Object.hasOwn(outside, node)
  const gone = missingAgent(root, claim?.holder)
  return [
    ...dependencies.filter((node) => !isThere(node)).map((node) => dangling(`${place}.dependencies`, named(node))),
    ...blocking.filter((node) => !isThere(node)).map((node) => dangling(`${place}.blocking`, named(node))),
    ...(gone === undefined ? [] : [dangling(`${place}.claim.holder`, `agent ${gone}`)]),
  ]
}

const named = (node: string): string => (node.includes(':') ? node : `task ${node}`)

function plans(root: Readonly<Tree>, { id, context }: Task): readonly Dangling[] {
  const known = sliceOf<PlansSlice>(root, 'execution.workflows')
  const projects = sliceOf<OrganizationSlice>(root, 'organization')?.projects
  const place = placeOf('$.execution.tasks', id, 'context')
  const { epic_id: epic, sprint_id: sprint, project_id: project } = context
  const sprints = new Set([
    ...(known?.active_sprints ?? []).map((each) => each.id),
    ...Object.keys(known?.past_sprints ?? {}),
  ])
  return [
    ...(epic === null || Object.hasOwn(known?.epics ?? {}, epic) ? [] : [dangling(`${place}.epic_id`, `epic ${epic}`)]),
    ...(sprint === null || sprints.has(sprint) ? [] : [dangling(`${place}.sprint_id`, `sprint ${sprint}`)]),
    // Projects need not be written down to be named.
    ...(project === null || projects === undefined || Object.hasOwn(projects, project)
      ? []
      : [dangling(`${place}.project_id`, `project ${project}`)]),
  ]
}

/** K8 of tasks.ts. */
function stale(root: Readonly<Tree>): readonly Dangling[] {
  const index = indexOf(root)
  const held = Object.values(index?.held ?? {}).flatMap((tasks) => Object.keys(tasks))
  const listed = [...Object.keys(index?.leases.places ?? {}), ...Object.keys(index?.edges ?? {}), ...held]
  return [...new Set(listed)]
    .filter((id) => taskOf(tasksOf(root), id) === undefined)
    .map((id) => dangling('$.execution.task_index', `task ${id}`))
}
