/* A settings file of an agent CLI, and what belongs into it. */

/** Behind a command for a shell this is a comment. */
export const MARK = '# steadfold'

export const SERVER = 'steadfold'

export interface Hook {
  readonly event: string
  readonly command: string
  /** Of which of them; of all, where it is left out. */
  readonly matcher?: string
  /** Where it may take no longer than this; as of its file, where that is left out. */
  readonly timeout?: number
}

/** A file, and what goes into it. */
export interface Target {
  readonly file: string
  readonly format: 'json' | 'toml' | 'plugin'
  readonly hooks: readonly Hook[]
  /** Seconds, or milliseconds where the CLI counts so. */
  readonly timeout: number
  /** Command line of the MCP server, where that belongs into this file. */
  readonly server: readonly string[] | undefined
  /** Command of the status line; set only where there is none. */
  readonly statusLine: string | undefined
  /** The whole text of the file, where it is a program of ours. */
  readonly plugin?: string
}
