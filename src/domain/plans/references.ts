import { sliceOf } from '../../kernel/state/module.ts'
import { dangling, placeOf, type References } from '../../kernel/state/references.ts'
import type { OrganizationSlice } from '../organization/events.ts'
import { epicOf, plansOf, sprintOf } from './plans.ts'

/** Epics and their sprints name each other; sprints name teams. */
export const references: References = (root) => {
  const slice = plansOf(root)
  const teams = sliceOf<OrganizationSlice>(root, 'organization')?.teams
  const epics = Object.entries(slice.epics).flatMap(([id, { sprints }]) =>
    sprints
      .filter((sprint) => sprintOf(slice, sprint) === undefined)
      .map((sprint) => dangling(placeOf('$.execution.workflows.epics', id, 'sprints'), `sprint ${sprint}`)),
  )
  const sprints = [...slice.active_sprints, ...Object.values(slice.past_sprints)].flatMap((sprint) => {
    const place = Object.hasOwn(slice.past_sprints, sprint.id)
      ? placeOf('$.execution.workflows.past_sprints', sprint.id)
      : placeOf('$.execution.workflows.active_sprints', slice.active_sprints.indexOf(sprint))
    const unknown = Object.keys(sprint.team_assignments).filter(
      (id) => teams !== undefined && !Object.hasOwn(teams, id),
    )
    return [
      ...(epicOf(slice, sprint.epic_id) === undefined ? [dangling(`${place}.epic_id`, `epic ${sprint.epic_id}`)] : []),
      ...unknown.map((team) => dangling(`${place}.team_assignments`, `team ${team}`)),
    ]
  })
  return [...epics, ...sprints]
}
