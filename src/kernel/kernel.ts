import type { Folder } from './fold.ts'
import type { Module } from './module.ts'
import type { Catalogue } from './operation.ts'
import type { Host, Log, LogFacts } from './ports.ts'
import type { QueryEngine } from './query.ts'
import type { TokenCounter } from './texts.ts'
import type { Places } from './view.ts'

export interface Settings {
  /** Make checkpoints in the background. */
  readonly checkpoints: boolean
  /** Least bytes of log between two checkpoints. */
  readonly checkpointBytes: number
  /** Least time between two checkpoints of a session in use, in ms. */
  readonly checkpointMs: number
  /** A segment is sealed when it would outgrow this. */
  readonly segmentBytes: number
  /** Longest line, in bytes. */
  readonly commitBytes: number
}

export const DEFAULTS: Settings = {
  checkpoints: true,
  checkpointBytes: 128 * 1024,
  checkpointMs: 1000,
  segmentBytes: 64 * 1024 * 1024,
  commitBytes: 16 * 1024 * 1024,
}

/** Everything a session works with; put together in compose.ts. */
export interface Kernel {
  readonly log: Log
  readonly host: Host
  readonly modules: readonly Module[]
  readonly folder: Folder
  readonly operations: Catalogue
  /** What is derived when it is read, by where it stands in the document. */
  readonly places: Places
  readonly settings: Settings
  /** Loaded when the first query needs it. */
  readonly queryEngine: () => Promise<QueryEngine>
  /** Loaded when the first text is counted. */
  readonly tokens: () => Promise<TokenCounter>
  /** Makes a checkpoint of the session, off the main thread when `aside`; its size in bytes. Never rejects. */
  readonly checkpoint: (session: string, where: 'here' | 'aside') => Promise<number>
  /** This program ends after one command: it asks little of a state, and nobody else wants to join its groups. */
  readonly isBrief?: boolean
  /** Looked up when a view wants it; undefined where the store has nothing to tell. */
  readonly facts?: (session: string) => Promise<LogFacts>
  /** Tells a person something that is no error. */
  readonly warn: (message: string) => void
}
