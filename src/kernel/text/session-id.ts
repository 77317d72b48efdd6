import { EngineError } from '../error.ts'

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

export const isSessionId = (id: string): boolean => SESSION_ID.test(id) && !id.includes('..')

export function checkedId(id: string): string {
  if (isSessionId(id)) return id
  throw new EngineError('NAME_INVALID', `${JSON.stringify(id.slice(0, 200))} is no session id`, {
    hint: 'letters, digits, dot, hyphen and underscore, at most 128, beginning with a letter or digit',
  })
}
