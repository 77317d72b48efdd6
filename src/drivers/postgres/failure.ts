import { EngineError, isError } from '../../kernel/error.ts'
import { errnoOf } from '../../kernel/system-error.ts'

/** The server is away, goes down, comes up, is no longer the one that takes writes, or has given up on the statement. */
const PASSING =
  /^(08...|57P0[1-5]|57014|25006|40001|40P01|53300|55P03|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|CONNECTION_\w+|CONNECT_TIMEOUT|STATEMENT_LOST)$/

/** Those that say for sure that the statement did nothing. */
const UNDONE =
  /^(57014|57P03|25006|40001|40P01|53300|55P03|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT)$/

/** A server that is there, and says that it takes nobody yet, or nobody more. */
const BUSY = /^(53300|57P0[123])$/

export const isBusy = (error: unknown): boolean => BUSY.test(codeOf(error))
export const isPassing = (error: unknown): boolean => PASSING.test(codeOf(error))
export const isUndone = (error: unknown): boolean => UNDONE.test(codeOf(error))

export const codeOf = (error: unknown): string => errnoOf(error) ?? ''

const HINTS: Readonly<Record<string, string>> = {
  '28P01': 'check user and password; PGPASSWORD keeps the password out of the address',
  '28000': 'check user and pg_hba.conf on the server',
  '3D000': 'make the database first: createdb',
  '42501': 'this user lacks a right: see docs/how-to/postgres.md',
  '53300': 'end other programs, put fewer connections into their addresses with max, or raise max_connections',
  '08P01': 'of PgBouncer: set ignore_startup_parameters as docs/how-to/postgres.md says',
  CONNECTION_DESTROYED: 'this server takes no writes: name the one that does, or all of them with commas',
  ECONNREFUSED: 'start the server, or check host and port',
  ENOTFOUND: 'check the name of the host',
  ERR_TLS_CERT_ALTNAME_INVALID: 'name the server as its certificate does, or ask only who signed it: sslmode=verify-ca',
}

/** Node has no one code for them. */
function hintOf(code: string, said: string): string {
  if (/before secure TLS connection/.test(said))
    return 'this server takes no TLS: turn it on there, or see sslmode of the address'
  const isCertificate = /CERT|SIGNATURE/.test(code)
  return (
    HINTS[code] ??
    (isCertificate
      ? 'name the authority that signed its certificate: sslrootcert=ca.pem'
      : 'check the server, then try again')
  )
}

/** An error of the server or the connection as one of ours, with the next step. */
export function asFailure(error: unknown, doing: string): EngineError {
  if (error instanceof EngineError) return error
  const code = codeOf(error)
  const said = isError(error) && error.message !== '' ? error.message : code
  const full = code === '53100'
  return new EngineError(full ? 'DISK_FULL' : 'STORE_UNAVAILABLE', `${doing}: ${said}`, {
    hint: full ? 'free space on the server' : hintOf(code, said),
    details: { code },
    cause: error,
  })
}

export const unsure = (session: string, cause: unknown): EngineError =>
  new EngineError('OUTCOME_UNKNOWN', `session ${session}: the server went away while it was asked to commit`, {
    hint: 'when it is back, read the log: steadfold log',
    cause,
  })
