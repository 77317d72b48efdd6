/* A log that was open here and is another now: a repair, or what came from elsewhere, took its place. */
import { EngineError } from './error.ts'

export const logReplaced = (session: string): EngineError =>
  new EngineError('LOG_CORRUPT', `the log of session ${session} was replaced while it was open here`, {
    hint: 'try again: it is read anew',
    details: { session, replaced: true },
  })

export const isReplaced = (error: unknown): boolean =>
  error instanceof EngineError && error.details?.['replaced'] === true
