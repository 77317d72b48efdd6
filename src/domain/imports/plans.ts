/*
 * Epics and sprints of a session document, as far as they had come.
 *
 *   epics, begun ──► their sprints, begun ──► (tasks) ──► sprints that had ended ──► epics that had ended
 *
 * An epic that has ended takes no sprint, and is not completed before its sprints: so what had ended ends last.
 */
import type { ImportPlan } from '../../kernel/exchange/importer.ts'
import { countOf, entriesOf, isMembers, itemsOf, lineOf, membersOf, textOf, textsOf, type Members } from './members.ts'
import { defined, part, type Part } from './teams.ts'

type Requests = ImportPlan['requests']

const EPIC_WAYS: Readonly<Record<string, readonly string[]>> = {
  approved: ['epic.approve'],
  in_progress: ['epic.approve', 'epic.start'],
  completed: ['epic.approve', 'epic.start'],
}
const EPIC_ENDS: Readonly<Record<string, string>> = { completed: 'epic.complete', cancelled: 'epic.cancel' }
const SPRINT_WAYS: Readonly<Record<string, readonly string[]>> = {
  active: ['sprint.start'],
  review: ['sprint.start', 'sprint.review'],
  completed: ['sprint.start'],
}
const SPRINT_ENDS: Readonly<Record<string, string>> = { completed: 'sprint.complete', cancelled: 'sprint.cancel' }

/** A document of version 3 has those that ended apart. */
export const sprintsIn = (workflows: Members): readonly Members[] =>
  [...itemsOf(workflows['active_sprints']), ...Object.values(membersOf(workflows['past_sprints']))].filter(isMembers)

export const epicsOf = ({ epics }: Members): Part => ({
  ...part(
    'execution.workflows.epics',
    'epics',
    entriesOf(epics).map(([epic, given]) => [added(epic, membersOf(given)), ...moves(EPIC_WAYS, given, { epic })]),
  ),
  problems: entriesOf(epics).flatMap(([epic, given]) => {
    const { status, timeline } = membersOf(given)
    const weeks = countOf(membersOf(timeline)['actual_weeks'])
    return status !== 'completed' || weeks === undefined
      ? []
      : [`epic "${epic}" took ${weeks} weeks; here they are counted from the import`]
  }),
})

function added(id: string, epic: Members): Requests[number] {
  const { title, owner, description, features, success_criteria, acceptance_criteria, timeline } = epic
  const { estimated_weeks: weeks } = membersOf(timeline)
  const input = {
    id,
    title: lineOf(textOf(title) ?? id),
    owner: lineOf(textOf(owner) ?? 'unknown'),
    ...defined({ description, weeks }),
  }
  const criteria = textsOf(success_criteria ?? acceptance_criteria)
  return { op: 'epic.add', input: { ...input, features: textsOf(features), criteria } }
}

export const sprintsOf = (workflows: Members): Part =>
  part(
    'execution.workflows.active_sprints',
    'sprints',
    sprintsIn(workflows).map((each) => {
      const { id, epic_id, name, start_date, end_date, goals, team_assignments } = each
      const input = defined({ id, epic: epic_id, name, start: start_date, end: end_date })
      return [
        { op: 'sprint.add', input: { ...input, goals: textsOf(goals) } },
        ...entriesOf(team_assignments).map(([team, items]) => ({
          op: 'sprint.assign',
          input: { ...defined({ sprint: id }), team, items: textsOf(items) },
        })),
        ...moves(SPRINT_WAYS, each, defined({ sprint: id })),
      ]
    }),
  )

/** Behind the tasks. */
export const plansEnded = (workflows: Members): Part => ({
  rows: [],
  problems: [],
  requests: [
    ...sprintsIn(workflows).flatMap((each) => end(SPRINT_ENDS, each, defined({ sprint: each['id'] }))),
    ...entriesOf(workflows['epics']).flatMap(([epic, given]) => end(EPIC_ENDS, given, { epic })),
  ],
})

const statusOf = (given: unknown): string => textOf(membersOf(given)['status']) ?? ''

const moves = (ways: Readonly<Record<string, readonly string[]>>, given: unknown, input: Members): Requests =>
  Object.hasOwn(ways, statusOf(given)) ? (ways[statusOf(given)] ?? []).map((op) => ({ op, input })) : []

function end(ends: Readonly<Record<string, string>>, given: unknown, input: Members): Requests {
  const op = Object.hasOwn(ends, statusOf(given)) ? ends[statusOf(given)] : undefined
  return op === undefined ? [] : [{ op, input }]
}
