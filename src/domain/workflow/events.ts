import type { Definition } from './definition.ts'
import type { Scope } from './scope.ts'

export interface Intent {
  readonly from: string
  readonly to: string
  /** Sequence number of the commit that told it. */
  readonly token: number
  readonly actor: string
  readonly at: string
}

export type WorkflowEvent =
  | {
      readonly type: 'workflow.defined'
      readonly data: {
        readonly definition: Definition
        readonly current: string
        readonly scope: Scope | null
        /** Folder of the file it came from, relative to the project where it lies inside; null when there was no file. */
        readonly folder: string | null
      }
    }
  | { readonly type: 'workflow.transition-intended'; readonly data: Pick<Intent, 'from' | 'to' | 'token'> }
  | { readonly type: 'workflow.transitioned'; readonly data: { readonly from: string; readonly to: string } }
  | { readonly type: 'workflow.transition-abandoned'; readonly data: { readonly from: string; readonly to: string } }
  /** All work of the terminal state is done. */
  | { readonly type: 'workflow.completed'; readonly data: Record<string, never> }
  /** A finished workflow begins again; results of steps are kept. */
  | { readonly type: 'workflow.restarted'; readonly data: { readonly initial: string } }
