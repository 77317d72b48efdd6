/* Errors of the operating system, as ours: with a code, and the next step where it happened. */
import { EngineError, isError, type ErrorCode } from './error.ts'

/** What an errno means at a place, and what helps there. */
export type Said = Readonly<Record<string, readonly [code: ErrorCode, hint: string]>>

/** `doing`: "cannot read FILE", as people are told. One of ours stays as it is. */
export function systemError(error: unknown, doing: string, said: Said): EngineError {
  if (error instanceof EngineError) return error
  const errno = errnoOf(error) ?? 'unknown error'
  const [code, hint] = said[errno] ?? (['STORE_UNAVAILABLE', 'check the disk, then try again'] as const)
  return new EngineError(code, `${doing}: ${errno}`, { hint, details: { errno }, cause: error })
}

/** Such as ENOENT; undefined for what the operating system did not say. */
export function errnoOf(error: unknown): string | undefined {
  return isError(error) && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
