/* The session document of version 2, as a checkpoint of it lies in `.claude/state/session-ID.json`; also of version 3. */
import type { ImportPlan, Importer } from '../../kernel/exchange/importer.ts'
import { formatPath } from '../../kernel/path/path.ts'
import { endingOf } from './ending.ts'
import { entriesOf, isMembers, itemsOf, membersOf, saidOf, stemOf, textOf, textsOf, type Members } from './members.ts'
import { givenOf } from './orchestration.ts'
import { epicsOf, plansEnded, sprintsIn, sprintsOf } from './plans.ts'
import { settingsOf } from './settings.ts'
import { left, tasksPlan, type Edge, type Given } from './tasks.ts'
import { defined, named, part, teamsOf, type Part } from './teams.ts'

const SECTIONS = ['session', 'organization', 'execution', 'communication']

export const sessionDocument: Importer = {
  kind: 'session-document',
  summary: 'a session document of version 2 or 3: session, organization, execution, communication',
  detects: ({ value }) => isMembers(value) && SECTIONS.every((each) => isMembers(value[each])),
  read: ({ value, path }) => documentPlan(membersOf(value), stemOf(path)),
}

/** `tasks`: as they stand after events that came later. */
export function documentPlan(
  document: Members,
  group: string,
  tasks: readonly Given[] = documentTasks(document),
): ImportPlan {
  const [organization, execution] = [membersOf(document['organization']), membersOf(document['execution'])]
  const workflows = membersOf(execution['workflows'])
  const { goal, lifecycle } = membersOf(document['session'])
  const { ending, rows } = endingOf(membersOf(lifecycle)['status'], membersOf(lifecycle)['outcome'])
  const { between, rows: edges } = edgesOf(document, tasks)
  const { settings, rows: set } = settingsOf(document)
  const parts = [
    teamsOf(organization),
    projectsOf(organization),
    epicsOf(workflows),
    sprintsOf(workflows),
    tasksPlan('execution.tasks', tasks, between),
    plansEnded(workflows),
    outputsOf(document['outputs']),
    dataOf(document['data']),
  ]
  return {
    group,
    goal: textOf(goal),
    rows: [...parts.flatMap((each) => each.rows), ...set, ...rows, ...edges, ...stays(document)],
    problems: [...parts.flatMap(({ problems }) => problems), ...strays(document, tasks)],
    requests: parts.flatMap(({ requests }) => requests),
    settings,
    ending,
  }
}

/** They keep the epic and the sprint that they belong to, where these come in too. */
export function documentTasks(document: Members): readonly Given[] {
  const { tasks, workflows } = membersOf(document['execution'])
  const { epics } = membersOf(workflows)
  const reasons = reasonsIn(document)
  const all = sprintsIn(membersOf(workflows))
  const sprints = all.map(({ id }) => id)
  const sprintOf = new Map(namedBySprints(all).map(({ task, sprint }) => [task, sprint]))
  return entriesOf(tasks).map(([id, given]) => {
    const task = membersOf(given)
    const told = givenOf(id, task)
    const { epic_id: epic, sprint_id, team } = membersOf(task['context'])
    const sprint = sprint_id ?? sprintOf.get(id)
    return {
      ...told,
      reason: told.reason ?? reasons.get(id),
      ...(typeof epic === 'string' && Object.hasOwn(membersOf(epics), epic) ? { epic } : {}),
      ...(typeof sprint === 'string' && sprints.includes(sprint) ? { sprint } : {}),
      ...(typeof team === 'string' && team !== '' ? { team } : {}),
    }
  })
}

const TYPES: ReadonlySet<unknown> = new Set(['blocks', 'enables', 'requires'])

/** What the graph says of tasks; agents and resources in it are not here. */
function edgesOf(document: Members, tasks: readonly Given[]) {
  const { dependencies } = membersOf(membersOf(document['communication'])['coordination'])
  const edges = itemsOf(membersOf(membersOf(dependencies)['graph'])['edges']).map(membersOf)
  const ids = new Set<unknown>(tasks.map(({ id }) => id))
  const between = edges.flatMap(({ from, to, type }): readonly Edge[] =>
    typeof from === 'string' &&
    typeof to === 'string' &&
    typeof type === 'string' &&
    TYPES.has(type) &&
    ids.has(from) &&
    ids.has(to)
      ? [{ from, to, type }]
      : [],
  )
  const rows = [
    ...(between.length === 0
      ? []
      : [{ what: 'edges of the graph between tasks', count: between.length, becomes: 'what tasks wait for' }]),
    ...left('edges of the graph beside the tasks', edges.length - between.length),
  ]
  return { between, rows }
}

