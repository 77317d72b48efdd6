/* A checkpoint file becomes the beginning of a session's workflow, never a part of one that is under way. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { readCheckpoint } from './checkpoint.ts'
import type { Imported, WorkflowEvent } from './events.ts'
import { RETRY_LIMIT } from './failure.ts'
import { hasMoved, workflowOf } from './workflow.ts'

interface Import {
  readonly checkpoint?: unknown
  readonly original?: NonNullable<Imported['original']> | undefined
}

export function decideImport(
  state: Readonly<Tree>,
  { checkpoint, original }: Import,
): Accepted<WorkflowEvent> | Refusal {
  const workflow = workflowOf(state)
  if (hasMoved(workflow))
    return refuse('TRANSITION_INVALID', `work is under way already: it stands in "${workflow.current}"`, {
      hint: 'steadfold session create NAME begins a session that it can be imported into',
    })
  const read = readCheckpoint(checkpoint)
  if (read.kind === 'refused') return read
  const limit = read.imported.definition.retry_limit ?? RETRY_LIMIT
  return accept({ type: 'workflow.imported', data: { ...read.imported, original: original ?? null, limit } })
}
