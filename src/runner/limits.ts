/*
 * When a worker is told to stop.
 *
 * Z1. At 100 % of its time it gets SIGTERM; SIGKILL comes at 110 %, but not before the grace is over, which begins with SIGTERM
 *     however late that comes. Both go to its groups.
 * Z2. A worker that was adopted keeps the time it has spent, also where the clock of the machine was set meanwhile.
 * Z3. Who comes back when another has taken its place signals nobody: the worker is that other's.
 */
import type { StopReason, Worker } from '../kernel/work/worker.ts'
import type { Notice } from './notice.ts'

const GRACE_MS = 10_000
const HARD_PERCENT = 110
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface Limits {
  readonly timeout_ms: number | undefined
  readonly scale: number
  /** Told when it is to stop before its time. */
  readonly stop: Notice
  /** Z3 */
  readonly isOurs: () => Promise<boolean>
  readonly tell: (signal: 'SIGTERM' | 'SIGKILL', reason: StopReason) => void
}

/** When to send which signal, in ms from the start. */
export function deadlines(timeout_ms: number, grace_ms: number): { readonly soft: number; readonly hard: number } {
  return { soft: timeout_ms, hard: Math.max((timeout_ms * HARD_PERCENT) / 100, timeout_ms + grace_ms) }
}

/** Watches over a worker until it has ended; the answer ends the watch. */
export function watchOver(worker: Worker, { timeout_ms, scale, stop, isOurs, tell }: Limits): () => void {
  const timers = new Set<ReturnType<typeof setTimeout>>()
  const grace = GRACE_MS * scale
  let over = false
  const send = async (name: 'SIGTERM' | 'SIGKILL', reason: StopReason): Promise<void> => {
    if (!(await isOurs()) || over) return
    tell(name, reason)
    worker.stop(name, reason)
  }
  const after = (ms: number, task: () => void): void => {
    const rest = ms - LONGEST_TIMER_MS
    const due = () => (rest > 0 ? after(rest, task) : task())
    timers.add(setTimeout(due, Math.max(0, Math.min(ms, LONGEST_TIMER_MS))))
  }
  const end = (reason: StopReason, kill: number): void => {
    void send('SIGTERM', reason)
    after(Math.max(kill, grace), () => void send('SIGKILL', reason))
  }
  if (timeout_ms !== undefined) {
    const { soft, hard } = deadlines(timeout_ms, grace)
    after(soft - worker.spent(), () => end('timeout', hard - worker.spent()))
  }
  const forget = stop.on(() => end('interrupted', grace))
  return () => {
    over = true
    for (const timer of timers) clearTimeout(timer)
    forget()
  }
}
