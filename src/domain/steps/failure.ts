/*
 * What a failure means, from what the worker said and how it ended.
 *
 * F1. What the worker says in its output file counts most: STEADFOLD_FAILURE=terminal:quota, or transient:reason. Other text is
 *     the reason alone; without any, nothing is said.
 * F2. Then the exit status, as sysexits.h has it: 64–70, 76–78 ask for a person; 126 and 127 are no program; 75 asks to
 *     be run again.
 * F3. Anything else is transient: it runs again only as often as the step's `retries` say.
 */
import { whole } from '../../kernel/text/whole.ts'
import type { FailureClass } from '../../kernel/work/runner.ts'

/** Name of the output by which a worker says what its failure is. */
export const FAILURE_OUTPUT = 'STEADFOLD_FAILURE'
const TERMINAL: Readonly<Record<number, string>> = {
  64: 'bad usage',
  65: 'bad data',
  66: 'input missing',
  67: 'unknown user',
  68: 'unknown host',
  69: 'service refused',
  70: 'internal error',
  76: 'protocol refused',
  77: 'permission denied',
  78: 'bad configuration',
  126: 'the command cannot be executed',
  127: 'the command was not found',
}
const TRY_AGAIN = 75
const FIRST_SIGNAL_STATUS = 129
const LAST_SIGNAL_STATUS = 192

export interface Verdict {
  readonly class: FailureClass
  readonly reason: string
  /** The worker asked to be run again: retried without `retries`. */
  readonly asked: boolean
}

export function classify(exit: number, said: string | undefined): Verdict {
  const [, kind, words = ''] = /^(?:(terminal|transient)(?::|$))?(.*)$/s.exec(said?.trim() ?? '') ?? []
  const reason = whole(words.trim(), 500)
  const ended = byStatus(exit)
  if (kind !== 'terminal' && kind !== 'transient') return reason === '' ? ended : { ...ended, reason }
  return { class: kind, reason: reason === '' ? `exit ${exit}` : reason, asked: kind === 'transient' }
}

/** F2, F3 */
function byStatus(exit: number): Verdict {
  if (exit === TRY_AGAIN)
    return { class: 'transient', reason: 'the worker asks to be run again (exit 75)', asked: true }
  const terminal = TERMINAL[exit]
  if (terminal !== undefined) return { class: 'terminal', reason: `${terminal} (exit ${exit})`, asked: false }
  return { class: 'transient', reason: signalOf(exit) ?? `exit ${exit}`, asked: false }
}

function signalOf(exit: number): string | undefined {
  return exit >= FIRST_SIGNAL_STATUS && exit <= LAST_SIGNAL_STATUS ? `ended by signal ${exit - 128}` : undefined
}

const DELAYS_S = [0, 2, 4, 8, 16]
/** Attempts that a worker that asks for it gets after its first. */
export const ASKED_RETRIES = DELAYS_S.length

/** Milliseconds before the attempt that follows `failures` failures; up to a quarter longer, so that many do not come at once. */
export function retryDelay(failures: number, random: number, scale = 1): number {
  const seconds = DELAYS_S[Math.min(failures, DELAYS_S.length) - 1] ?? 0
  return Math.round(seconds * 1000 * (1 + random / 4) * scale)
}
