import * as z from 'zod/mini'
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import { canonicalJson } from '../../kernel/json/json.ts'
import { readOperation, remembered, writeOperation, type Context } from '../../kernel/operation/operation.ts'
import { copyJson } from '../../kernel/state/edit.ts'
import type { Tree } from '../../kernel/state/module.ts'
import type { SupervisorRecord } from '../supervision/events.ts'
import { DEFAULT_SCOPES, DEFAULT_WORKFLOW } from './default.ts'
import type { Definition } from './definition.ts'
import type { WorkflowEvent } from './events.ts'
import { exportCheckpoint } from './export.ts'
import { decideFailure, decideRetry } from './failure.ts'
import { graphText } from './graph.ts'
import { decideImport } from './import.ts'
import { safeResume } from './resume.ts'
import { detectScope, rulesOf } from './scope.ts'
import { decideTransition, waits } from './transition.ts'
import { examine, nextStates, refuseProblems, resumeCheck, showWorkflow, stateRows } from './views.ts'
import { endOf, hasMoved, isAhead, isDefined, stateOf, workflowOf, type WorkflowSlice } from './workflow.ts'

const flag = remembered(() => z._default(z.boolean(), false))
const MOST_REASON = 4000
const blob = remembered(() =>
  z.object({ sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)), bytes: z.int().check(z.minimum(0)) }),
)

export const workflowOperations = [
  writeOperation({
    name: 'workflow.define',
    summary: 'Declare the states of a session and their steps; the default has eight states and no steps',
    input: () =>
      z.object({
        definition: z.optional(z.unknown()),
        scope: z.optional(z.string().check(z.minLength(1))),
        folder: z.optional(z.string().check(z.minLength(1))),
      }),
    positional: ['definition'],
    decide: define,
  }),
  writeOperation({
    name: 'workflow.transition',
    summary: 'Go to another state: intent and outcome, at once or one by one',
    input: () => z.object({ to: z.optional(z.string()), begin: flag(), resume: flag(), abandon: flag() }),
    positional: ['to'],
    decide: decideTransition,
  }),
  writeOperation({
    name: 'workflow.fail',
    summary: 'Record that the work of the state, or on the way to the intended one, has failed',
    input: () =>
      z.object({
        reason: z.string().check(z.minLength(1), z.maxLength(MOST_REASON)),
        class: z._default(z.enum(['transient', 'terminal', 'unknown']), 'transient'),
      }),
    positional: ['reason'],
    decide: decideFailure,
  }),
  writeOperation({
    name: 'workflow.retry',
    summary: 'Go on with the work that failed; counted, up to a limit that a person may lift',
    input: () => z.object({ approve: flag() }),
    decide: decideRetry,
  }),
  writeOperation({
    name: 'workflow.complete',
    summary: 'Record that the work of the last state is done',
    input: () => z.object({}),
    decide: (state) => {
      const { current, terminal, completed_at } = workflowOf(state)
      if (completed_at !== null) return accept()
      if (current === terminal) return accept({ type: 'workflow.completed', data: {} })
      return refuse('TRANSITION_INVALID', `the workflow stands in "${current}", its end is "${terminal}"`, {
        hint: 'steadfold workflow next',
      })
    },
  }),
  writeOperation({
    name: 'workflow.restart',
    summary: 'Begin a finished workflow again; what steps have done is kept',
    input: () => z.object({}),
    decide: (state, _input, { actor }) => {
      const { current, terminal, definition } = workflowOf(state)
      const { initial } = definition
      const unapproved = waits(state, initial, actor)
      if (current === terminal && unapproved !== undefined)
        return { ...unapproved, hint: 'a person begins it again: steadfold workflow restart' }
      if (current === terminal) return accept({ type: 'workflow.restarted', data: { initial } })
      return refuse('TRANSITION_INVALID', `the workflow is not finished: it stands in "${current}"`, {
        hint: 'steadfold workflow next',
      })
    },
  }),
  readOperation({
    name: 'workflow.show',
    summary: 'The workflow of a session and where it stands',
    input: () => z.object({}),
    read: showWorkflow,
  }),
  readOperation({
    name: 'workflow.next',
    summary: 'The states that may come next',
    input: () => z.object({}),
    read: nextStates,
  }),
  readOperation({
    name: 'workflow.list',
    summary: 'All states, and what became of them',
    input: () => z.object({}),
    read: stateRows,
  }),
  readOperation({
    name: 'workflow.resume-check',
    summary: 'Whether and where work would go on, and whether it is safe to',
    input: () => z.object({ plan_modified: z.optional(z.nullable(z.number())) }),
    read: (state, { plan_modified }, { now }) => ({
      ...resumeCheck(state),
      safety: safeResume(state, now, plan_modified),
    }),
  }),
  writeOperation({
    name: 'workflow.import',
    summary: 'Take up the work that a checkpoint file of version 1.0 to 2.1 tells of',
    input: () => z.object({ checkpoint: z.unknown(), original: z.optional(blob()) }),
    positional: ['checkpoint'],
    decide: decideImport,
  }),
  readOperation({
    name: 'workflow.validate',
    summary: 'What is wrong with a definition: unknown names, cycles, states that lead nowhere',
    input: () => z.object({ definition: z.optional(z.unknown()) }),
    positional: ['definition'],
    read: (state, { definition }) =>
      examine(definition === undefined ? workflowOf(state).definition : definition).report,
  }),
  readOperation({
    name: 'workflow.graph',
    summary: 'The states as a graph',
    input: () => z.object({ format: z._default(z.enum(['text', 'mermaid', 'dot']), 'text'), steps: flag() }),
    positional: ['format'],
    read: (state, { format, steps }) => graphText(workflowOf(state), format, steps),
  }),
  readOperation({
    name: 'workflow.detect-scope',
    summary: 'Which part of a workflow a description asks for',
    input: () => z.object({ description: z.string(), explain: flag() }),
    positional: ['description'],
    read: (state, { description, explain }, { settings }) => {
      const { scope_rules = rulesOf(settings?.scopeRules ?? []), scopes } = workflowOf(state).definition
      const detected = detectScope(description, { scope_rules, scopes })
      return explain ? detected : detected.scope
    },
  }),
]

