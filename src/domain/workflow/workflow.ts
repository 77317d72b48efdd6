/*
 * Where a session's work stands in its declared states.
 *
 *   initial ──intent──► (leaving) ──outcome──► next ── … ──► terminal: closed, until restarted
 *                           └──abandon──► stays
 *
 * W1. Only a state listed as next is reached, compared as a whole name.
 * W2. Intent and outcome are two events. While an intent is unfinished only it can be finished or abandoned.
 * W3. To the state it is in is no transition: nothing happens.
 * W4. At the terminal state nothing is next; a restart begins again and keeps what steps have done.
 * W5. Another definition may take over while work is under way if it still has the state the work stands in; an unfinished
 *     intent, a failure of that state and what was imported stay. Where the work is complete and the definition has not the
 *     state that it ended in, it begins anew.
 * W7. Where a definition is advisory, a transition that W1 or W4 forbids is made and recorded as a violation.
 * W8. A failure is kept until a transition leads on. A retry is counted, and refused beyond the limit or when the failure
 *     is none that time mends, until a person approves it, or somebody starts a runner again.
 * W9. Where a state wants approval, only a person, or a runner that asks one, brings the work into it, by a transition or a
 *     restart; whoever else can tell the intent. A command on the way to it runs no earlier.
 * W10. It is complete only where it stands at its end: a longer definition, or a transition from there, opens it again.
 * W11. Work that came in from beyond the end of its scope ends where its definition does.
 */
import type { Edit } from '../../kernel/state/edit.ts'
import { defineModule, sliceOf, type Meta, type Tree } from '../../kernel/state/module.ts'
import { leadsTo } from '../../kernel/work/graph.ts'
import { DEFAULT_SCOPES, DEFAULT_WORKFLOW } from './default.ts'
import type { Definition } from './definition.ts'
import type { ErrorState, Imported, Intent, Violation, WorkflowEvent } from './events.ts'

export interface WorkflowSlice {
  name: string
  definition: Definition
  current: string
  /** Where it ends: the definition's own end, or that of the scope. */
  terminal: string
  scope: string | null
  /** Folder of the file the definition came from, relative to the project where it lies inside. */
  folder: string | null
  /** When the work of the terminal state was done, ISO 8601; null before. */
  completed_at: string | null
  /** Grows with each restart. */
  pass: number
  intent: Intent | null
  /** States left behind in this pass, in order. */
  completed: string[]
  /** How often each state was entered, ever. */
  entries: Record<string, number>
  error: ErrorState | null
  violations: Violation[]
  /** Of the checkpoint file that it was taken up from. */
  checkpoint?: Pick<Imported, 'version' | 'notes' | 'phase_data' | 'supervisor_state' | 'original'>
  history: { readonly from: string; readonly to: string; readonly at: string; readonly seq: number }[]
}

export const workflowModule = defineModule<WorkflowSlice, WorkflowEvent>({
  slice: 'workflow',
  initial: () => begun(DEFAULT_WORKFLOW, DEFAULT_WORKFLOW.initial, null),
  evolve: {
    'workflow.defined': (slice, { definition, current, scope, folder }, edit) => {
      const stays = slice.current === current && (hasMoved(slice) || slice.error !== null)
      const before = stays ? slice : begun(definition, current, scope)
      const terminal = terminalOf(definition, scope, current)
      const completed_at = current === terminal ? before.completed_at : null
      const own = { name: definition.name, definition: edit.own(definition), terminal, completed_at, scope, folder }
      assign(slice, { ...before, ...own }, edit)
    },
    'workflow.imported': (
      slice,
      { definition, current, scope, completed, error, limit, ...rest },
      edit,
      { at, actor },
    ) => {
      const fresh = begun(definition, current, scope)
      const terminal = terminalOf(definition, scope, current)
      const failed = error && { ...error, class: 'unknown' as const, limit, at, actor }
      const { version, notes, phase_data, supervisor_state, original } = rest
      const checkpoint = edit.own({ version, notes, phase_data, supervisor_state, original })
      const own = { definition: edit.own(definition), terminal, scope, completed: [...completed], error: failed }
      assign(slice, { ...fresh, ...own, checkpoint }, edit)
    },
    'workflow.transition-intended': (slice, { from, to, token }, edit, { at, actor }) =>
      assign(slice, { intent: { from, to, token, actor, at } }, edit),
    'workflow.transitioned': (slice, { from, to }, edit, meta) => enter(slice, from, { to, edit, meta }),
    'workflow.violated': (slice, data, edit, { at, seq, actor }) =>
      assign(slice, { violations: [...(slice.violations ?? []), { ...data, at, seq, actor }] }, edit),
    'workflow.failed': (slice, { state, class: kind, reason, limit }, edit, { at, actor }) => {
      const before = slice.error?.failed_state === state ? slice.error.retry_count : 0
      const error = { last_error: reason, class: kind, failed_state: state, retry_count: before, limit, at, actor }
      assign(slice, { error }, edit)
    },
    'workflow.retried': (slice, { retry }, edit) => {
      if (slice.error) assign(slice, { error: { ...slice.error, last_error: null, retry_count: retry } }, edit)
    },
    'workflow.transition-abandoned': (slice, _data, edit) => assign(slice, { intent: null }, edit),
    'workflow.completed': (slice, _data, edit, { at }) => assign(slice, { completed_at: at }, edit),
    'workflow.restarted': (slice, { initial }, edit) =>
      assign(
        slice,
        {
          current: initial,
          completed_at: null,
          pass: slice.pass + 1,
          intent: null,
          error: null,
          completed: [],
          entries: counted(slice.entries, initial),
        },
        edit,
      ),
  },
})

