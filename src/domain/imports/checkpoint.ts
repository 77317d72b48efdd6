/* Checkpoints of versions 1.0 to 2.1: the beginning of a workflow. */
import type { Importer } from '../../kernel/import.ts'
import { isMembers, membersOf, stemOf, textOf } from './members.ts'

/** What becomes part of the workflow; everything else stays in the original. */
const READ: ReadonlySet<string> = new Set(
  'version schema_version current_phase completed_phases workflow_type workflow_description status tests_passing last_error plan_file plan_path plan_modification_time created_at updated_at timestamp phase_data supervisor_state error_state state_machine'.split(
    ' ',
  ),
)

export const checkpoint: Importer = {
  kind: 'checkpoint',
  summary: 'a workflow checkpoint of version 1.0 to 2.1',
  detects: ({ value }) =>
    isMembers(value) &&
    (textOf(value['version'], value['schema_version']) ?? '').match(/^\d+\.\d+$/) !== null &&
    ('state_machine' in value || 'current_phase' in value || 'workflow_type' in value),
  read: ({ value, path }) => {
    const members = membersOf(value)
    const known = Object.keys(members).filter((key) => READ.has(key))
    const others = Object.keys(members).filter((key) => !READ.has(key))
    const goal = textOf(members['workflow_description'])
    return {
      group: textOf(members['checkpoint_id'], members['project_name']) ?? stemOf(path),
      goal,
      rows: [
        { what: 'fields', count: known.length, becomes: 'the workflow and where it stands' },
        ...(others.length === 0
          ? []
          : [{ what: `other fields: ${others.join(', ')}`.slice(0, 48), count: others.length, becomes: undefined }]),
      ],
      problems: [],
      requests: [{ op: 'workflow.import', input: { checkpoint: value } }],
    }
  },
}
