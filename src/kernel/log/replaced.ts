/* A log that was open here and is another now, for a repair, or what came from elsewhere, took its place; or is cut short. */
import { EngineError } from '../error.ts'

export const logReplaced = (session: string): EngineError =>
  new EngineError('LOG_CORRUPT', `the log of session ${session} was replaced while it was open here`, {
    hint: 'try again: it is read anew',
    details: { session, replaced: true },
  })

/** Somebody is writing to its file in place, or its end is lost: nobody writes until what was read stands there again. */
export const logShrunk = (session: string): EngineError =>
  new EngineError('LOG_CORRUPT', `the log of session ${session} ends before what was read of it here`, {
    hint: `bring the file back, or: steadfold verify --session ${session}`,
    details: { session, passing: true },
  })

export const isReplaced = (error: unknown): boolean =>
  error instanceof EngineError && error.details?.['replaced'] === true

/** It says nothing of a log that stays as it is. */
export const isPassing = (error: unknown): boolean =>
  isReplaced(error) || (error instanceof EngineError && error.details?.['passing'] === true)
