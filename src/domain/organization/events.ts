export type MemberStatus = 'available' | 'busy' | 'offline'

export interface Member {
  readonly agent_id: string
  readonly role: string
  /** Tasks it takes at a time. */
  readonly capacity: number
  readonly skills?: readonly string[]
  readonly status?: MemberStatus
}

export interface TeamSettings {
  readonly max_parallel?: number
  readonly require_approval?: boolean
  readonly auto_scaling?: boolean
}

export interface Team {
  readonly name: string
  /** The agent or person that leads it. */
  readonly orchestrator: string
  readonly members: readonly Member[]
  readonly settings?: TeamSettings
}

/** active ⇄ suspended, and from both to completed, for good. */
export type ProjectStatus = 'active' | 'suspended' | 'completed'

export interface Repository {
  readonly main_branch?: string
  readonly current_branch?: string
  /** Name -> folder. */
  readonly worktrees: Readonly<Record<string, string>>
}

export interface Project {
  readonly id: string
  readonly name: string
  readonly status: ProjectStatus
  readonly teams_assigned: readonly string[]
  readonly repository: Repository
}

/** What is not there has no limit. */
export interface Budget {
  readonly token_budget?: number
  readonly time_budget_minutes?: number
  readonly max_concurrent_agents?: number
  /** How many agents may stand above one: 0 lets nobody delegate. */
  readonly max_delegation_depth?: number
}

export type OrganizationEvent =
  | { readonly type: 'team.added'; readonly data: { readonly id: string; readonly team: Team } }
  | {
      readonly type: 'team.changed'
      readonly data: {
        readonly id: string
        readonly name?: string
        readonly orchestrator?: string
        readonly settings?: TeamSettings
      }
    }
  | { readonly type: 'team.removed'; readonly data: { readonly id: string } }
  | { readonly type: 'team.joined'; readonly data: { readonly id: string; readonly member: Member } }
  | { readonly type: 'team.left'; readonly data: { readonly id: string; readonly agent_id: string } }
  | { readonly type: 'project.added'; readonly data: { readonly project: Project } }
  | {
      readonly type: 'project.changed'
      readonly data: {
        readonly id: string
        readonly name?: string
        readonly teams_assigned?: readonly string[]
        readonly main_branch?: string
        readonly current_branch?: string
      }
    }
  | {
      readonly type: 'project.status-changed'
      readonly data: { readonly id: string; readonly from: ProjectStatus; readonly to: ProjectStatus }
    }
  | {
      readonly type: 'project.worktree-set'
      /** Without a folder it is forgotten. */
      readonly data: { readonly id: string; readonly name: string; readonly folder: string | null }
    }
  | { readonly type: 'budget.set'; readonly data: { readonly settings: Budget } }

export interface OrganizationSlice {
  teams: Record<string, Team>
  projects: Record<string, Project>
  global_settings: Budget
}
