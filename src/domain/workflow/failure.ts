/* W8 of workflow.ts. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { isPerson } from '../../kernel/text/actor.ts'
import type { FailureClass } from '../../kernel/work/runner.ts'
import type { StepsSlice } from '../steps/events.ts'
import { handlerOf, mayRetry, type WorkflowEvent } from './events.ts'
import { firstDefined, holds } from './transition.ts'
import { isDefined, workflowOf } from './workflow.ts'

export const RETRY_LIMIT = 3

type Decided = Accepted<WorkflowEvent> | Refusal

interface Failed {
  readonly reason: string
  readonly class: FailureClass
}

export function decideFailure(state: Readonly<Tree>, { reason, class: kind }: Failed): Decided {
  const workflow = workflowOf(state)
  const { current, intent, definition, completed_at } = workflow
  if (completed_at !== null)
    return refuse('TRANSITION_INVALID', `the workflow is closed: "${current}" is its end`, {
      hint: 'steadfold workflow restart',
    })
  const limit = definition.retry_limit ?? RETRY_LIMIT
  const data = { state: intent?.to ?? current, class: kind, reason, limit }
  const first = isDefined(state) ? [] : [firstDefined(workflow)]
  return accept(...first, { type: 'workflow.failed', data })
}

export function decideRetry(
  state: Readonly<Tree>,
  { approve }: { readonly approve: boolean },
  { actor }: Pick<Context, 'actor'>,
): Decided {
  const { error } = workflowOf(state)
  if (!error)
    return refuse('TRANSITION_INVALID', 'nothing has failed, so there is nothing to retry', {
      hint: 'steadfold workflow show',
    })
  const { failed_state, last_error, retry_count, limit, class: kind } = error
  // Its work goes on already.
  if (last_error === null) return accept()
  const retried = (retry: number): Decided =>
    accept({ type: 'workflow.retried', data: { state: failed_state, retry, approved: approve } })
  if (approve && mayApprove(state, actor)) return retried(0)
  const hint = 'see to the cause, then a person runs: steadfold workflow retry --approve'
  const details = { state: failed_state, class: kind, retry_count, limit }
  if (approve)
    return refuse('NEEDS_PERSON', `only a person approves that "${failed_state}" is tried again: ${last_error}`, {
      hint: 'a person does: steadfold workflow retry --approve',
      details,
    })
  if (mayRetry(error)) return retried(retry_count + 1)
  return kind === 'transient'
    ? refuse('LIMIT_REACHED', `"${failed_state}" was retried ${retry_count} times of ${limit}: ${last_error}`, {
        hint,
        details,
      })
    : refuse('NEEDS_PERSON', `"${failed_state}" failed in a way that time does not mend (${kind}): ${last_error}`, {
        hint,
        details,
      })
}

/** A runner is started again by somebody who has decided that it may go on; who released the handler has approved. */
function mayApprove(root: Readonly<Tree>, actor: string): boolean {
  if (isPerson(actor) || holds(root, actor)) return true
  const { intent } = workflowOf(root)
  const steps = sliceOf<StepsSlice>(root, 'steps')
  const key = intent === null ? undefined : steps?.names[handlerOf(intent)]
  return key !== undefined && steps?.ledger[key]?.status === 'ready'
}
