/*
 * What session and team want of those who work.
 *
 * K9. No more agents hold claims at the same time than the session prefers; lowering that takes no claim away.
 * K10. A task of a team that wants approval is completed from review, and not by the agent that did it.
 * K11. No more tasks of a team are claimed at the same time than its `max_parallel`; the first that is ready passes over them.
 * K12. A member of a team holds no more claims than its capacity, the largest where it is in several; none while offline.
 */
import { refuse, type Refusal } from '../../kernel/decision.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { Team } from '../organization/events.ts'
import type { Preferences } from '../session/events.ts'
import type { Task } from './events.ts'
import { indexOf, taskOf, tasksOf } from './tasks.ts'

type State = Readonly<Tree>

/** K9 */
export function noRoom(root: State, actor: string): Refusal | undefined {
  const most = preferencesOf(root)?.max_parallel_agents
  const held = indexOf(root)?.held ?? {}
  if (most === undefined || !isAgent(actor) || Object.hasOwn(held, actor)) return undefined
  const working = Object.keys(held).filter(isAgent)
  if (working.length < most) return undefined
  return refuse('LIMIT_REACHED', `${working.length} agents work at the same time, and the session prefers ${most}`, {
    hint: 'wait until one has finished, or raise it: steadfold session configure --max-parallel-agents',
    details: { most, working },
  })
}

/** K12 */
export function memberFull(root: State, actor: string): Refusal | undefined {
  const id = isAgent(actor) ? actor.slice(AGENT.length) : undefined
  const places = Object.entries(teamsOf(root)).flatMap(([team, { members }]) =>
    members.filter(({ agent_id }) => agent_id === id).map((member) => ({ team, ...member })),
  )
  const [place] = places
  if (id === undefined || place === undefined) return undefined
  const here = places.filter(({ status }) => status !== 'offline')
  const most = Math.max(0, ...here.map(({ capacity }) => capacity))
  const count = Object.keys(indexOf(root)?.held[actor] ?? {}).length
  if (count < most) return undefined
  const join = `steadfold team join ${place.team} ${id} --role ${quoted(place.role)} --capacity`
  const details = { agent: id, most, count }
  if (here.length === 0)
    return refuse('LIMIT_REACHED', `agent "${id}" is offline in its team`, {
      hint: `when it is back: ${join} ${place.capacity}`,
      details,
    })
  return refuse('LIMIT_REACHED', `agent "${id}" has ${count} of ${most} tasks`, {
    hint: `finish one first, or: ${join} ${most + 1}`,
    details,
  })
}

/** K10 */
export function noApproval(root: State, { id, status, assignee, context }: Task, actor: string): Refusal | undefined {
  const team = teamOf(root, context.team)
  if (team?.settings?.require_approval !== true) return undefined
  if (status !== 'review')
    return refuse(
      'TASK_STATUS_INVALID',
      `team "${team.name}" approves its tasks: "${id}" is ${status}, not in review`,
      {
        hint: status === 'assigned' ? `steadfold task start ${id}, then submit it` : `steadfold task submit ${id}`,
        details: { task: id, status, team: context.team },
      },
    )
  if (actor !== assignee || !isAgent(actor)) return undefined
  const another = `agent:${team.orchestrator}` === actor ? 'human:NAME' : `agent:${team.orchestrator}`
  return refuse('NEEDS_PERSON', `who did task "${id}" does not approve it`, {
    hint: `another says it: steadfold task done ${id} --as ${another}`,
    details: { task: id, team: context.team, orchestrator: team.orchestrator },
  })
}

/** K11: the teams that take no more. Costs what is claimed, where a team has such a limit. */
export function fullTeams(root: State): ReadonlySet<string> {
  const limited = Object.entries(teamsOf(root)).filter(([, { settings }]) => settings?.max_parallel !== undefined)
  if (limited.length === 0) return new Set()
  const slice = tasksOf(root)
  const claimed = Object.values(indexOf(root)?.held ?? {}).flatMap((mine) =>
    Object.keys(mine).map((id) => taskOf(slice, id)?.context.team),
  )
  const full = limited.filter(
    ([id, { settings }]) => claimed.filter((team) => team === id).length >= (settings?.max_parallel ?? Infinity),
  )
  return new Set(full.map(([id]) => id))
}

/** K11 */
export const teamFull = ({ id, context }: Task): Refusal =>
  refuse('LIMIT_REACHED', `team "${context.team ?? ''}" works on as many tasks as it may, so "${id}" has to wait`, {
    hint: `wait until one is done, or raise it: steadfold team set ${context.team ?? ''} --max-parallel N`,
    details: { task: id, team: context.team },
  })

const AGENT = 'agent:'

const isAgent = (actor: string): boolean => actor.startsWith(AGENT)

const preferencesOf = (root: State): Preferences | undefined =>
  sliceOf<{ readonly user_context: { readonly user_preferences?: Preferences } }>(root, 'session')?.user_context
    .user_preferences

function teamOf(root: State, id: string | undefined): Team | undefined {
  const teams = teamsOf(root)
  return id !== undefined && Object.hasOwn(teams, id) ? teams[id] : undefined
}

const teamsOf = (root: State): Readonly<Record<string, Team>> =>
  sliceOf<{ readonly teams: Readonly<Record<string, Team>> }>(root, 'organization')?.teams ?? {}
