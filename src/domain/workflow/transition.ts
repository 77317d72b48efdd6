/* W1–W4, W7 and W9 of workflow.ts. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { isPerson } from '../../kernel/text/actor.ts'
import type { Lease } from '../session/events.ts'
import type { Definition } from './definition.ts'
import type { WorkflowEvent } from './events.ts'
import { allowedFrom, isDefined, stateOf, workflowOf, type WorkflowSlice } from './workflow.ts'

type Decided = Accepted<WorkflowEvent> | Refusal

interface Transition {
  readonly to?: string | undefined
  /** Tell the intent only. */
  readonly begin: boolean
  /** Finish the intent that was told. */
  readonly resume: boolean
  /** Take the intent back. */
  readonly abandon: boolean
}

export function decideTransition(state: Readonly<Tree>, input: Transition, context: Context): Decided {
  const workflow = workflowOf(state)
  const { to, begin, resume, abandon } = input
  if ([begin, resume, abandon].filter(Boolean).length > 1)
    return refuse('USAGE', 'begin, resume and abandon exclude each other', { hint: 'choose one' })
  if (resume || abandon) return settle(state, { to, resume }, context.actor)
  if (to === undefined) return refuse('USAGE', 'workflow.transition needs a state', { hint: allowedText(workflow) })
  if (workflow.intent !== null) return unfinished(workflow.intent)
  return to === workflow.current ? accept() : leave(state, { to, begin }, context)
}

/** W1, W4, W7. */
function leave(
  state: Readonly<Tree>,
  { to, begin }: { readonly to: string; readonly begin: boolean },
  { seq, actor }: Context,
): Decided {
  const workflow = workflowOf(state)
  const allowed = allowedFrom(workflow)
  const { current: from, definition } = workflow
  const violates = !allowed.includes(to)
  if (violates && !(definition.advisory === true && stateOf(definition, to) !== undefined)) return invalid(workflow, to)
  const unapproved = begin ? undefined : waits(state, to, actor)
  if (unapproved !== undefined) return unapproved
  const events: WorkflowEvent[] = []
  if (!isDefined(state)) events.push(firstDefined(workflow))
  if (violates) events.push({ type: 'workflow.violated', data: { from, to, allowed } })
  events.push({ type: 'workflow.transition-intended', data: { from, to, token: seq } })
  if (!begin) events.push({ type: 'workflow.transitioned', data: { from, to } })
  return accept(...events)
}

/** The default counts as defined once something happens in it. */
export const firstDefined = ({ definition, current }: WorkflowSlice): WorkflowEvent => ({
  type: 'workflow.defined',
  data: { definition, current, scope: null, folder: null },
})

/** W9. A runner that holds the session asks at the gate of the state itself. */
export function waits(
  root: Readonly<Tree>,
  to: string,
  actor: string,
  definition: Definition = workflowOf(root).definition,
): Refusal | undefined {
  const { intent } = workflowOf(root)
  const wants = stateOf(definition, to)?.approval === true
  const asked = intent !== null
  if (!wants || isPerson(actor) || holds(root, actor)) return undefined
  return refuse('NEEDS_PERSON', `state "${to}" begins when a person approves`, {
    hint: `${asked ? '' : `steadfold workflow transition ${to} --begin asks; `}a person lets it go on: steadfold workflow transition ${to} --resume`,
    details: { to },
  })
}

/** As a runner does. */
export const holds = (root: Readonly<Tree>, actor: string): boolean =>
  sliceOf<{ readonly lease: Lease | null }>(root, 'session')?.lease?.holder === actor

interface Settle {
  readonly to: string | undefined
  readonly resume: boolean
}

/** W2. */
function settle(state: Readonly<Tree>, { to, resume }: Settle, actor: string): Decided {
  const { intent, current } = workflowOf(state)
  if (intent === null) {
    if (resume && to === current) return accept()
    return refuse('TRANSITION_INVALID', 'no transition is unfinished', { hint: 'steadfold workflow show' })
  }
  if (to !== undefined && to !== intent.to) return unfinished(intent)
  const data = { from: intent.from, to: intent.to }
  if (!resume) return accept({ type: 'workflow.transition-abandoned', data })
  return waits(state, intent.to, actor) ?? accept({ type: 'workflow.transitioned', data })
}

function unfinished({ from, to, actor }: NonNullable<WorkflowSlice['intent']>): Refusal {
  return refuse('TRANSITION_UNFINISHED', `${actor} began to go from "${from}" to "${to}" and did not finish`, {
    hint: `steadfold workflow transition ${to} --resume, or --abandon`,
    details: { from, to },
  })
}

function invalid(workflow: WorkflowSlice, to: string): Refusal {
  const { current, terminal } = workflow
  const allowed = allowedFrom(workflow)
  const closed =
    current === terminal ? `the workflow is closed: "${current}" is its end` : `nothing is allowed from ${current}`
  return refuse(
    'TRANSITION_INVALID',
    `cannot go from "${current}" to "${to}"\n  ${allowed.length === 0 ? closed : allowedText(workflow)}`,
    {
      hint: allowed[0] === undefined ? 'steadfold workflow restart' : `steadfold workflow transition ${allowed[0]}`,
      details: { from: current, to, allowed },
    },
  )
}

const allowedText = (workflow: WorkflowSlice): string =>
  `allowed from ${workflow.current}: ${allowedFrom(workflow).join(', ')}`
