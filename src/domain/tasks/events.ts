import { emptyHeap, type Heap } from '../../kernel/state/heap.ts'

export type TaskStatus = 'pending' | 'assigned' | 'in_progress' | 'review' | 'completed' | 'blocked' | 'cancelled'
export type TaskType = 'feature' | 'bug' | 'tech_debt' | 'documentation' | 'testing'
export type Priority = 'critical' | 'high' | 'medium' | 'low'
/** `a blocks b`, `a enables b`: b waits for a. `a requires b`: a waits for b. */
export type EdgeType = 'blocks' | 'enables' | 'requires'

export interface TaskContext {
  readonly epic_id: string | null
  readonly sprint_id: string | null
  /** Of the organization. */
  readonly project_id: string | null
  readonly team?: string
  readonly requirements?: string
  readonly acceptance_criteria: readonly string[]
}

/** What a person or an agent may say about a task, at first and later. */
export interface Described {
  readonly type: TaskType
  readonly title: string
  readonly priority: Priority
  /** In points, such as hours. */
  readonly estimated_effort?: number
  readonly artifacts: readonly string[]
  readonly context: TaskContext
}

export interface Claimed {
  readonly id: string
  /** Fencing token: sequence number of the commit that granted the claim. */
  readonly token: number
  readonly holder: string
  /** Milliseconds since 1970. */
  readonly expires: number
}

export interface Of {
  readonly id: string
}

export interface Why extends Of {
  readonly reason: string
}

/** One task, or a thing outside, for which a task waits. */
export interface Wait {
  readonly source: string
  readonly waiting: string
}

export type TaskEvent =
  /** Of one that was begun elsewhere: when, earlier than its commit, and who did it there. */
  | {
      readonly type: 'task.added'
      readonly data: Of & Described & { readonly created_at?: string; readonly assignee?: string }
    }
  | { readonly type: 'task.updated'; readonly data: Of & Partial<Described> & { readonly actual_effort?: number } }
  | { readonly type: 'task.claimed'; readonly data: Claimed }
  | { readonly type: 'task.renewed'; readonly data: Of & { readonly token: number; readonly expires: number } }
  | { readonly type: 'task.started'; readonly data: Of }
  | { readonly type: 'task.submitted'; readonly data: Of }
  | {
      readonly type: 'task.completed'
      readonly data: Of & {
        readonly actual_effort: number | null
        readonly artifacts: readonly string[]
        /** Of one that was completed elsewhere, earlier than its commit. */
        readonly completed_at?: string
      }
    }
  | { readonly type: 'task.failed'; readonly data: Why }
  | { readonly type: 'task.blocked'; readonly data: Why }
  | { readonly type: 'task.unblocked'; readonly data: Of }
  | { readonly type: 'task.retried'; readonly data: Of }
  | { readonly type: 'task.cancelled'; readonly data: Of & { readonly reason: string | null } }
  /** The claim with that token is over, and the task waits for another: `expired`, `released`, `handed-over`, or what became of its agent. */
  | { readonly type: 'task.returned'; readonly data: Of & { readonly token: number; readonly cause: string } }
  /** `counted`: what was completed of them counts on (N6 of plans). */
  | { readonly type: 'task.archived'; readonly data: { readonly ids: readonly string[]; readonly counted?: true } }
  | { readonly type: 'dependency.added'; readonly data: Wait & { readonly type: EdgeType } }
  | { readonly type: 'dependency.removed'; readonly data: Wait }
  | {
      readonly type: 'dependency.broken'
      readonly data: Wait & {
        readonly type: EdgeType
        readonly reason: string
        /** Whether it was the one that would have been proposed, and why that one. */
        readonly weakest: boolean
        readonly because: string
      }
    }
  | { readonly type: 'dependency.outside-told'; readonly data: { readonly node: string; readonly status: string } }

export interface Claim {
  readonly holder: string
  readonly claimed_at: string
  readonly expires: number
}

export interface Block {
  /** `held` by somebody's word, or since its last attempt `failed`. */
  readonly kind: 'held' | 'failed'
  readonly reason: string
  readonly at: string
  readonly actor: string
}

export interface Task extends Described {
  readonly id: string
  readonly status: TaskStatus
  /** Who holds it, or held it last before it was handed over; null while it waits for anybody. */
  readonly assignee: string | null
  /** Ids of what it waits for; grows in place. */
  readonly dependencies: readonly string[]
  /** Ids of the tasks that wait for it; grows in place. */
  readonly blocking: readonly string[]
  readonly created_at: string
  readonly updated_at: string
  readonly completed_at: string | null
  readonly actual_effort: number | null
  /** Place in the order in which tasks were added. */
  readonly ordinal: number
  /** How many of its dependencies are not met. */
  readonly waits: number
  readonly attempts: number
  /** Of its last claim. */
  readonly token: number | null
  readonly claim: Claim | null
  readonly block: Block | null
}

export type TasksSlice = Record<string, Task>

export interface Edge {
  readonly type: EdgeType
  readonly seq: number
  readonly at: string
}

/** An agent or a resource that tasks wait for; met while its status is `available`. */
export interface OutsideNode {
  readonly type: 'agent' | 'resource'
  readonly status: string
  readonly blocking: readonly string[]
}

/** Beside the tasks, as `execution.task_index`: what would otherwise have to be searched for. */
export interface TaskIndex {
  /** Tasks ever added. */
  added: number
  /** By priority, then age. */
  ready: Heap
  /** The same for each value that a claim may ask for, such as `team=core`. */
  facets: Record<string, Heap>
  /** Claimed tasks by the end of their lease. */
  leases: Heap
  /** Holder -> task -> token. */
  held: Record<string, Record<string, number>>
  /** Waiting task -> what it waits for. */
  edges: Record<string, Record<string, Edge>>
  outside: Record<string, OutsideNode>
  /** What was completed of tasks that are put away: epic -> sprint, each empty where a task was of none. */
  put_away?: Record<string, Record<string, PutAway>>
}

export interface PutAway {
  readonly completed: number
  /** Estimated effort of it; a task without an estimate counts as 1. */
  readonly points: number
}

export const emptyIndex = (): TaskIndex => ({
  added: 0,
  ready: emptyHeap(),
  facets: {},
  leases: emptyHeap(),
  held: {},
  edges: {},
  outside: {},
})