/** What a session's workflow is; the default one before anything is defined. */
export const workflowOf = (root: Readonly<Tree>): WorkflowSlice =>
  sliceOf<WorkflowSlice>(root, 'workflow') ?? begun(DEFAULT_WORKFLOW, DEFAULT_WORKFLOW.initial, null)

export const isDefined = (root: Readonly<Tree>): boolean => sliceOf<WorkflowSlice>(root, 'workflow') !== undefined

/** Of the state it stands in: a count alone comes again where the state is set back, a commit never does. */
export const visitOf = ({ current, entries, history }: WorkflowSlice): readonly number[] => [
  entries[current] ?? 1,
  history.at(-1)?.seq ?? 0,
]

/** W1, W4. */
export const allowedFrom = ({ definition, current, terminal }: WorkflowSlice): readonly string[] =>
  current === terminal ? [] : (stateOf(definition, current)?.next ?? [])

/** Whether it stands where it does by more than its definition. */
export const hasMoved = ({ history, intent, pass, checkpoint }: WorkflowSlice): boolean =>
  history.length > 0 || intent !== null || pass > 1 || checkpoint !== undefined

export const hasSteps = ({ states }: Definition): boolean =>
  Object.values(states).some(({ steps }) => Object.keys(steps).length > 0)

export const stateOf = (definition: Definition, name: string) =>
  Object.hasOwn(definition.states, name) ? definition.states[name] : undefined

/** State at which a workflow ends for a scope; undefined where neither it nor the default knows one. */
export const endOf = ({ scopes }: Pick<Definition, 'scopes'>, scope: string): string | undefined =>
  [scopes, DEFAULT_SCOPES].find((known) => known !== undefined && Object.hasOwn(known, scope))?.[scope]

/** W11. */
function terminalOf(definition: Definition, scope: string | null, current: string): string {
  const end = scope === null ? undefined : endOf(definition, scope)
  return end !== undefined && isAhead(definition, current, end) ? end : definition.terminal
}

/** Whether ways lead from a state to the end, or it is the end; where the table only advises, they do. */
export const isAhead = (definition: Definition, current: string, end: string): boolean =>
  current === end ||
  definition.advisory === true ||
  leadsTo(current, end, (name) => stateOf(definition, name)?.next ?? [])

function begun(definition: Definition, current: string, scope: string | null): WorkflowSlice {
  const { name, terminal } = definition
  return {
    name,
    definition,
    current,
    terminal,
    scope,
    folder: null,
    completed_at: null,
    pass: 1,
    intent: null,
    completed: [],
    entries: { [current]: 1 },
    error: null,
    violations: [],
    history: [],
  }
}

function enter(
  slice: WorkflowSlice,
  from: string,
  { to, edit, meta }: { readonly to: string; readonly edit: Edit; readonly meta: Meta },
): void {
  assign(
    slice,
    {
      current: to,
      completed_at: null,
      intent: null,
      error: null,
      completed: [...slice.completed, from],
      entries: counted(slice.entries, to),
      history: [...slice.history, { from, to, at: meta.at, seq: meta.seq }],
    },
    edit,
  )
}

const counted = (entries: Readonly<Record<string, number>>, state: string): Record<string, number> => ({
  ...entries,
  [state]: (entries[state] ?? 0) + 1,
})

function assign(slice: WorkflowSlice, values: Partial<WorkflowSlice>, edit: Edit): void {
  // The slice is plain JSON; its interface only names the members.
  const own = slice as unknown as Record<string, unknown>
  for (const [key, value] of Object.entries(values)) edit.set(own, key, value)
}
