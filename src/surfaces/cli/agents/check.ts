export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'bad'
  readonly found: string
  readonly hint?: string
  /** Each thing by itself, where there may be many. */
  readonly findings?: readonly object[]
}
