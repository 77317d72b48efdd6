/* What is wrong with the session files of an agent CLI. */
export type Store = 'claude' | 'codex' | 'opencode'

export type FindingKind = 'torn' | 'twice' | 'parent' | 'old'

export interface Finding {
  readonly kind: FindingKind
  readonly session: string
  readonly file: string
  readonly detail: string
}

export interface StoreReport {
  readonly store: Store
  /** As people are told of it. */
  readonly name: string
  readonly root: string
  readonly files: readonly string[]
  /** Of a copy in which the files stand together, by its time. */
  readonly folder?: string
  readonly sessions: number
  /** How many of them were read whole. */
  readonly whole: number
  /** What was seen and not read, and why. */
  readonly unread?: string
  readonly findings: readonly Finding[]
}
