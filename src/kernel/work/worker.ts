/*
 * A command at work in a process of its own: what the runner asks for, and what the driver of processes answers.
 */
export type Stream = 'stdout' | 'stderr'

/** Told what a command writes, soon after. Who answers false has no room for more now, and is told the rest later, or at the end. */
export type OnOutput = (stream: Stream, bytes: Uint8Array) => unknown

export interface Job {
  readonly session: string
  /** Name of the attempt's folder; used once. */
  readonly dir: string
  /** For a shell, or a program with its arguments. */
  readonly command: string | readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly onOutput?: OnOutput | undefined
  /** It reads what its runner could read; nothing when left out. */
  readonly stdin?: 'inherit' | undefined
  /** It is stopped after so many milliseconds, unless its runner extends that. Left out, it outlives its runner. */
  readonly within?: number | undefined
}

/** Why a worker was told to stop. */
export type StopReason = 'timeout' | 'interrupted'

export interface Written {
  /** What the worker wrote into STEADFOLD_OUTPUT; empty when that cannot be taken whole. */
  readonly outputs: string
  /** Why what it left cannot be taken. */
  readonly fault: string | null
  readonly stdout: Text
  readonly stderr: Text
}

export interface Ended extends Written {
  readonly kind: 'ended'
  /** As a shell gives it: 128 + n for signal n. */
  readonly exit: number
  readonly duration_ms: number
  readonly stopped: StopReason | null
}

export interface Text {
  readonly bytes: Uint8Array
  readonly truncated: boolean
}

/** The wrapper died and left no result. */
export interface Gone {
  readonly kind: 'gone'
  /** False when it is certain that the command did not begin; else whether it had its effect is not known. */
  readonly begun: boolean
  /** The system takes no such command or environment: not another time, either. */
  readonly unfit?: boolean
  /** Until then; undefined where it did not begin. */
  readonly written?: Written
  readonly reasons: readonly string[]
}

export interface Worker {
  readonly pid: number
  /** How long it has been at work, in milliseconds, whatever becomes of the time of day. */
  readonly spent: () => number
  readonly ended: Promise<Ended | Gone>
  /** Sends a signal to the process group of the worker, and notes why. */
  stop(signal: 'SIGTERM' | 'SIGKILL', reason: StopReason): void
  /** Stopped so many milliseconds from now, or never, when it was bound by `within`. */
  extend(within: number | 'for good'): void
  /** Stops watching; the worker goes on. */
  detach(): void
}

export type Found =
  | Ended
  | Gone
  | { readonly kind: 'alive'; readonly worker: Worker }
  /** It was never begun, and never will be: its folder is claimed. */
  | { readonly kind: 'never' }
