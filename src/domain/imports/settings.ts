/* What a session of a document was set to: limits, pools of agents, preferences. */
import type { ImportPlan } from '../../kernel/exchange/importer.ts'
import { entriesOf, membersOf, type Members } from './members.ts'
import { defined } from './teams.ts'

type Requests = NonNullable<ImportPlan['settings']>

export function settingsOf(document: Members): Pick<ImportPlan, 'rows'> & { readonly settings: Requests } {
  const { user_context, lifecycle } = membersOf(document['session'])
  const { auto_cleanup } = membersOf(lifecycle)
  const preferences = chosen(membersOf(membersOf(user_context)['user_preferences']), [
    'max_parallel_agents',
    'auto_persistence_interval',
    'consent_mode',
  ])
  const limits = chosen(membersOf(membersOf(document['organization'])['global_settings']), [
    'token_budget',
    'time_budget_minutes',
    'max_concurrent_agents',
    'max_delegation_depth',
  ])
  const configured = { ...preferences, ...defined({ auto_cleanup }) }
  const pools = poolsOf(document)
  return {
    rows: [
      ...row('limits', Object.keys(limits).length),
      ...row('pools', pools.length),
      ...row('preferences', Object.keys(configured).length),
    ],
    settings: [
      ...(Object.keys(limits).length === 0 ? [] : [{ op: 'budget.set', input: limits }]),
      ...pools,
      ...(Object.keys(configured).length === 0 ? [] : [{ op: 'session.configure', input: configured }]),
    ],
  }
}

const row = (what: string, count: number): ImportPlan['rows'] =>
  count === 0 ? [] : [{ what, count, becomes: `${what} of the session, unless --session names one` }]

const chosen = (members: Members, names: readonly string[]): Members =>
  defined(Object.fromEntries(names.map((name) => [name, members[name]])))

const poolsOf = (document: Members): Requests =>
  entriesOf(membersOf(membersOf(document['execution'])['agents'])['pool']).map(([key, given]) => {
    const { agent_type = key, min_instances: min, max_instances: max, ...more } = membersOf(given)
    const { scaling_policy: policy, resource_limits, tasks_per_agent } = more
    const limits = chosen(membersOf(resource_limits), ['max_memory_mb', 'max_tokens_per_hour'])
    return { op: 'pool.set', input: { ...defined({ type: agent_type, min, max, policy, tasks_per_agent }), ...limits } }
  })
