/*
 * Every way Steadfold says no, and what surfaces make of it.
 *
 * One table: code -> exit status and HTTP status. A code is stable; a message is for people.
 * Each code has a heading in docs/errors.md.
 */
import { whole } from './text/whole.ts'

const TABLE = {
  UNEXPECTED: [1, 500],
  NOT_FOUND: [3, 404],
  SESSION_NOT_FOUND: [3, 404],
  WORKSPACE_NOT_FOUND: [3, 404],
  POINT_NOT_FOUND: [3, 404],
  STEP_NOT_FOUND: [3, 404],
  OUTPUT_NOT_FOUND: [3, 404],
  PATH_NOT_FOUND: [3, 404],
  FILE_NOT_FOUND: [3, 404],
  INPUT_INVALID: [4, 422],
  PATH_INVALID: [4, 422],
  PATH_NOT_WRITABLE: [4, 422],
  QUERY_INVALID: [4, 422],
  PATCH_INVALID: [4, 422],
  TEST_FAILED: [4, 422],
  KEY_FORBIDDEN: [4, 422],
  KEY_DUPLICATE: [4, 422],
  KEY_REUSED: [4, 422],
  JSON_INVALID: [4, 422],
  NUMBER_NOT_EXACT: [4, 422],
  VALUE_NOT_JSON: [4, 422],
  VALUE_TOO_DEEP: [4, 422],
  VALUE_TOO_LARGE: [4, 413],
  OUTPUT_INVALID: [4, 422],
  FILE_UNREADABLE: [4, 422],
  NAME_INVALID: [4, 422],
  NAME_TAKEN: [4, 409],
  SESSION_AMBIGUOUS: [4, 409],
  SESSION_NOT_WRITABLE: [4, 409],
  LIFECYCLE_INVALID: [4, 409],
  MARK_TAKEN: [4, 409],
  TRANSITION_INVALID: [4, 409],
  TRANSITION_UNFINISHED: [4, 409],
  WORKFLOW_MISSING: [4, 409],
  WORKFLOW_INVALID: [4, 422],
  WORKFLOW_CYCLE: [4, 422],
  STEP_STATUS_INVALID: [4, 409],
  TASK_STATUS_INVALID: [4, 409],
  TASK_NOT_READY: [4, 409],
  DEPENDENCY_CYCLE: [4, 422],
  PLAN_STATUS_INVALID: [4, 409],
  WORKER_STATUS_INVALID: [4, 409],
  FILES_CLAIMED: [4, 409],
  DEADLOCK: [4, 409],
  HANDOFF_STATUS_INVALID: [4, 409],
  AGENT_STATUS_INVALID: [4, 409],
  PROJECT_STATUS_INVALID: [4, 409],
  TURN_STATUS_INVALID: [4, 409],
  SPOOL_FACT_INVALID: [4, 422],
  SIGNER_MISSING: [4, 409],
  LIMIT_REACHED: [4, 409],
  BUNDLE_SEALED: [4, 403],
  SIGNER_UNKNOWN: [4, 403],
  ROLE_REFUSED: [4, 403],
  CONFLICT: [5, 409],
  DIVERGED: [5, 409],
  LEASE_HELD: [6, 423],
  LEASE_LOST: [6, 423],
  SESSION_DEPARTED: [6, 423],
  EPOCH_STALE: [6, 409],
  DAEMON_RUNNING: [6, 423],
  WAIT_TIMEOUT: [7, 408],
  CONTENDED: [8, 503],
  STORE_UNAVAILABLE: [8, 503],
  DISK_FULL: [8, 507],
  FILE_TOO_LARGE: [8, 507],
  READ_ONLY: [8, 503],
  BREAKER_OPEN: [8, 503],
  OUTCOME_UNKNOWN: [8, 503],
  WORKSPACE_UNSAFE: [8, 503],
  CLOSED: [8, 503],
  DAEMON_NOT_RUNNING: [8, 503],
  PORT_TAKEN: [8, 503],
  STREAMS_FULL: [8, 503],
  TOKEN_INVALID: [8, 401],
  ORIGIN_REFUSED: [8, 403],
  HOST_REFUSED: [8, 421],
  LOG_CORRUPT: [9, 500],
  CHECKPOINT_AHEAD: [9, 500],
  BLOB_CORRUPT: [9, 500],
  BUNDLE_INVALID: [9, 422],
  VERSION_UNKNOWN: [9, 501],
  PARTIAL: [10, 200],
  STEP_FAILED: [10, 200],
  NEEDS_PERSON: [11, 409],
  CONSENT_NEEDED: [11, 409],
  USAGE: [64, 400],
  OPERATION_UNKNOWN: [64, 404],
  METHOD_NOT_ALLOWED: [64, 405],
  MEDIA_TYPE_UNSUPPORTED: [64, 415],
} as const satisfies Record<string, readonly [exit: number, http: number]>

export type ErrorCode = keyof typeof TABLE

// Object.keys gives string[]; the keys of a const table are exactly its key type.
export const ERROR_CODES = Object.keys(TABLE) as readonly ErrorCode[]

export const exitStatus = (code: ErrorCode): number => TABLE[code][0]
export const httpStatus = (code: ErrorCode): number => TABLE[code][1]

export interface ErrorOptions {
  /** What to do next, as a sentence or a command. */
  readonly hint?: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** Of a line; what is said of a name or a value in it stands at its ends. */
const LONGEST_LINE = 1000
const KEPT = { head: 400, tail: 200 }

/** A name or a value of others may be of any length: of such a line both ends are told, and how much was left out. */
export function shortened(text: string): string {
  if (text.length <= LONGEST_LINE) return text
  const lines = text.split('\n').map((line) => {
    if (line.length <= LONGEST_LINE) return line
    // No half of a character, at the end as at the beginning.
    const tail = line.slice(-KEPT.tail).replace(/^[\udc00-\udfff]/, '')
    return `${whole(line, KEPT.head)}… ${line.length - KEPT.head - KEPT.tail} characters …${tail}`
  })
  return lines.join('\n')
}

const BRAND = Symbol.for('steadfold.EngineError')

/** A failure with a stable `code`; the message holds the offending value, `hint` the next step. */
export class EngineError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly [BRAND] = true

  /** True for errors of other copies of this module, too: a program that starts fast loads operations from their own file. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value
  }

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(shortened(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'EngineError'
    this.code = code
    this.hint = options.hint === undefined ? undefined : shortened(options.hint)
    this.details = options.details
  }
}

export const closed = (what: string): EngineError =>
  new EngineError('CLOSED', `${what} is closed`, { hint: 'open it again' })

export const noArchive = (): EngineError => new EngineError('STORE_UNAVAILABLE', 'this store keeps no archive')

/** Also those of Node where a program runs in a realm of its own, as under Jest: they are no children of its Error. */
export const isError = (error: unknown): error is Error =>
  error instanceof Error || Object.prototype.toString.call(error) === '[object Error]'

/** Anything may be thrown. */
export const asError = (error: unknown): Error => (isError(error) ? error : new Error(String(error)))
