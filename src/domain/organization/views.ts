import type { Tree } from '../../kernel/state/module.ts'
import { organizationOf } from './organization.ts'

/** Teams by id, as lists print them. */
export const teamRows = (root: Readonly<Tree>) =>
  Object.entries(organizationOf(root)?.teams ?? {}).map(([id, { name, orchestrator, members }]) => ({
    id,
    name,
    orchestrator,
    members: members.length,
    capacity: members.reduce((sum, { capacity }) => sum + capacity, 0),
  }))

export const projectRows = (root: Readonly<Tree>) =>
  Object.values(organizationOf(root)?.projects ?? {}).map(({ id, name, status, teams_assigned, repository }) => ({
    id,
    name,
    status,
    teams: teams_assigned,
    branch: repository.current_branch ?? null,
  }))

/** Every limit, null where there is none. */
export function budgetView(root: Readonly<Tree>) {
  const { token_budget, time_budget_minutes, max_concurrent_agents, max_delegation_depth } =
    organizationOf(root)?.global_settings ?? {}
  return {
    token_budget: token_budget ?? null,
    time_budget_minutes: time_budget_minutes ?? null,
    max_concurrent_agents: max_concurrent_agents ?? null,
    max_delegation_depth: max_delegation_depth ?? null,
  }
}
