/** What the place where a session is kept tells of it. */
export interface LogFacts {
  /** The folder that the workspace is for. */
  readonly folder?: string
  readonly segments: readonly { readonly name: string; readonly first: number; readonly bytes: number }[]
  /** Places that it was compared with, the latest at the end. */
  readonly synced?: readonly Synced[]
}

/** What is known of a place that another machine reaches, too. */
export interface Synced {
  readonly remote: string
  readonly url: string
  /** What lies there is sealed. */
  readonly sealed: boolean
  /** Up to here both have the same. */
  readonly seq: number
  readonly at: string
  readonly status: 'success' | 'error'
  readonly error: string | null
}