type Supervisors = (root: Readonly<Tree>) => readonly SupervisorRecord[]

/** Who supervises is known to another module, which is loaded when somebody asks. */
export const exportOperations = (load: () => Promise<Supervisors>) => [
  readOperation({
    name: 'workflow.export',
    summary: 'The workflow as a checkpoint file of version 2.1',
    input: () => z.object({}),
    look: async ({ state }) => {
      const supervisorsOf = await load()
      return copyJson(exportCheckpoint(state, supervisorsOf(state)))
    },
  }),
]

interface Define {
  readonly definition?: unknown
  readonly scope?: string | undefined
  readonly folder?: string | undefined
}

/** What an input says about itself, over what is known of the definition it replaces. */
interface Source {
  readonly scope?: string | null | undefined
  readonly folder?: string | null | undefined
}

function define(
  state: Readonly<Tree>,
  { definition: given, scope, folder }: Define,
  { actor }: Context,
): Accepted<WorkflowEvent> | Refusal {
  const { definition, report } =
    given === undefined || given === null ? { definition: DEFAULT_WORKFLOW, report: [] } : examine(given)
  if (definition === undefined || report.some(({ severity }) => severity === 'error')) return refuseProblems(report)
  const noEnd =
    scope === undefined
      ? undefined
      : (refuseScope(definition, scope) ?? refuseLeft(workflowOf(state), definition, scope))
  if (noEnd !== undefined) return noEnd
  return isDefined(state)
    ? redefine(state, definition, { scope, folder }, actor)
    : defined(definition, definition.initial, { scope, folder })
}

function refuseScope(definition: Definition, scope: string): Refusal | undefined {
  const end = endOf(definition, scope)
  if (end === undefined) {
    const known = Object.keys({ ...DEFAULT_SCOPES, ...definition.scopes }).join(', ')
    return refuse('WORKFLOW_INVALID', `there is no scope "${scope}": ${known}`, { hint: 'choose one of these' })
  }
  if (stateOf(definition, end) !== undefined) return undefined
  return refuse('WORKFLOW_INVALID', `scope ${scope} ends in "${end}", which "${definition.name}" does not have`, {
    hint: 'leave the scope out',
  })
}

/** W11. */
function refuseLeft(workflow: WorkflowSlice, definition: Definition, scope: string): Refusal | undefined {
  const { current } = workflow
  const end = endOf(definition, scope)
  const stays = hasMoved(workflow) && stateOf(definition, current) !== undefined
  if (end === undefined || !stays || isAhead(definition, current, end)) return undefined
  return refuse(
    'WORKFLOW_INVALID',
    `scope ${scope} ends in "${end}", and the work has left it behind: it stands in "${current}"`,
    { hint: 'leave the scope out, or begin a new session' },
  )
}

/** W5. */
function redefine(
  state: Readonly<Tree>,
  definition: Definition,
  given: Source,
  actor: string,
): Accepted<WorkflowEvent> | Refusal {
  const workflow = workflowOf(state)
  const { current, intent, error, completed_at } = workflow
  const same = canonicalJson(workflow.definition) === canonicalJson(definition)
  const source: Source = same
    ? { scope: given.scope ?? workflow.scope, folder: given.folder ?? workflow.folder }
    : given
  if (same && workflow.scope === source.scope && workflow.folder === source.folder) return accept()
  const lost = [current, intent?.to].find((name) => name !== undefined && stateOf(definition, name) === undefined)
  const moved = hasMoved(workflow)
  if (lost === undefined && (moved || error !== null)) return defined(definition, current, source)
  const { initial } = definition
  if (!moved) return defined(definition, initial, source)
  if (completed_at !== null && intent === null)
    return (
      waits(state, initial, actor, definition) ??
      accept({ type: 'workflow.restarted', data: { initial } }, ...defined(definition, initial, source).events)
    )
  return refuse('WORKFLOW_INVALID', `the work stands in "${lost}", which the new definition does not have`, {
    hint: `keep "${lost}", or begin a new session`,
  })
}

const defined = (definition: Definition, current: string, { scope, folder }: Source): Accepted<WorkflowEvent> =>
  accept({ type: 'workflow.defined', data: { definition, current, scope: scope ?? null, folder: folder ?? null } })
