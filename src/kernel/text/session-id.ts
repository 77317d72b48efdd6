import { EngineError } from '../error.ts'

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

export const isSessionId = (id: string): boolean => SESSION_ID.test(id) && !id.includes('..')

export function checkedId(id: string): string {
  if (isSessionId(id)) return id
  throw new EngineError('NAME_INVALID', `${JSON.stringify(id.slice(0, 200))} is no session id`, {
    hint: 'letters, digits, dot, hyphen and underscore, at most 128, beginning with a letter or digit',
  })
}

/** When the session was made, in ISO 8601: an id of version 7 begins with that; of any other it is not known before `now` (ms). */
export function madeAt(id: string, now: number): string {
  const made = VERSION_7.test(id) ? Number.parseInt(id.replace('-', '').slice(0, 12), 16) : now
  return new Date(Math.min(made, now)).toISOString()
}

const VERSION_7 = /^[\da-f]{8}-[\da-f]{4}-7/
