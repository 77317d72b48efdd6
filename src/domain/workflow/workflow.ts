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
 * W5. Another definition may take over while work is under way if it still has the state the work stands in.
 */
import type { Edit } from '../../kernel/edit.ts'
import { defineModule, sliceOf, type Meta, type Tree } from '../../kernel/module.ts'
import { DEFAULT_WORKFLOW } from './default.ts'
import type { Definition } from './definition.ts'
import type { Intent, WorkflowEvent } from './events.ts'
import { terminalOf, type Scope } from './scope.ts'

export interface WorkflowSlice {
  name: string
  definition: Definition
  current: string
  /** Where it ends: the definition's own end, or that of the scope. */
  terminal: string
  scope: Scope | null
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
  history: { readonly from: string; readonly to: string; readonly at: string; readonly seq: number }[]
}

export const workflowModule = defineModule<WorkflowSlice, WorkflowEvent>({
  slice: 'workflow',
  initial: () => begun(DEFAULT_WORKFLOW, DEFAULT_WORKFLOW.initial, null),
  evolve: {
    'workflow.defined': (slice, { definition, current, scope, folder }, edit) => {
      const underWay = slice.current === current && (slice.history.length > 0 || slice.pass > 1)
      const before = underWay ? slice : begun(definition, current, scope)
      const terminal = scope === null ? definition.terminal : terminalOf(scope)
      assign(
        slice,
        { ...before, name: definition.name, definition: edit.own(definition), terminal, scope, folder },
        edit,
      )
    },
    'workflow.transition-intended': (slice, { from, to, token }, edit, { at, actor }) =>
      assign(slice, { intent: { from, to, token, actor, at } }, edit),
    'workflow.transitioned': (slice, { from, to }, edit, meta) => enter(slice, from, { to, edit, meta }),
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

/** W1, W4. */
export const allowedFrom = ({ definition, current, terminal }: WorkflowSlice): readonly string[] =>
  current === terminal ? [] : (stateOf(definition, current)?.next ?? [])

export const stateOf = (definition: Definition, name: string) =>
  Object.hasOwn(definition.states, name) ? definition.states[name] : undefined

function begun(definition: Definition, current: string, scope: Scope | null): WorkflowSlice {
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
      intent: null,
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
