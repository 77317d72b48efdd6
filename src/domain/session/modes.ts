/* What a mode begins a session with: teams, projects, limits, the end of its time, and whose word is asked for. */
import { timeText } from '../../kernel/log/time.ts'
import type { Budget, Member, OrganizationEvent, Team } from '../organization/events.ts'
import type { ConsentMode, Mode, Preferences, SessionEvent } from './events.ts'

const HOUR_MS = 3_600_000

/** What cannot be taken back, or takes from others. Another list: session configure. */
const GATED = ['session.restore', 'lock.break', 'dependency.break', 'team.remove', 'pool.remove']

interface Beginning {
  readonly hours: number
  readonly agents: number
  readonly consent: ConsentMode
  readonly auto_cleanup: boolean
  readonly teams: Readonly<Record<string, Team>>
  /** Whether a project for the workspace is begun, with all these teams. */
  readonly project: boolean
}

const member = (agent_id: string, role: string, capacity: number): Member => ({ agent_id, role, capacity })
const led = (name: string, orchestrator: string): Team => ({ name, orchestrator, members: [] })

const MODES: Readonly<Record<Mode, Beginning>> = {
  development: {
    hours: 24,
    agents: 10,
    consent: 'explicit',
    auto_cleanup: true,
    project: true,
    teams: {
      engineering: {
        name: 'Engineering Team',
        orchestrator: 'engineering-director',
        members: [
          member('engineering-lead', 'Technical Lead', 1),
          member('engineering-fullstack', 'Full Stack Developer', 3),
          member('engineering-test', 'QA Engineer', 2),
        ],
        settings: { max_parallel: 5, require_approval: true },
      },
    },
  },
  leadership: {
    hours: 48,
    agents: 10,
    consent: 'explicit',
    auto_cleanup: true,
    project: false,
    teams: {
      product: led('Product Team', 'product-director'),
      engineering: led('Engineering Team', 'engineering-director'),
      qa: led('QA Team', 'qa-director'),
      devops: led('DevOps Team', 'devops-manager'),
      creative: led('Creative Team', 'creative-director'),
    },
  },
  config: { hours: 1, agents: 10, consent: 'explicit', auto_cleanup: true, project: false, teams: {} },
  emergency: { hours: 8, agents: 20, consent: 'automatic', auto_cleanup: false, project: false, teams: {} },
}

/** At work at the same time; an emergency has all hands. */
const PARALLEL = 5
const PREFERENCES: Preferences = { auto_persistence_interval: 30 }
const BUDGET: Budget = { token_budget: 100_000, time_budget_minutes: 480 }

export interface Ground {
  readonly name: string
  readonly context: Readonly<Record<string, unknown>>
  readonly now: number
}

/** The commit that begins a session tells all of it. */
export function beginning(mode: Mode, ground: Ground): readonly (SessionEvent | OrganizationEvent)[] {
  const { hours, agents, consent, auto_cleanup, teams, project } = MODES[mode]
  const parallel: Preferences = mode === 'emergency' ? {} : { max_parallel_agents: PARALLEL }
  const preferences: Preferences = { ...parallel, ...PREFERENCES, consent_mode: consent, ...preferred(ground.context) }
  return [
    { type: 'session.configured', data: { preferences, auto_cleanup, gated: GATED } },
    { type: 'session.expiry-set', data: { expiry: timeText(ground.now + hours * HOUR_MS) } },
    { type: 'budget.set', data: { settings: { ...BUDGET, max_concurrent_agents: agents } } },
    ...Object.entries(teams).map(([id, team]): OrganizationEvent => ({ type: 'team.added', data: { id, team } })),
    ...(project ? [begun(ground, Object.keys(teams))] : []),
  ]
}

function begun({ name, context }: Ground, teams_assigned: readonly string[]): OrganizationEvent {
  const branch = textIn(context, 'git_branch') ?? 'main'
  return {
    type: 'project.added',
    data: {
      project: {
        id: 'default-project',
        name: textIn(context, 'project_name') ?? name,
        status: 'active',
        teams_assigned,
        repository: { main_branch: 'main', current_branch: branch, worktrees: {} },
      },
    },
  }
}

/** What whoever creates the session prefers goes before the mode. */
function preferred(context: Ground['context']): Preferences {
  const given = context['user_preferences']
  return typeof given === 'object' && given !== null ? given : {}
}

function textIn(context: Ground['context'], field: string): string | undefined {
  const value = context[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}
