import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { ErrorState, Intent } from '../workflow/events.ts'

interface StepShape {
  readonly needs: readonly string[]
}

/** What is read of the workflow here; absent where nothing was defined or begun. */
export interface WorkflowShape {
  readonly name: string
  readonly definition: {
    readonly states: Readonly<Record<string, { readonly steps: Readonly<Record<string, StepShape>> }>>
  }
  readonly current: string
  readonly terminal: string
  readonly completed_at: string | null
  readonly intent: Intent | null
  readonly error: ErrorState | null
  readonly history: readonly { readonly to: string; readonly at: string }[]
}

export const workflowIn = (root: Readonly<Tree>): WorkflowShape | undefined => sliceOf<WorkflowShape>(root, 'workflow')
