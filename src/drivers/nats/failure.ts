import { asError, EngineError, isError } from '../../kernel/error.ts'

const WRONG_LAST_SEQUENCE = 10071
const NOT_FOUND = 10037
const NO_STREAM = 10059
const NO_PEERS = 10005
const NO_PURGE = 10110

/** By what JetStream answers; everything else is the connection or a cluster without a leader, which passes. */
export const isStale = (error: unknown): boolean => apiCode(error) === WRONG_LAST_SEQUENCE
export const isMissing = (error: unknown): boolean => apiCode(error) === NOT_FOUND
export const isNoStream = (error: unknown): boolean => apiCode(error) === NO_STREAM

/** Servers of a cluster that has just begun do not know each other yet. */
const isTooFew = (error: unknown): boolean => apiCode(error) === NO_PEERS

/** By the stream, or by the rights of the user. */
export const isForbidden = (error: unknown): boolean =>
  apiCode(error) === NO_PURGE ||
  (isError(error) && isError(error.cause) && error.cause.name === 'PermissionViolationError')

/** What the client says of an object; it has no code. */
export const isCorrupt = (error: unknown): boolean => isError(error) && /digests do not match/.test(error.message)

/** What the clients call it when nobody answers: a server that is away, or a cluster without a leader. */
const NO_ANSWER = /^(TimeoutError|NoResponders|RequestError|ConnectionError|JetStreamNotEnabled|JetStreamError|Behind)$/

/** 500 and 503 of the API: no leader, or not enough of the cluster. */
export function isPassing(error: unknown): boolean {
  if (!isError(error) || isForbidden(error)) return false
  return isTooFew(error) || NO_ANSWER.test(error.name) || (statusOf(error) ?? 0) >= 500
}

export const noAnswer = (message: string): Error => Object.assign(new Error(message), { name: 'TimeoutError' })

/** A leader that is new does not know all of the log yet. */
export const behind = (seq: number): Error =>
  Object.assign(new Error(`the log ends before commit ${seq}`), { name: 'Behind' })

/** Messages that do not follow each other. */
export const astray = (): Error => Object.assign(new Error('another history'), { name: 'Astray' })
export const isAstray = (error: unknown): boolean => isError(error) && error.name === 'Astray'

function apiCode(error: unknown): number | undefined {
  return isError(error) && 'code' in error && typeof error.code === 'number' ? error.code : undefined
}

function statusOf(error: unknown): number | undefined {
  return isError(error) && 'status' in error && typeof error.status === 'number' ? error.status : undefined
}

export function asFailure(error: unknown, doing: string): EngineError {
  if (error instanceof EngineError) return error
  if (isTooFew(error))
    return new EngineError('STORE_UNAVAILABLE', `${doing}: the cluster has too few servers up for that many copies`, {
      hint: 'start three that keep streams, or add replicas=1 to the address of the new workspace',
      cause: error,
    })
  const said = asError(error).message
  return new EngineError('STORE_UNAVAILABLE', `${doing}: ${said}`, {
    hint: 'check the servers and that JetStream is on, then try again',
    cause: error,
  })
}

export const unsure = (session: string, cause: unknown): EngineError =>
  new EngineError('OUTCOME_UNKNOWN', `session ${session}: the servers went away while they were asked to commit`, {
    hint: 'when they are back, read the log: steadfold log',
    cause,
  })

export const closed = (session: string): EngineError =>
  new EngineError('LIFECYCLE_INVALID', `session ${session} is about to be archived, and takes no commits`, {
    hint: `steadfold session archive ${session}, which finishes that`,
  })
