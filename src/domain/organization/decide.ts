/* What may happen to teams and projects: one function an operation, O1–O4 of organization.ts. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Tree } from '../../kernel/state/module.ts'
import type { Budget, Member, OrganizationEvent, Project, ProjectStatus, Team, TeamSettings } from './events.ts'
import { organizationOf, projectOf, teamOf } from './organization.ts'

type Decided = Accepted<OrganizationEvent> | Refusal
type State = Readonly<Tree>

export function decideAddTeam(state: State, id: string, team: Team): Decided {
  if (teamOf(state, id) !== undefined)
    return refuse('NAME_TAKEN', `team "${id}" exists`, { hint: `steadfold team set ${id} changes it` })
  return accept({ type: 'team.added', data: { id, team } })
}

interface TeamChange {
  readonly name?: string
  readonly orchestrator?: string
  readonly settings?: TeamSettings
}

export function decideChangeTeam(state: State, id: string, change: TeamChange): Decided {
  if (teamOf(state, id) === undefined) return noTeam(id)
  return Object.keys(change).length === 0 ? accept() : accept({ type: 'team.changed', data: { id, ...change } })
}

export function decideRemoveTeam(state: State, id: string): Decided {
  return teamOf(state, id) === undefined ? noTeam(id) : accept({ type: 'team.removed', data: { id } })
}

/** O1 */
export function decideJoin(state: State, id: string, member: Member): Decided {
  const team = teamOf(state, id)
  if (team === undefined) return noTeam(id)
  const before = team.members.find(({ agent_id }) => agent_id === member.agent_id)
  if (before !== undefined && same(before, member)) return accept()
  return accept({ type: 'team.joined', data: { id, member } })
}

export function decideLeave(state: State, id: string, agent: string): Decided {
  const team = teamOf(state, id)
  if (team === undefined) return noTeam(id)
  if (team.members.every(({ agent_id }) => agent_id !== agent))
    return refuse('NOT_FOUND', `"${agent}" is not in team "${id}"`, { hint: `steadfold team show ${id}` })
  return accept({ type: 'team.left', data: { id, agent_id: agent } })
}

export function decideAddProject(state: State, project: Project): Decided {
  if (projectOf(state, project.id) !== undefined)
    return refuse('NAME_TAKEN', `project "${project.id}" exists`, {
      hint: `steadfold project set ${project.id} changes it`,
    })
  return unknownTeam(state, project.teams_assigned) ?? accept({ type: 'project.added', data: { project } })
}

interface ProjectChange {
  readonly name?: string
  readonly teams_assigned?: readonly string[]
  readonly main_branch?: string
  readonly current_branch?: string
}

export function decideChangeProject(state: State, id: string, change: ProjectChange): Decided {
  const refusal = notOpen(state, id) ?? unknownTeam(state, change.teams_assigned ?? [])
  if (refusal !== undefined) return refusal
  return Object.keys(change).length === 0 ? accept() : accept({ type: 'project.changed', data: { id, ...change } })
}

/** Where a project may go from each status. */
const MOVES: Readonly<Record<ProjectStatus, readonly ProjectStatus[]>> = {
  active: ['suspended', 'completed'],
  suspended: ['active', 'completed'],
  completed: [],
}
const VERB: Readonly<Record<ProjectStatus, string>> = { active: 'resume', suspended: 'suspend', completed: 'complete' }

export function decideProjectStatus(state: State, id: string, to: ProjectStatus): Decided {
  const project = projectOf(state, id)
  if (project === undefined) return noProject(id)
  const { status } = project
  if (status === to) return accept()
  const moves = MOVES[status]
  if (moves.includes(to)) return accept({ type: 'project.status-changed', data: { id, from: status, to } })
  return refuse('PROJECT_STATUS_INVALID', `project "${id}" is ${status}: it cannot become ${to}`, {
    hint:
      moves.length === 0 ? `steadfold project add begins another` : `steadfold project ${VERB[moves[0] ?? to]} ${id}`,
    details: { allowed: moves },
  })
}

export function decideWorktree(state: State, id: string, name: string, folder: string | null): Decided {
  const refusal = notOpen(state, id)
  if (refusal !== undefined) return refusal
  const worktrees = projectOf(state, id)?.repository.worktrees ?? {}
  const before = Object.hasOwn(worktrees, name) ? worktrees[name] : null
  return before === folder ? accept() : accept({ type: 'project.worktree-set', data: { id, name, folder } })
}

export function decideBudget(state: State, settings: Budget): Decided {
  const before = { ...organizationOf(state)?.global_settings }
  return same({ ...before, ...settings }, before) ? accept() : accept({ type: 'budget.set', data: { settings } })
}

/** O3 */
function notOpen(state: State, id: string): Refusal | undefined {
  const project = projectOf(state, id)
  if (project === undefined) return noProject(id)
  if (project.status !== 'completed') return undefined
  return refuse('PROJECT_STATUS_INVALID', `project "${id}" is completed: it changes no more`, {
    hint: 'steadfold project add begins another',
    details: { allowed: [] },
  })
}

/** O2 */
function unknownTeam(state: State, teams: readonly string[]): Refusal | undefined {
  const unknown = teams.find((team) => teamOf(state, team) === undefined)
  return unknown === undefined ? undefined : noTeam(unknown)
}

const noTeam = (id: string): Refusal => refuse('NOT_FOUND', `no team "${id}"`, { hint: 'steadfold team list' })
const noProject = (id: string): Refusal => refuse('NOT_FOUND', `no project "${id}"`, { hint: 'steadfold project list' })

/** Members in the same order, as this module's own schemas make them. */
const same = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b)
