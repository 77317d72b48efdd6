/** How answers look: `{"schema","data"}`, or `{"error":{"code","message","hint","details"}}` with the status of the code. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { asError, EngineError, httpStatus } from '../../kernel/error.ts'
import { kept } from '../../kernel/text/kept.ts'
import type { Env } from './env.ts'

/** What a route answers: `data`, and members beside it such as `next`. */
export interface Answered {
  readonly schema: string
  readonly data: unknown
  readonly more?: Readonly<Record<string, unknown>>
  readonly status?: ContentfulStatusCode
}

export const say = (context: Context<Env>, { schema, data, more, status = 200 }: Answered): Response =>
  context.json({ schema: `steadfold/${schema}/v1`, data: data ?? null, ...more }, status)

/** `session` is the one that the path names: what is to be typed next, names it. */
export function sayError(context: Context<Env>, error: unknown, session?: string): Response {
  const failure = asFailure(error)
  const status = httpStatus(failure.code)
  // It says what would be let in: RFC 9110, 15.5.2.
  if (status === 401) context.header('WWW-Authenticate', 'Bearer')
  // The table has no status without content.
  return context.json({ error: errorData(failure, session) }, status as ContentfulStatusCode)
}

export const errorData = ({ code, message, hint, details }: EngineError, session?: string) => ({
  code,
  message,
  hint: hint === undefined ? null : kept(hint, { dir: undefined, session }),
  details: details ?? null,
})

export function asFailure(error: unknown): EngineError {
  if (error instanceof EngineError) return error
  const message = asError(error).message
  return new EngineError('UNEXPECTED', message, { hint: 'please report it', cause: error })
}
