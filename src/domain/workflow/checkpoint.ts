/*
 * Checkpoint files of versions 1.0 to 2.1, into what a session's workflow begins with.
 *
 *   1.x   current_phase, completed_phases: numbers          2.x   state_machine: names and a transition table
 *
 * K1. The version stands under `version` or `schema_version`; where both are there they are the same.
 * K2. A phase is one of 0 to 7, the eight states in order. Any other is refused, never read as the first.
 * K3. What is said twice, in `error_state` and beside it, or by name and by number, counts by name.
 * K4. A table that describes every state it names, one of which alone leads nowhere, is a workflow of its own, and ends there.
 *     Any other may name states that it does not describe: the default's ways lead on from them.
 * K5. Scopes of the workflow's own are those that end in one of its states.
 * K6. What nobody here reads is kept, and `workflow_state` whole: it comes out again with an export.
 */
import * as z from 'zod/mini'
import { refuse, type Refusal } from '../../kernel/decision.ts'
import { membersOf } from '../../kernel/json/members.ts'
import { remembered } from '../../kernel/operation/operation.ts'
import { schemaWords } from '../../kernel/text/schema-words.ts'
import { DEFAULT_WORKFLOW } from './default.ts'
import type { Definition, StateDefinition } from './definition.ts'
import type { Imported } from './events.ts'
import { examine, refuseProblems } from './views.ts'
import { endOf, stateOf } from './workflow.ts'

export const CHECKPOINT_VERSION = '2.1'
const VERSIONS = ['1.0', '1.1', '1.2', '1.3', '2.0', CHECKPOINT_VERSION]

/** K2: their places are their numbers. */
export const PHASES: readonly string[] = Object.keys(DEFAULT_WORKFLOW.states)

const text = remembered(() => z.optional(z.nullable(z.string())))
const phase = remembered(() => z.union([z.number(), z.string().check(z.regex(/^\d+$/))]))
const record = remembered(() => z.optional(z.nullable(z.record(z.string(), z.unknown()))))
const machine = remembered(() =>
  z.optional(
    z.nullable(
      z.looseObject({
        current_state: z.string(),
        completed_states: z.optional(z.nullable(z.array(z.string()))),
        transition_table: z.optional(z.nullable(z.record(z.string(), z.union([z.string(), z.array(z.string())])))),
        workflow_config: z.optional(z.nullable(z.looseObject({ scope: text(), description: text(), command: text() }))),
      }),
    ),
  ),
)

/** Only what is used. */
const schema = remembered(() =>
  z.looseObject({
    version: text(),
    schema_version: text(),
    current_phase: z.optional(z.nullable(phase())),
    completed_phases: z.optional(z.nullable(z.array(phase()))),
    workflow_type: text(),
    workflow_description: text(),
    status: text(),
    tests_passing: z.optional(z.nullable(z.boolean())),
    last_error: text(),
    plan_file: text(),
    plan_path: text(),
    plan_modification_time: z.optional(z.nullable(z.number())),
    created_at: text(),
    updated_at: text(),
    timestamp: text(),
    project_name: text(),
    workflow_state: z.optional(z.nullable(z.looseObject({ plan_path: text() }))),
    phase_data: record(),
    supervisor_state: record(),
    metadata: z.optional(z.nullable(z.looseObject({ created_at: text(), updated_at: text(), project_name: text() }))),
    error_state: z.optional(
      z.nullable(
        z.looseObject({
          last_error: text(),
          failed_state: text(),
          retry_count: z.optional(z.nullable(z.int().check(z.minimum(0)))),
        }),
      ),
    ),
    state_machine: machine(),
  }),
)

type Checkpoint = z.output<ReturnType<typeof schema>>

export type Read = { readonly kind: 'read'; readonly imported: Omit<Imported, 'original'> } | Refusal

