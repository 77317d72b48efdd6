/* A session's workflow as a checkpoint file of version 2.1. */
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { SupervisorRecord } from '../supervision/events.ts'
import { CHECKPOINT_VERSION, PHASES } from './checkpoint.ts'
import type { Definition } from './definition.ts'
import { lastWork, statusOf, testsPassing } from './resume.ts'
import { supervisorState } from './supervisors.ts'
import { workflowOf, type WorkflowSlice } from './workflow.ts'

/** What is told here of the session itself. */
interface About {
  readonly name: string
  readonly goal: string | null
  readonly created_at: string
}

export function exportCheckpoint(root: Readonly<Tree>, supervisors: readonly SupervisorRecord[]) {
  const workflow = workflowOf(root)
  const { definition, current, completed, scope, error, checkpoint } = workflow
  const { notes, phase_data, supervisor_state } = checkpoint ?? NOTHING_IMPORTED
  const session = sliceOf<About>(root, 'session')
  const name = session?.name ?? definition.name
  const created_at = notes.created_at ?? session?.created_at ?? ''
  const times = { created_at, updated_at: lastWork(root) ?? created_at }
  const id = { checkpoint_id: idOf(name, times.updated_at), project_name: notes.project ?? name }
  const description = notes.description ?? session?.goal ?? definition.goal ?? ''
  const { last_error, retry_count, failed_state } = error ?? NO_ERROR
  const command = notes.command ?? definition.name
  const table = Object.entries(definition.states).map(([state, { next }]) => [state, next.join(',')])
  return {
    ...notes.others,
    version: CHECKPOINT_VERSION,
    schema_version: CHECKPOINT_VERSION,
    ...id,
    ...times,
    workflow_type: command,
    workflow_description: description,
    status: statusOf(workflow),
    ...phasesOf(definition.states, current, completed),
    tests_passing: testsPassing(root),
    last_error,
    plan_path: notes.plan,
    plan_modification_time: notes.plan_modified,
    state_machine: {
      current_state: current,
      completed_states: completed,
      transition_table: Object.fromEntries(table) as Readonly<Record<string, string>>,
      workflow_config: { ...notes.config, ...scopesOf(definition), scope, description, command },
    },
    phase_data,
    supervisor_state: { ...supervisor_state, ...supervisorState(supervisors) },
    error_state: { last_error, retry_count, failed_state },
    metadata: { ...id, ...times },
  }
}

const scopesOf = ({ scopes }: Pick<Definition, 'scopes'>) => (scopes === undefined ? {} : { scopes })

const idOf = (name: string, at: string): string => `${name}_${at.replaceAll(/\D/g, '').slice(0, 14)}`

const NO_ERROR = { last_error: null, retry_count: 0, failed_state: null }
const NOTHING_IMPORTED: Pick<NonNullable<WorkflowSlice['checkpoint']>, 'notes' | 'phase_data' | 'supervisor_state'> = {
  notes: {
    description: null,
    command: null,
    status: null,
    tests_passing: null,
    plan: null,
    plan_modified: null,
    created_at: null,
    updated_at: null,
  },
  phase_data: {},
  supervisor_state: {},
}

/** Numbers only where all states have one. */
function phasesOf(states: object, current: string, completed: readonly string[]) {
  if (!Object.keys(states).every((state) => PHASES.includes(state))) return {}
  return {
    current_phase: PHASES.indexOf(current),
    total_phases: PHASES.length,
    completed_phases: completed.map((state) => PHASES.indexOf(state)),
  }
}
