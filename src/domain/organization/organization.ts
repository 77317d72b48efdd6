/*
 * Who works together on what, and within which limits.
 *
 *   project: active ⇄ suspended, both ──complete──► completed (for good)
 *
 * O1. An agent is in a team once; joining again replaces what is known of it there.
 * O2. A project names only teams that exist: a team that is removed leaves its projects in the same commit.
 * O3. A completed project changes no more.
 * O4. A limit that was never set does not limit.
 */
import type { Edit } from '../../kernel/state/edit.ts'
import { defineModule, sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { OrganizationEvent, OrganizationSlice, Project, Team } from './events.ts'

export const organizationModule = defineModule<OrganizationSlice, OrganizationEvent>({
  slice: 'organization',
  initial: () => ({ teams: {}, projects: {}, global_settings: {} }),
  evolve: {
    'team.added': (slice, { id, team }, edit) => edit.set(slice.teams, id, edit.own(team)),
    'team.changed': (slice, { id, settings, ...changes }, edit) =>
      changeTeam(slice, id, edit, (team) => ({
        ...edit.own(changes),
        ...(settings === undefined ? {} : { settings: { ...team.settings, ...settings } }),
      })),
    'team.removed': (slice, { id }, edit) => removeTeam(slice, id, edit),
    'team.joined': (slice, { id, member }, edit) =>
      changeTeam(slice, id, edit, (team) => ({
        members: [...team.members.filter(({ agent_id }) => agent_id !== member.agent_id), edit.own(member)],
      })),
    'team.left': (slice, { id, agent_id }, edit) =>
      changeTeam(slice, id, edit, ({ members }) => ({ members: members.filter((each) => each.agent_id !== agent_id) })),
    'project.added': (slice, { project }, edit) => edit.set(slice.projects, project.id, edit.own(project)),
    'project.changed': (slice, { id, main_branch, current_branch, ...changes }, edit) =>
      changeProject(slice, id, edit, ({ repository }) => ({
        ...edit.own(changes),
        repository: {
          ...repository,
          ...(main_branch === undefined ? {} : { main_branch }),
          ...(current_branch === undefined ? {} : { current_branch }),
        },
      })),
    'project.status-changed': (slice, { id, to }, edit) => changeProject(slice, id, edit, () => ({ status: to })),
    'project.worktree-set': (slice, { id, name, folder }, edit) =>
      changeProject(slice, id, edit, ({ repository }) => {
        const { [name]: _before, ...others } = repository.worktrees
        return { repository: { ...repository, worktrees: folder === null ? others : { ...others, [name]: folder } } }
      }),
    'budget.set': (slice, { settings }, edit) => {
      for (const [name, limit] of Object.entries(settings)) edit.set(asContainer(slice.global_settings), name, limit)
    },
  },
})

export const organizationOf = (root: Readonly<Tree>): OrganizationSlice | undefined =>
  sliceOf<OrganizationSlice>(root, 'organization')

export function teamOf(root: Readonly<Tree>, id: string): Team | undefined {
  const teams = organizationOf(root)?.teams ?? {}
  return Object.hasOwn(teams, id) ? teams[id] : undefined
}

export function projectOf(root: Readonly<Tree>, id: string): Project | undefined {
  const projects = organizationOf(root)?.projects ?? {}
  return Object.hasOwn(projects, id) ? projects[id] : undefined
}

function changeTeam(slice: OrganizationSlice, id: string, edit: Edit, change: (team: Team) => Partial<Team>): void {
  const team = Object.hasOwn(slice.teams, id) ? slice.teams[id] : undefined
  if (team !== undefined) edit.set(slice.teams, id, { ...team, ...change(team) })
}

function changeProject(
  slice: OrganizationSlice,
  id: string,
  edit: Edit,
  change: (project: Project) => Partial<Project>,
): void {
  const project = Object.hasOwn(slice.projects, id) ? slice.projects[id] : undefined
  if (project !== undefined) edit.set(slice.projects, id, { ...project, ...change(project) })
}

/** O2 */
function removeTeam(slice: OrganizationSlice, id: string, edit: Edit): void {
  edit.remove(slice.teams, id)
  for (const project of Object.values(slice.projects)) {
    if (!project.teams_assigned.includes(id)) continue
    changeProject(slice, project.id, edit, () => ({
      teams_assigned: project.teams_assigned.filter((team) => team !== id),
    }))
  }
}

function asContainer(settings: object): Record<string, unknown> {
  // Plain JSON; its interface only names the members.
  return settings as Record<string, unknown>
}
