/* What waits: for its own time, or for the breaker of its command, which a person may close. */
import { hold } from '../domain/steps/breaker.ts'
import type { StepRecord } from '../domain/steps/events.ts'
import { breakerOf } from '../domain/steps/steps.ts'
import type { RunEvent } from '../kernel/work/runner.ts'
import type { Slot } from './board.ts'
import type { Run } from './context.ts'
import { ledgerOf, now, stepNamed, toType } from './ground.ts'

/** Steps in one line; the first ones say enough. */
const MOST_NAMED = 3

interface Later {
  readonly ms: number
  /** Family of commands whose breaker makes it later than its own delay would. */
  readonly held: string | undefined
}

/** When a step that has failed may really run again, after `delay` ms or later. */
export function laterBy(run: Run, { name }: Slot, delay: number): Later {
  const family = stepNamed(run.session, name)?.family
  const at = now(run)
  const held = family === undefined ? undefined : hold(breakerOf(ledgerOf(run.session), family), at)
  if (held === undefined || !('until' in held) || held.until <= at + delay) return { ms: delay, held: undefined }
  return { ms: held.until - at, held: family }
}

/** Whether a breaker was closed that a step waits for: by a person, or by what succeeded meanwhile. */
export const isLetGo = ({ session }: Run, { held }: Slot): boolean =>
  held !== undefined && breakerOf(ledgerOf(session), held).until === null

/** Of those that wait, the first one says for what. */
export function waitingFor(run: Run, waiting: readonly Slot[]): Extract<RunEvent, { type: 'waiting' }> {
  const slots = waiting.toSorted((a, b) => a.notBefore - b.notBefore)
  const [first] = slots
  const held = first?.held
  const names = slots.filter((slot) => slot.held === held).map(({ name }) => name)
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  const said = `${names.slice(0, MOST_NAMED).join(', ')}${more}`
  const reason = held === undefined ? `for a retry of ${said}` : `${said}: "${held}" failed too often in a row`
  const next = held === undefined ? null : closing(run, names, held)
  return { type: 'waiting', reason, until: first?.notBefore ?? 0, next }
}

/** What closes the breaker at once: a word on a step of the family, best on one that waits. */
function closing({ session }: Run, names: readonly string[], family: string): string | null {
  const all = Object.values(ledgerOf(session)?.ledger ?? {}).filter(
    (record) => record.family === family && isOver(record),
  )
  const record = all.find(({ name }) => names.includes(name)) ?? all[0]
  if (record === undefined) return null
  return toType(session, 'step', record.status === 'failed' ? 'retry' : 'release', record.name)
}

const isOver = ({ status }: StepRecord): boolean => status === 'failed' || status === 'parked'
