/* Teams with their members: of a session document, or of a file that defines them. */
import type { Importer, ImportPlan } from '../../kernel/exchange/importer.ts'
import { whole } from '../../kernel/text/whole.ts'
import { entriesOf, isMembers, itemsOf, lineOf, membersOf, stemOf, textOf, type Members } from './members.ts'
import { left } from './tasks.ts'

export const teamDefinitions: Importer = {
  kind: 'team-definitions',
  summary: 'definitions of teams: who leads them, members with role, capacity and skills',
  detects: ({ value }) => {
    const teams = entriesOf(membersOf(value)['teams'])
    return teams.length > 0 && teams.every(([, team]) => isMembers(team) && Array.isArray(team['members']))
  },
  read: ({ value, path }) => {
    const file = membersOf(value)
    const plan = teamsOf(file)
    const teams = entriesOf(file['teams']).map(([, team]) => membersOf(team))
    const others = Object.keys(file).filter((key) => !['teams', 'version', 'description'].includes(key))
    return {
      group: stemOf(path),
      ...plan,
      rows: [
        ...plan.rows.map((row) => ({ ...row, what: 'teams' })),
        ...left('ways of working of teams', teams.filter(({ workflows }) => workflows !== undefined).length),
        ...left('models and responsibilities of members', teams.flatMap(({ members }) => itemsOf(members)).length),
        ...left(whole(`other members: ${others.join(', ')}`, 48), others.length),
      ],
    }
  },
}

export type Part = Pick<ImportPlan, 'rows' | 'problems' | 'requests'>

export const part = (what: string, becomes: string, given: readonly ImportPlan['requests'][]): Part => ({
  rows: given.length === 0 ? [] : [{ what, count: given.length, becomes }],
  problems: [],
  requests: given.flat(),
})

/** A member is named by `agent_id`, or by `agent`. */
export function teamsOf({ teams }: Members): Part {
  return part(
    'organization.teams',
    'teams with their members',
    entriesOf(teams).map(([team, given]) => {
      const { name, orchestrator, members, settings } = membersOf(given)
      const lead = lineOf(textOf(orchestrator) ?? 'unknown', 200)
      const { max_parallel, max_parallel_agents, require_approval, auto_scaling } = membersOf(settings)
      const more = { max_parallel: max_parallel ?? max_parallel_agents, require_approval, auto_scaling }
      return [
        { op: 'team.add', input: { team, orchestrator: lead, ...named(name), ...defined(more) } },
        ...itemsOf(members)
          .filter(isMembers)
          .map(({ agent_id, agent, role, capacity, skills, status }) => ({
            op: 'team.join',
            input: { team, ...defined({ agent: agent_id ?? agent, role, capacity, skills, status }) },
          })),
      ]
    }),
  )
}

export const named = (name: unknown): Members => defined({ name: textOf(name) })

/** Without members that are undefined or null. */
export const defined = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null))
