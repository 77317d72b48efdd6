/* What becomes of those who lose race after race. */
import { EngineError } from '../error.ts'

/** Milliseconds: full jitter, 1 doubling to 64. */
export const delay = (attempt: number, random: number): number => Math.min(2 ** attempt, 64) * random

export const contended = (session: string, attempts: number): EngineError =>
  new EngineError(
    'CONTENDED',
    `session ${session}: ${attempts} attempts lost against other writers; nothing was written`,
    { hint: 'try again' },
  )
