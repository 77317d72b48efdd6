import type { ProcessRef } from '../../kernel/care/recovery.ts'
import type { FailureClass } from '../../kernel/work/runner.ts'
import type { Report } from '../supervision/events.ts'

/** What a shell runs, or a program with its arguments; null for a gate, which a person passes. */
export type Command = string | readonly string[] | null

/** Where an attempt is worked on. */
export interface Worker {
  /** Name of the attempt's folder under `work/` of the session; used once. */
  readonly dir: string
  /** The runner that started or adopted it. */
  readonly runner: ProcessRef | null
  /** Of the wrapper beside the command; null until somebody has seen it. */
  readonly pid: number | null
}

export interface Artifact {
  readonly path: string
  readonly sha256: string
  readonly bytes: number
}

/** A text the step wrote, kept as a blob. */
export interface Captured {
  readonly sha256: string
  readonly bytes: number
  /** True when only its end is kept. */
  readonly truncated: boolean
}

export interface Cost {
  readonly tokens: number
  readonly cost_usd: number
  readonly duration_ms: number
}

interface Written {
  readonly stdout: Captured | null
  readonly stderr: Captured | null
}

export interface Result extends Cost, Written {
  readonly exit: number
  readonly outputs: Readonly<Record<string, string>>
  readonly artifacts: readonly Artifact[]
  /** What is handed on of the Markdown that the step declares as its report. */
  readonly report?: Report | undefined
}

export interface Failure extends Cost, Written {
  readonly class: FailureClass
  readonly reason: string
  readonly exit: number | null
  /** Stopped because its runner was asked to stop: says nothing about the command. */
  readonly interrupted: boolean
  /** Its runner tries again by itself. */
  readonly again?: boolean | undefined
}

interface Of {
  readonly key: string
  /** Fencing token: sequence number of the commit that started the attempt. */
  readonly token: number
}

interface Named {
  readonly key: string
  readonly name: string
  /** State of the workflow it belongs to, if any. */
  readonly state: string | null
}

export interface Started extends Named, Of {
  readonly attempt: number
  readonly command: Command
  /** Commands of one family fail together: they share a breaker. */
  readonly family: string
  readonly repeatable: boolean
  readonly worker: Worker | null
  /** Token of the lease under which it runs; null outside a workflow. Not in logs of older versions. */
  readonly lease?: number | null
}

/** A runner that takes steps of a workflow which another drives. */
export interface Runner {
  /** Sequence number of the commit by which it joined; the lease of its steps. */
  readonly token: number
  readonly process: ProcessRef
  readonly joined_at: string
  /** Milliseconds since 1970, by the clock of the store. */
  readonly expires: number
}

export type StepEvent =
  | { readonly type: 'step.started'; readonly data: Started }
  | { readonly type: 'step.adopted'; readonly data: Of & { readonly worker: Worker; readonly lease?: number | null } }
  | { readonly type: 'step.finished'; readonly data: Of & Result }
  | { readonly type: 'step.failed'; readonly data: Of & Failure }
  | { readonly type: 'step.parked'; readonly data: Named & { readonly reason: string } }
  | { readonly type: 'step.released'; readonly data: { readonly key: string } }
  | { readonly type: 'step.retried'; readonly data: { readonly key: string } }
  | { readonly type: 'step.reused'; readonly data: Named }
  | { readonly type: 'step.breaker-opened'; readonly data: { readonly family: string; readonly until: number } }
  | { readonly type: 'step.breaker-closed'; readonly data: { readonly family: string } }
  | { readonly type: 'runner.joined'; readonly data: Omit<Runner, 'joined_at'> }
  | { readonly type: 'runner.renewed'; readonly data: Pick<Runner, 'token' | 'expires'> }
  | { readonly type: 'runner.left'; readonly data: { readonly token: number; readonly reason: 'done' | 'lost' } }

/** absent → running → finished, or by way of failed, parked and ready back to running. See steps.ts. */
export type StepStatus = 'running' | 'finished' | 'failed' | 'parked' | 'ready'

export interface StepRecord {
  readonly key: string
  name: string
  state: string | null
  status: StepStatus
  command: Command
  family: string
  repeatable: boolean
  /** Attempts ever started. */
  attempts: number
  /** Failures since the step was first started, released or retried. */
  failures: number
  /** The attempt under way, or the last one. */
  attempt: {
    readonly token: number
    readonly number: number
    readonly started_at: string
    readonly worker: Worker | null
    readonly lease: number | null
  } | null
  result: Result | null
  failure: Failure | null
  /** Why it waits for a person. */
  reason: string | null
  /** What all attempts cost together. */
  spent: Cost
  finished_at: string | null
  /** How often its result was taken instead of running it. */
  reused: number
}

/** Of one family of commands. Closed while `until` is null. */
export interface Breaker {
  failures: number
  successes: number
  /** Milliseconds since 1970; before it nothing of the family starts, after it one attempt at a time. */
  until: number | null
  /** Key of the attempt that tries again. */
  probe: string | null
}

export interface StepsSlice {
  ledger: Record<string, StepRecord>
  /** Name -> key it last had. */
  names: Record<string, string>
  breakers: Record<string, Breaker>
  /** By token: who takes steps beside the holder of the session's lease. */
  runners: Record<string, Runner>
}
