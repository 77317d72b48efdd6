/* Version 1 of an orchestration state: sprints, epics and tasks by id, and agents. What is named and not there is told. */
import type { Importer } from '../../kernel/exchange/importer.ts'
import { countOf, entriesOf, isMembers, itemsOf, membersOf, stemOf, textOf, textsOf, type Members } from './members.ts'
import { left, tasksPlan, type Given } from './tasks.ts'

const SECTIONS = ['epics', 'sprints', 'tasks', 'agents']

export const orchestrationState: Importer = {
  kind: 'orchestration-state',
  summary: 'orchestration state of version 1: organization, epics, sprints, tasks and agents by id',
  detects: ({ value }) => isMembers(value) && !('session' in value) && SECTIONS.every((each) => isMembers(value[each])),
  read: ({ value, path }) => {
    const state = membersOf(value)
    const tasks = entriesOf(state['tasks'])
    const plan = tasksPlan(
      'tasks',
      tasks.map(([id, task]) => givenOf(id, membersOf(task))),
    )
    const count = (key: string) => entriesOf(state[key]).length
    const { questions, handoffs } = membersOf(state['communication'])
    const { metrics, events } = membersOf(state['observability'])
    return {
      group: stemOf(path),
      ...plan,
      rows: [
        ...plan.rows,
        ...left('sprints', count('sprints')),
        ...left('epics', count('epics')),
        ...left('projects', count('projects')),
        ...left('parts of the organization', count('organization')),
        ...left('agents, none of which is alive here', agentsOf(state).length),
        ...left('questions and handoffs', itemsOf(questions).length + itemsOf(handoffs).length),
        ...left('metrics and events', entriesOf(metrics).length + itemsOf(events).length),
      ],
      problems: [...plan.problems, ...dangling(state)],
    }
  },
}

const agentsOf = (state: Members): readonly string[] => Object.keys(membersOf(membersOf(state['agents'])['active']))

export function givenOf(id: string, task: Members): Given {
  const context = membersOf(task['context'])
  return {
    id,
    title: textOf(task['title'], task['name']),
    status: textOf(task['status']),
    type: textOf(task['type']),
    priority: textOf(task['priority']),
    assignee: textOf(task['assignee']),
    effort: countOf(task['estimated_effort'] ?? task['estimate']),
    spent: countOf(task['actual_effort']),
    reason: textOf(membersOf(task['block'])['reason']),
    needs: textsOf(task['dependencies']),
    blocks: textsOf(task['blocking']),
    artifacts: textsOf(task['artifacts']),
    requirements: textOf(context['requirements'], task['description']),
    criteria: textsOf(context['acceptance_criteria'] ?? task['acceptance_criteria']),
    created: task['created_at'],
    completed: task['completed_at'] ?? (task['status'] === 'completed' ? task['updated_at'] : undefined),
  }
}

/** Whoever names an id that nothing stands behind. */
function dangling(state: Members): readonly string[] {
  const known = (section: string, id: string) => Object.hasOwn(membersOf(state[section]), id)
  const missing = (who: string, section: string, ids: readonly string[]) =>
    ids.filter((id) => !known(section, id)).map((id) => `${who} names "${id}", which is not among the ${section}`)
  const agents = new Set(agentsOf(state))
  return [
    ...entriesOf(state['sprints']).flatMap(([id, sprint]) => {
      const { tasks, epic_id } = membersOf(sprint)
      const named = Array.isArray(tasks) ? textsOf(tasks) : Object.values(membersOf(tasks)).flatMap(textsOf)
      const epic = textOf(epic_id)
      return [
        ...missing(`sprint "${id}"`, 'tasks', named),
        ...missing(`sprint "${id}"`, 'epics', epic === undefined ? [] : [epic]),
      ]
    }),
    ...entriesOf(state['epics']).flatMap(([id, epic]) =>
      missing(`epic "${id}"`, 'sprints', textsOf(membersOf(epic)['sprints'])),
    ),
    ...entriesOf(state['tasks']).flatMap(([id, task]) => {
      const { assignee, context, sprint_id, epic_id } = membersOf(task)
      const who = `task "${id}"`
      const owner = textOf(assignee)
      const sprint = textOf(sprint_id, membersOf(context)['sprint_id'])
      const epic = textOf(epic_id, membersOf(context)['epic_id'])
      return [
        ...(owner === undefined || agents.has(owner)
          ? []
          : [`${who} is assigned to "${owner}", which is not among the agents`]),
        ...missing(who, 'sprints', sprint === undefined ? [] : [sprint]),
        ...missing(who, 'epics', epic === undefined ? [] : [epic]),
      ]
    }),
  ]
}
