import type { ErrorCode } from '../../../kernel/error.ts'

/** What a look at this machine has found, as doctor tells it. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'bad'
  readonly found: string
  readonly hint?: string
  /** How many logs do not tell the truth. */
  readonly damaged?: number
  /** There is none of what was to be looked at, which is no harm to it. */
  readonly missing?: true
  /** Only another version of this program can read it. */
  readonly unknown?: true
  /** Each thing by itself, where there may be many. */
  readonly findings?: readonly object[]
}

/** What is said of it by the exit, as every command says it. */
export const SORTS: Partial<Record<ErrorCode, Pick<Check, 'missing' | 'unknown'>>> = {
  WORKSPACE_NOT_FOUND: { missing: true },
  VERSION_UNKNOWN: { unknown: true },
}
