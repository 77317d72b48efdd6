/* Checkpoints of versions 1.0 to 2.1, and the state machine of one alone: the beginning of a workflow. */
import type { Importer } from '../../kernel/exchange/importer.ts'
import { isMembers, membersOf, stemOf, textOf, type Members } from './members.ts'
import { namesOf } from './shape.ts'
import { supervisorsOf } from './supervisor.ts'
import { left } from './tasks.ts'

/** What becomes part of the workflow; everything else is kept beside it. */
const READ: ReadonlySet<string> = new Set(
  'version schema_version current_phase completed_phases workflow_type workflow_description status tests_passing last_error plan_file plan_path plan_modification_time created_at updated_at timestamp phase_data supervisor_state error_state state_machine project_name'.split(
    ' ',
  ),
)

const KEPT = 'kept as they are, for the export'

const OF_METADATA: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'project_name'])

export const checkpoint: Importer = {
  kind: 'checkpoint',
  summary: 'a workflow checkpoint of version 1.0 to 2.1',
  detects: ({ value }) =>
    isMembers(value) &&
    (isMembers(value['state_machine']) ||
      isMachine(value) ||
      (isVersioned(value) && ('current_phase' in value || 'workflow_type' in value || 'state_machine' in value))),
  read: ({ value, path }) => {
    const { members, told } = wholeOf(membersOf(value))
    const known = Object.keys(members).filter((key) => READ.has(key))
    const metadata = membersOf(members['metadata'])
    const others = Object.keys(members).filter((key) => key !== 'metadata' && !READ.has(key))
    const unread = Object.keys(metadata).flatMap((key) => (OF_METADATA.has(key) ? [] : [`metadata.${key}`]))
    const config = membersOf(membersOf(members['state_machine'])['workflow_config'])
    const { rest, ...supervisors } = supervisorsOf(members['supervisor_state'])
    const checkpoint = isMembers(members['supervisor_state']) ? { ...members, supervisor_state: rest } : members
    const goal = textOf(members['workflow_description'], config['description'])
    return {
      group:
        textOf(...[members, metadata].flatMap((each) => [each['checkpoint_id'], each['project_name']])) ?? stemOf(path),
      goal,
      rows: [
        { what: 'fields', count: known.length, becomes: 'the workflow and where it stands' },
        ...supervisors.rows,
        ...(others.length === 0
          ? []
          : [{ what: `other fields: ${namesOf(others)}`, count: others.length, becomes: KEPT }]),
        ...left(`other fields: ${namesOf(unread)}`, unread.length),
      ],
      problems: [...told, ...supervisors.problems],
      requests: [{ op: 'workflow.import', input: { checkpoint } }, ...supervisors.requests],
    }
  },
}

const isVersioned = (value: Members): boolean =>
  (textOf(value['version'], value['schema_version']) ?? '').match(/^\d+\.\d+$/) !== null

const isMachine = (value: Members): boolean =>
  typeof value['current_state'] === 'string' && Array.isArray(value['completed_states'])

/** A part of a checkpoint, as the whole that it belongs to. */
function wholeOf(value: Members): { readonly members: Members; readonly told: readonly string[] } {
  if (isMachine(value) && !('state_machine' in value))
    return {
      members: { version: '2.0', state_machine: value },
      told: ['it is the state machine of a checkpoint alone, and is read as version 2.0'],
    }
  if ('version' in value || 'schema_version' in value) return { members: value, told: [] }
  return {
    members: { version: '2.0', ...value },
    told: ['it says no version; its state machine is read as that of 2.0'],
  }
}