/** Why an item is blocked is said beside the graph of what waits for what. */
function reasonsIn(document: Members): ReadonlyMap<string, string> {
  const { dependencies } = membersOf(membersOf(document['communication'])['coordination'])
  const said = itemsOf(membersOf(dependencies)['blocks']).map(membersOf)
  return new Map(said.map(({ blocked_item, reason }) => [textOf(blocked_item) ?? '', textOf(reason) ?? '']))
}

/** A sprint names its tasks by how they stand. */
const namedBySprints = (sprints: readonly Members[]): readonly { readonly task: string; readonly sprint: string }[] =>
  sprints.flatMap(({ id, task_categories }) => {
    const tasks = Object.values(membersOf(task_categories)).flatMap(textsOf)
    return typeof id === 'string' ? tasks.map((task) => ({ task, sprint: id })) : []
  })

/** What a task is for, or a sprint names, and the document does not have. */
function strays(document: Members, tasks: readonly Given[]): readonly string[] {
  const kept = new Map(tasks.map(({ id, epic, sprint }) => [id, new Set<unknown>([epic, sprint])]))
  const { tasks: described, workflows } = membersOf(document['execution'])
  const named = namedBySprints(sprintsIn(membersOf(workflows)))
  const gone = named.filter(({ task }) => !kept.has(task))
  const lost = entriesOf(described).flatMap(([id, given]) => {
    const { epic_id, sprint_id } = membersOf(membersOf(given)['context'])
    const missing = [epic_id, sprint_id].filter((each) => typeof each === 'string' && kept.get(id)?.has(each) === false)
    return missing.map((each) => `execution.tasks: "${id}" is for "${String(each)}", which is not there`)
  })
  return [
    ...lost,
    ...gone.map(({ task, sprint }) => `sprint "${sprint}" names "${task}", which is not among the tasks`),
  ]
}

const MOVES: Readonly<Record<string, string>> = { suspended: 'project.suspend', completed: 'project.complete' }

function projectsOf({ projects }: Members): Part {
  return part(
    'organization.projects',
    'projects',
    entriesOf(projects).map(([project, given]) => {
      const { name, teams_assigned, repository, status } = membersOf(given)
      const { main_branch, current_branch, worktrees } = membersOf(repository)
      const move = saidOf(MOVES, textOf(status) ?? '')
      const input = {
        project,
        ...named(name),
        teams: textsOf(teams_assigned),
        ...defined({ main_branch, current_branch }),
      }
      return [
        { op: 'project.add', input },
        ...entriesOf(worktrees).map(([worktree, folder]) => ({
          op: 'project.worktree',
          input: { project, worktree, ...defined({ folder }) },
        })),
        ...(move === undefined ? [] : [{ op: move, input: { project } }]),
      ]
    }),
  )
}

const outputsOf = (outputs: unknown): Part =>
  part(
    'outputs',
    'outputs',
    entriesOf(outputs).map(([name, value]) => [{ op: 'output.set', input: { name, value } }]),
  )

/** What was imported there is named by what is kept there. */
const dataOf = (data: unknown): Part =>
  part(
    'data',
    'members of data',
    entriesOf(data)
      .filter(([name]) => name !== 'imports')
      .map(([name, value]) => [{ op: 'state.set', input: { path: formatPath(['data', name]), value } }]),
  )

/** Sections that version 3 has beside those of version 2. */
const OTHERS = ['workflow', 'supervision', 'steps', 'turns', 'conversation', 'activity']

/** What is bound to its processes, or is derived here. */
function stays(document: Members): ImportPlan['rows'] {
  const { agents } = membersOf(document['execution'])
  const { user_context, lifecycle } = membersOf(document['session'])
  const { message_queues, coordination, channels } = membersOf(document['communication'])
  const messages = [...Object.values(membersOf(message_queues)), ...Object.values(membersOf(channels))]
  return [
    ...left('mode, context and expiry', isMembers(user_context) || isMembers(lifecycle) ? 1 : 0),
    ...left('agents, none of which is alive here', entriesOf(membersOf(agents)['active']).length),
    ...left('locks, whose holders are not here', entriesOf(membersOf(coordination)['locks']).length),
    ...left('messages, handoffs and emergencies', messages.flatMap(itemsOf).length),
    ...left('events and metrics', isMembers(document['observability']) ? 1 : 0),
    ...OTHERS.flatMap((section) => left(section, isMembers(document[section]) ? 1 : 0)),
    ...left('the state of its own storage', isMembers(document['persistence']) ? 1 : 0),
  ]
}
