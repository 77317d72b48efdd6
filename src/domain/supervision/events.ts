/** research works in parallel, implementation in waves by dependency, testing in stages one after the other. */
export const KINDS = ['research', 'implementation', 'testing'] as const

export type SupervisorKind = (typeof KINDS)[number]

/** A worker as it was planned. In an implementation it is what others call a track. */
export interface Planned {
  readonly id: string
  readonly topic: string
  readonly needs: readonly string[]
  /** Paths and patterns that nobody at work at the same time may claim. */
  readonly files: readonly string[]
  readonly stage: string | null
}

/** What is handed on of a report; the whole is kept as a blob. */
export interface Report {
  /** Where the worker wrote it. */
  readonly path: string | null
  readonly kept: { readonly sha256: string; readonly bytes: number } | null
  readonly title: string
  /** At most 50 words. */
  readonly summary: string
  /** At most two. */
  readonly key_findings: readonly string[]
  /** Members that were taken from the Markdown by rule; the worker gave the others. */
  readonly by_rule: readonly ('title' | 'summary' | 'key_findings')[]
}

/** Numbers by name; names that end in `_percent` are not added up. */
export type Metrics = Readonly<Record<string, number>>

/** How a duration was had: told by the worker, from its beginning, or from when it could have begun. */
export type Timed = 'told' | 'begun' | 'ready'

export interface Of {
  readonly supervisor: string
  readonly worker: string
}

interface Over extends Of {
  readonly duration_ms: number | null
  readonly timed: Timed | null
  readonly report: Report | null
  readonly metrics: Metrics
}

export interface Began {
  readonly supervisor: string
  readonly kind: SupervisorKind
  readonly workers: readonly Planned[]
  /** Workers by depth of their needs, or by stage. */
  readonly waves: readonly (readonly string[])[]
  readonly stages: readonly string[]
  /** Share of the workers that must succeed. */
  readonly min_success: number
}

export type SupervisionEvent =
  | { readonly type: 'supervision.started'; readonly data: Began }
  | {
      readonly type: 'supervision.worker-begun'
      /** `by`: an actor; not in logs of older versions. */
      readonly data: Of & { readonly token: number; readonly by?: string }
    }
  | {
      readonly type: 'supervision.worker-returned'
      readonly data: Of & { readonly token: number; readonly reason: string }
    }
  | { readonly type: 'supervision.worker-reported'; readonly data: Over }
  | { readonly type: 'supervision.worker-failed'; readonly data: Over & { readonly reason: string } }
  | { readonly type: 'supervision.worker-skipped'; readonly data: Of & { readonly reason: string } }
  | {
      readonly type: 'supervision.retried'
      readonly data: { readonly supervisor: string; readonly workers: readonly string[] }
    }
  | {
      readonly type: 'supervision.ended'
      readonly data: { readonly supervisor: string; readonly status: Exclude<SupervisorStatus, 'running'> }
    }

/** pending → running → completed or failed, or back when who began it is lost; → skipped when what it needs cannot come, or its supervisor was stopped. */
export type WorkerStatus = 'pending' | 'running' | 'completed' | 'failed' | 'skipped'

export type SupervisorStatus = 'running' | 'completed' | 'partial_success' | 'failed'

export interface WorkerRecord extends Planned {
  status: WorkerStatus
  /** Attempts that began or ended. */
  attempts: number
  /** Fencing token: sequence number of the commit in which it began; null when it has not. */
  token: number | null
  /** The actor that began it last; not there where none did. */
  by?: string | undefined
  /** When it was last opened: by the start of its supervisor, by a retry, or when it was given back. */
  opened_at: string
  begun_at: string | null
  ended_at: string | null
  duration_ms: number | null
  timed: Timed | null
  report: Report | null
  metrics: Metrics
  /** Why it failed, was skipped or was given back. */
  reason: string | null
}

export interface SupervisorRecord {
  readonly id: string
  readonly kind: SupervisorKind
  status: SupervisorStatus
  workers: Record<string, WorkerRecord>
  readonly waves: readonly (readonly string[])[]
  readonly stages: readonly string[]
  readonly min_success: number
  readonly started_at: string
  ended_at: string | null
}

export interface SupervisionSlice {
  supervisors: Record<string, SupervisorRecord>
}
