/* Files that are known and hold nothing that a session could stand in. Each is called what it is, and why it stays as it is. */
import type { Importer } from '../../kernel/exchange/importer.ts'
import { entriesOf, isMembers, stemOf, textsOf, type Members } from './members.ts'

interface Stateless {
  readonly kind: string
  readonly summary: string
  readonly detects: (value: Members) => boolean
  readonly why: string
}

const has = (value: Members, ...keys: readonly string[]): boolean => keys.every((key) => key in value)

const KINDS: readonly Stateless[] = [
  {
    kind: 'orchestration-settings',
    summary: 'settings of an orchestration: modes, limits, confirmations, commands',
    detects: (value) => isMembers(value['orchestration_mode']) && isMembers(value['resource_limits']),
    why: 'they say how another program behaves, not how work stands; limits here are set with budgets and pools',
  },
  {
    kind: 'workflow-templates',
    summary: 'templates of workflows for people: phases with their activities',
    detects: (value) =>
      isMembers(value['workflows']) &&
      entriesOf(value['workflows']).some(([, each]) => isMembers(each) && Array.isArray(each['phases'])),
    why: 'no work stands in a template; a workflow that runs is written as states with steps: steadfold workflow define',
  },
  {
    kind: 'team-load',
    summary: 'who worked on what, and how busy teams were: assignments, capacity_tracking, performance_metrics',
    detects: (value) => isMembers(value['capacity_tracking']) && has(value, 'assignments'),
    why: 'assignments are held by agents that are not here, and load and metrics follow from work that is',
  },
  {
    kind: 'supervisor-counts',
    summary: 'supervisors of a checkpoint, without the checkpoint',
    detects: (value) => isMembers(value['supervisor_state']) && !has(value, 'version') && !has(value, 'state_machine'),
    why: 'it says how many workers there were, and describes none of them',
  },
  {
    kind: 'aggregated-metadata',
    summary: 'what a supervisor added up of its workers',
    detects: (value) => typeof value['topics_researched'] === 'number' && Array.isArray(value['reports_created']),
    why: 'sums are made of the workers here, and the file names none of them',
  },
  {
    kind: 'report-metadata',
    summary: 'what one report says: title, summary, key_findings',
    detects: (value) => has(value, 'summary') && textsOf(value['key_findings']).length > 0 && !has(value, 'goal'),
    why: 'it does not say whose report it is; with its worker it would stand in the checkpoint of the supervisor',
  },
  {
    kind: 'json-schema',
    summary: 'a JSON Schema',
    detects: (value) => typeof value['$schema'] === 'string' && isMembers(value['properties']),
    why: 'it describes documents, and is none',
  },
]

export const stateless: readonly Importer[] = KINDS.map(({ kind, summary, detects, why }) => ({
  kind,
  summary,
  detects: ({ value }) => isMembers(value) && detects(value),
  read: ({ path, value }) => ({
    group: stemOf(path),
    rows: [{ what: 'members', count: entriesOf(value).length, becomes: undefined }],
    problems: [],
    requests: [],
    stateless: why,
  }),
}))
