import * as z from 'zod/mini'
import { EngineError } from '../../kernel/error.ts'
import { given } from '../../kernel/json/members.ts'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import { isForbiddenKey } from '../../kernel/path/path.ts'
import {
  decideAddProject,
  decideAddTeam,
  decideBudget,
  decideChangeProject,
  decideChangeTeam,
  decideJoin,
  decideLeave,
  decideProjectStatus,
  decideRemoveTeam,
  decideWorktree,
} from './decide.ts'
import type { ProjectStatus } from './events.ts'
import { projectOf, teamOf } from './organization.ts'
import { budgetView, projectRows, teamRows } from './views.ts'

const storable = z.refine<string>((text) => !isForbiddenKey(text), 'is never stored')
const teamId = z
  .string()
  .check(z.maxLength(100), z.regex(/^[a-z][a-z0-9-]*$/, 'must be a-z, 0-9 and -, beginning with a letter'), storable)
const projectId = z.string().check(z.maxLength(100), z.regex(/^[a-z0-9-]+$/, 'must be a-z, 0-9 and -'), storable)
const label = z.string().check(z.minLength(1), z.maxLength(200))
const worktree = label.check(storable)
const amount = z.optional(z.int().check(z.nonnegative()))
const settings = {
  max_parallel: z.optional(z.int().check(z.positive())),
  require_approval: z.optional(z.boolean()),
  auto_scaling: z.optional(z.boolean()),
}
const teams = z.optional(z.array(teamId))

const project = () =>
  z.object({
    project: projectId,
    name: z.optional(label),
    teams,
    main_branch: z.optional(label),
    current_branch: z.optional(label),
  })

export const teamOperations = [
  writeOperation({
    name: 'team.add',
    summary: 'Add a team',
    input: () => z.object({ team: teamId, orchestrator: label, name: z.optional(label), ...settings }),
    positional: ['team'],
    decide: (state, { team: id, orchestrator, name, ...more }) =>
      decideAddTeam(state, id, { name: name ?? id, orchestrator, members: [], settings: given(more) }),
  }),
  writeOperation({
    name: 'team.set',
    summary: 'Change who leads a team, its name or its settings',
    input: () => z.object({ team: teamId, name: z.optional(label), orchestrator: z.optional(label), ...settings }),
    positional: ['team'],
    decide: (state, { team: id, name, orchestrator, ...more }) => {
      const changed = given(more)
      const set = Object.keys(changed).length === 0 ? {} : { settings: changed }
      return decideChangeTeam(state, id, { ...given({ name, orchestrator }), ...set })
    },
  }),
  writeOperation({
    name: 'team.remove',
    summary: 'Remove a team, also from its projects',
    input: () => z.object({ team: teamId }),
    positional: ['team'],
    decide: (state, { team }) => decideRemoveTeam(state, team),
  }),
  writeOperation({
    name: 'team.join',
    summary: 'Put an agent into a team, or change its place there',
    input: () =>
      z.object({
        team: teamId,
        agent: label,
        role: label,
        capacity: z._default(z.int().check(z.positive()), 1),
        skills: z.optional(z.array(label)),
        status: z.optional(z.enum(['available', 'busy', 'offline'])),
      }),
    positional: ['team', 'agent'],
    decide: (state, { team, agent, role, capacity, skills, status }) =>
      decideJoin(state, team, { agent_id: agent, role, capacity, ...given({ skills, status }) }),
  }),
  writeOperation({
    name: 'team.leave',
    summary: 'Take an agent out of a team',
    input: () => z.object({ team: teamId, agent: label }),
    positional: ['team', 'agent'],
    decide: (state, { team, agent }) => decideLeave(state, team, agent),
  }),
  readOperation({
    name: 'team.list',
    summary: 'The teams of a session',
    input: () => z.object({}),
    read: (state) => teamRows(state),
  }),
  readOperation({
    name: 'team.show',
    summary: 'A team with its members',
    input: () => z.object({ team: teamId }),
    positional: ['team'],
    read: (state, { team: id }) => ({ id, ...known(teamOf(state, id), 'team', id) }),
  }),
]

export const projectOperations = [
  writeOperation({
    name: 'project.add',
    summary: 'Add a project',
    input: project,
    positional: ['project'],
    decide: (state, { project: id, name, teams: teams_assigned = [], ...branches }) =>
      decideAddProject(state, {
        id,
        name: name ?? id,
        status: 'active',
        teams_assigned: [...new Set(teams_assigned)],
        repository: { ...given(branches), worktrees: {} },
      }),
  }),
  writeOperation({
    name: 'project.set',
    summary: 'Change the name, teams or branches of a project',
    input: project,
    positional: ['project'],
    decide: (state, { project, name, teams: assigned, ...branches }) => {
      const teams_assigned = assigned === undefined ? undefined : [...new Set(assigned)]
      return decideChangeProject(state, project, given({ name, teams_assigned, ...branches }))
    },
  }),
  status('project.suspend', 'Pause a project', 'suspended'),
  status('project.resume', 'Go on with a paused project', 'active'),
  status('project.complete', 'Finish a project for good', 'completed'),
  writeOperation({
    name: 'project.worktree',
    summary: 'Record where a worktree of a project lies; without a folder it is forgotten',
    input: () => z.object({ project: projectId, worktree, folder: z.optional(label) }),
    positional: ['project', 'worktree', 'folder'],
    decide: (state, { project, worktree: name, folder }) => decideWorktree(state, project, name, folder ?? null),
  }),
  readOperation({
    name: 'project.list',
    summary: 'The projects of a session',
    input: () => z.object({ status: z.optional(z.enum(['active', 'suspended', 'completed'])) }),
    read: (state, { status: wanted }) =>
      projectRows(state).filter((row) => wanted === undefined || row.status === wanted),
  }),
  readOperation({
    name: 'project.show',
    summary: 'A project with its teams and repository',
    input: () => z.object({ project: projectId }),
    positional: ['project'],
    read: (state, { project: id }) => known(projectOf(state, id), 'project', id),
  }),
]

export const budgetOperations = [
  writeOperation({
    name: 'budget.set',
    summary: 'Limit the agents, tokens and time of a session',
    input: () =>
      z.object({
        token_budget: amount,
        time_budget_minutes: amount,
        max_concurrent_agents: z.optional(z.int().check(z.minimum(1), z.maximum(20))),
        max_delegation_depth: amount,
      }),
    decide: (state, limits) => decideBudget(state, given(limits)),
  }),
  readOperation({
    name: 'budget.show',
    summary: 'The limits of a session',
    input: () => z.object({}),
    read: (state) => budgetView(state),
  }),
]

function status<const Name extends string>(name: Name, summary: string, to: ProjectStatus) {
  return writeOperation({
    name,
    summary,
    input: () => z.object({ project: projectId }),
    positional: ['project'],
    decide: (state, { project }) => decideProjectStatus(state, project, to),
  })
}

function known<T>(found: T | undefined, noun: string, id: string): T {
  if (found !== undefined) return found
  throw new EngineError('NOT_FOUND', `no ${noun} "${id}"`, { hint: `steadfold ${noun} list` })
}
