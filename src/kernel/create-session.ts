/** What a new session is told of itself. */
export interface CreateSession {
  readonly name: string
  readonly goal?: string | undefined
  readonly mode?: string | undefined
  readonly context?: Readonly<Record<string, unknown>> | undefined
  /** It is set up first: no work begins before it is activated. */
  readonly hold?: boolean | undefined
  /** Chosen when left out: UUID v7. */
  readonly id?: string | undefined
  readonly actor?: string | undefined
  readonly key?: string | undefined
  readonly reason?: string | undefined
}