export function readCheckpoint(value: unknown): Read {
  const parsed = schema().safeParse(value, { error: schemaWords })
  if (!parsed.success) {
    const said = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'checkpoint'}: ${message}`)
    return refuse('INPUT_INVALID', said.join('\n'), { hint: 'correct what is named, then try again' })
  }
  const version = versionOf(parsed.data)
  return typeof version === 'string' ? whole(parsed.data, version) : version
}

/** K1. */
function versionOf({ version, schema_version: other }: Checkpoint): string | Refusal {
  const found = version ?? other ?? null
  const hint = `versions ${VERSIONS.join(', ')} are read, under version or schema_version`
  if (found === null) return refuse('VERSION_UNKNOWN', 'the checkpoint says no version', { hint })
  if (other !== undefined && other !== null && other !== found)
    return refuse('VERSION_UNKNOWN', `the checkpoint says version "${found}" and schema_version "${other}"`, { hint })
  return VERSIONS.includes(found) ? found : refuse('VERSION_UNKNOWN', `there is no version "${found}"`, { hint })
}

function whole(data: Checkpoint, version: string): Read {
  const definition = definitionOf(data)
  if ('kind' in definition) return definition
  const current = currentOf(data)
  if (typeof current !== 'string') return current
  const completed = completedOf(data)
  if ('kind' in completed) return completed
  const { scope = null } = data.state_machine?.workflow_config ?? {}
  const lost = [current, ...completed].find((name) => stateOf(definition, name) === undefined)
  if (lost !== undefined) return invalid('state_machine.current_state', `there is no state "${lost}"`)
  const end = scope === null ? definition.terminal : endOf(definition, scope)
  if (end === undefined || stateOf(definition, end) === undefined)
    return invalid('state_machine.workflow_config.scope', `there is no scope "${scope ?? ''}"`)
  return {
    kind: 'read',
    imported: {
      version,
      definition,
      current,
      scope,
      completed: completed.filter((state, at) => state !== current && completed.indexOf(state) === at),
      error: errorOf(data, current),
      notes: notesOf(data),
      phase_data: data.phase_data ?? {},
      supervisor_state: data.supervisor_state ?? {},
    },
  }
}

function errorOf({ error_state: error, last_error }: Checkpoint, current: string): Imported['error'] {
  const last = first(error?.last_error, last_error)
  const failed = first(error?.failed_state)
  if (last === null && failed === null) return null
  return { last_error: last, failed_state: failed ?? current, retry_count: error?.retry_count ?? 0 }
}

const invalid = (place: string, message: string): Refusal =>
  refuse('INPUT_INVALID', `${place}: ${message}`, { hint: 'correct what is named, then try again' })

/** K4. */
function definitionOf({ state_machine }: Checkpoint): Definition | Refusal {
  const { transition_table: table = null, current_state, completed_states, workflow_config } = state_machine ?? {}
  if (table === null) return DEFAULT_WORKFLOW
  const told = new Map(Object.entries(table).map(([from, to]) => [from, waysIn(to)]))
  const ends = endsOf(told, [current_state ?? '', ...(completed_states ?? [])])
  const others = Object.entries(DEFAULT_WORKFLOW.states).map(([name, { next }]) => [name, next] as const)
  const ways = new Map([...(ends === undefined ? others : []), ...told])
  const states = [...ways].map(([name, next]): [string, Pick<StateDefinition, 'next'>] => [name, { next }])
  const { definition, report } = examine({
    name: 'imported',
    ...(ends ?? { terminal: 'complete' }),
    ...scopesOf(workflow_config?.['scopes'], ways),
    states: Object.fromEntries(states),
  })
  if (definition === undefined || report.some(({ severity }) => severity === 'error')) return refuseProblems(report)
  return definition
}

/** K5. */
function scopesOf(value: unknown, ways: Ways): Pick<Definition, 'scopes'> {
  const known = Object.entries(membersOf(value)).filter(([, end]) => typeof end === 'string' && ways.has(end))
  return known.length === 0 ? {} : { scopes: Object.fromEntries(known) as Readonly<Record<string, string>> }
}

type Ways = ReadonlyMap<string, readonly string[]>

const waysIn = (to: string | readonly string[]): readonly string[] =>
  (typeof to === 'string' ? to.split(',') : to).map((name) => name.trim()).filter((name) => name !== '')

/** K4. Of a table that is a workflow of its own. */
function endsOf(ways: Ways, stands: readonly string[]): Pick<Definition, 'initial' | 'terminal'> | undefined {
  const led = new Set([...ways.values()].flat())
  if (![...led, ...stands].every((name) => ways.has(name))) return undefined
  const names = [...ways.keys()]
  const [terminal, ...more] = names.filter((name) => ways.get(name)?.length === 0)
  if (terminal === undefined || more.length > 0) return undefined
  return { initial: names.find((name) => !led.has(name)) ?? names[0] ?? terminal, terminal }
}

/** K2, K3. */
function currentOf({ state_machine, current_phase }: Checkpoint): string | Refusal {
  if (state_machine) return state_machine.current_state
  return stateOfPhase('current_phase', current_phase ?? null)
}

function completedOf({ state_machine, completed_phases }: Checkpoint): readonly string[] | Refusal {
  if (state_machine) return state_machine.completed_states ?? []
  const states = (completed_phases ?? []).map((each, at) => stateOfPhase(`completed_phases.${at}`, each))
  return states.find((each) => typeof each !== 'string') ?? states.filter((each) => typeof each === 'string')
}

function stateOfPhase(place: string, given: number | string | null): string | Refusal {
  const state = given === null ? undefined : PHASES[Number(given)]
  const known = `phases are 0 to ${PHASES.length - 1}, ${PHASES[0] ?? ''} to ${PHASES.at(-1) ?? ''}`
  return state ?? invalid(place, `${given === null ? 'it is missing' : `there is no phase ${given}`}; ${known}`)
}

function notesOf(data: Checkpoint): Imported['notes'] {
  const { metadata, state_machine, workflow_state, timestamp } = data
  const { scope: _, description, command, ...config } = state_machine?.workflow_config ?? {}
  const project = first(data.project_name, metadata?.project_name)
  const others = othersOf(data)
  return {
    description: first(data.workflow_description, description),
    command: first(command, data.workflow_type),
    status: first(data.status),
    tests_passing: first(data.tests_passing),
    plan: first(data.plan_path, data.plan_file, workflow_state?.plan_path),
    plan_modified: first(data.plan_modification_time),
    created_at: first(data.created_at, metadata?.created_at, timestamp),
    updated_at: first(data.updated_at, metadata?.updated_at, timestamp),
    ...(project === null ? {} : { project }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(Object.keys(others).length === 0 ? {} : { others }),
  }
}

/** K6. */
function othersOf(data: Checkpoint): Readonly<Record<string, unknown>> {
  const { workflow_state: _, ...read } = schema().shape
  return Object.fromEntries(
    Object.entries(data).filter(([name, value]) => !Object.hasOwn(read, name) && value !== undefined),
  )
}

const first = <T>(...values: readonly (T | null | undefined)[]): T | null =>
  values.find((value) => value !== null && value !== undefined) ?? null
