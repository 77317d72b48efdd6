/* What relays say: read no further than it has to be, and told in words. */
import { asError, EngineError } from '../../kernel/error.ts'
import { whole } from '../../kernel/text/whole.ts'

const MOST_SAID = 200

/** What a relay says in words, short and well-formed: it is kept in the log. */
export const saidIn = (given: unknown): string | undefined =>
  typeof given === 'string' ? whole(given.replaceAll(/\p{Surrogate}/gu, '\ufffd'), MOST_SAID) : undefined

/** As far as it has to be for a filter to read it. */
export const isEventLike = (given: unknown): boolean =>
  typeof given === 'object' &&
  given !== null &&
  'created_at' in given &&
  isTime(given.created_at) &&
  'tags' in given &&
  Array.isArray(given.tags) &&
  given.tags.every(isList)

/** Pages of what is stored are asked for by it. */
const isTime = (given: unknown): boolean => Number.isSafeInteger(given) && Number(given) >= 0

const isList = (given: unknown): boolean => Array.isArray(given)

export function parsed(data: string): readonly unknown[] {
  try {
    const message: unknown = JSON.parse(data)
    return Array.isArray(message) ? message : []
  } catch {
    return []
  }
}

export const unreachable = (url: string, cause: unknown): EngineError =>
  new EngineError('STORE_UNAVAILABLE', `relay ${url} is not there: ${asError(cause).message}`, {
    hint: 'try again later, or another relay; what was posted is kept here and published then',
    cause,
  })

/** `known`: what it said of the key that it was shown. */
export const refusedBy = (url: string, why: string, known?: Known): EngineError =>
  new EngineError('STORE_UNAVAILABLE', `relay ${url} refused: ${why}${known?.ok === false ? notTaken(known) : ''}`, {
    hint:
      why.startsWith('auth-required') && known === undefined
        ? 'it wants a key: export STEADFOLD_NOSTR_KEY=FILE'
        : 'try again, or another relay',
  })

interface Known {
  readonly ok: boolean
  readonly message: string
}

const notTaken = ({ message }: Known): string => `; it does not take the key: ${message}`
