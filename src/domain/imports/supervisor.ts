/* Supervisors: a checkpoint of one alone, or those of a workflow, with their workers and what these handed in. */
import type { Importer, ImportPlan } from '../../kernel/exchange/importer.ts'
import { countOf, entriesOf, isMembers, membersOf, stemOf, textOf, type Members } from './members.ts'
import { supervisorName, supervisorPlan } from './supervisor-plan.ts'
import { left } from './tasks.ts'

export const supervisorCheckpoint: Importer = {
  kind: 'supervisor-checkpoint',
  summary: 'the checkpoint of a supervisor with its workers or tracks',
  detects: ({ value }) =>
    isMembers(value) &&
    ((typeof value['supervisor_id'] === 'string' && !('version' in value)) ||
      (['version', 'schema_version', 'state_machine'].every((key) => !(key in value)) &&
        supervisorsOf(value['supervisor_state']).requests.length > 0)),
  read: ({ value, path }) => {
    const members = membersOf(value)
    return 'supervisor_id' in members ? alone(members, path) : several(members, path)
  },
}

function alone(members: Members, path: string): ImportPlan {
  const supervisor = supervisorName(textOf(members['supervisor_id']) ?? stemOf(path))
  const called = textOf(members['supervisor_name'], members['supervisor_id']) ?? ''
  const { workers, problems, requests } = supervisorPlan(supervisor, members, called)
  return {
    group: supervisor,
    rows: [
      ...(workers === 0 ? [] : [{ what: 'workers', count: workers, becomes: 'workers of a supervisor' }]),
      ...left(
        'aggregated metadata, which is made of the workers here',
        isMembers(members['aggregated_metadata']) ? 1 : 0,
      ),
      ...left('a supervisor without its workers', workers === 0 ? 1 : 0),
    ],
    problems: [...missing(members, workers), ...problems],
    requests,
  }
}

function several(members: Members, path: string): ImportPlan {
  const { rows, problems, requests } = supervisorsOf(members['supervisor_state'])
  return { group: stemOf(path), goal: textOf(members['workflow_description']), rows, problems, requests }
}

/** Those of a checkpoint. `rest`: of whom it says no more than how many worked for them. */
export function supervisorsOf(state: unknown) {
  const used = new Set<string>()
  const rest: Record<string, unknown> = {}
  const found = entriesOf(state).flatMap(([key, value]) => {
    const members = membersOf(value)
    const own = supervisorName(key.replace(/_supervisor$/, ''))
    const told = supervisorName(textOf(members['supervisor_name'], members['supervisor_id']) ?? own)
    const supervisor = used.has(told) ? own : told
    const plan = supervisorPlan(supervisor, members, key)
    if (plan.workers === 0) rest[key] = value
    else used.add(supervisor)
    const problems = [...missing(members, plan.workers), ...plan.problems]
    return plan.workers === 0
      ? []
      : [{ ...plan, problems: problems.map((each) => `supervisor "${supervisor}": ${each}`) }]
  })
  const workers = found.reduce((sum, each) => sum + each.workers, 0)
  return {
    rest,
    rows:
      workers === 0
        ? []
        : [{ what: 'workers of supervisors', count: workers, becomes: 'supervisors with their workers' }],
    problems: found.flatMap(({ problems }) => problems),
    requests: found.flatMap(({ requests }) => requests),
  }
}

function missing(members: Members, workers: number): readonly string[] {
  const told = countOf(members['worker_count'] ?? members['track_count'])
  return told === undefined || told === workers ? [] : [`it tells of ${told} workers, and describes ${workers}`]
}
