import { dangling, placeOf, type References } from '../../kernel/state/references.ts'
import { organizationOf } from './organization.ts'

/** Teams that projects name. Members are roles as long as nobody has registered under them. */
export const references: References = (root) => {
  const { teams = {}, projects = {} } = organizationOf(root) ?? {}
  return Object.values(projects).flatMap(({ id, teams_assigned }) =>
    teams_assigned
      .filter((team) => !Object.hasOwn(teams, team))
      .map((team) => dangling(placeOf('$.organization.projects', id, 'teams_assigned'), `team ${team}`)),
  )
}
