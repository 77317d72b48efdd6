import type { IsIndex } from './document/indexes.ts'
import type { Places } from './document/view.ts'
import { THRESHOLDS, type SomeThresholds, type Thresholds } from './health.ts'
import type { LogFacts } from './log-facts.ts'
import type { Observer } from './observer.ts'
import type { Catalogue } from './operation/operation.ts'
import type { QueryEngine } from './path/query.ts'
import type { Host, Log, TokenCounter } from './ports.ts'
import type { RedactionSettings, Redactor } from './redact/redact.ts'
import type { Taken } from './replica/taken.ts'
import type { Folder } from './state/fold.ts'
import type { Module, Tree } from './state/module.ts'
import type { Dangling, KeptAt } from './state/references.ts'

export interface Settings {
  /** Address of the database that keeps the logs; empty: they are in this folder. */
  readonly store: string
  /** Limits for `steadfold health`, by name. */
  readonly health: Thresholds
  /** Tell OpenTelemetry what happens. */
  readonly telemetry: boolean
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
  /** Of a session's state, in bytes: a warning comes at 80 %, and gc puts ended sessions above it away. */
  readonly maxStateBytes: number
  /** Of a session: as above. */
  readonly maxCommits: number
  /** Of one blob: a warning comes at 80 %. */
  readonly maxBlobBytes: number
  /** After how many hours gc puts an ended session away. */
  readonly archiveHours: number
  /** After how many hours gc takes finished tasks and dead letters out of the state. */
  readonly tidyHours: number
  /** Which part of a workflow a description asks for: instead of the built-in rules; none keeps those. */
  readonly scopeRules: readonly unknown[]
  /** What is taken out of everything before it is written. */
  readonly redaction: RedactionSettings
}

/** As somebody writes them: any may be left out. */
export interface SomeSettings extends Some<Omit<Settings, 'health' | 'redaction'>> {
  readonly health?: SomeThresholds | undefined
  readonly redaction?: Some<RedactionSettings> | undefined
}

type Some<Whole> = { readonly [Name in keyof Whole]?: Whole[Name] | undefined }

export const DEFAULTS: Settings = {
  store: '',
  health: THRESHOLDS,
  telemetry: false,
  checkpoints: true,
  checkpointBytes: 128 * 1024,
  checkpointMs: 15_000,
  segmentBytes: 64 * 1024 * 1024,
  commitBytes: 16 * 1024 * 1024,
  maxStateBytes: 50 * 1024 * 1024,
  maxCommits: 100_000,
  maxBlobBytes: 16 * 1024 * 1024,
  archiveHours: 48,
  tidyHours: 24,
  scopeRules: [],
  redaction: { enabled: true, names: [], patterns: [], off: [] },
}

export interface StoreFacts {
  /** Its address without its password. */
  readonly shown: string
  /** What tells this workspace from others; the same on every machine. */
  readonly place: string
  /** What its clock is ahead of this machine's, in ms. */
  readonly ahead: number
  /** What it does not cover as it is set up. */
  readonly doubts: readonly string[]
}

/** Everything a session works with; put together in compose.ts. */
export interface Kernel {
  /** Told of operations and commits; mostly there is none. */
  readonly observer?: Observer
  readonly log: Log
  /** Takes secrets out of what is written; undefined where that is turned off. */
  readonly redactor?: Redactor | undefined
  readonly host: Host
  /** Id of this workspace, empty where it has none; undefined where sessions are only looked at, and go on nowhere. */
  readonly here?: (() => string) | undefined
  readonly modules: readonly Module[]
  readonly folder: Folder
  readonly operations: Catalogue
  /** What is derived when it is read, by where it stands in the document. */
  readonly places: Places
  readonly settings: Settings
  /** Names the code that folds, so that a checkpoint of another one is not taken for its own. */
  readonly shape: string
  /** What people who ask for changes are spared. */
  readonly isIndex: IsIndex
  /** What a state names and does not hold; loaded by those who look. */
  readonly references?: (root: Readonly<Tree>) => Promise<readonly Dangling[]>
  /** Blobs that a state names; loaded by those who look. */
  readonly kept?: (root: Readonly<Tree>) => Promise<readonly KeptAt[]>
  /** Loaded when the first query needs it. */
  readonly queryEngine: () => Promise<QueryEngine>
  /** Loaded when the first text is counted. */
  readonly tokens: () => Promise<TokenCounter>
  /** Makes a checkpoint of the session, off the main thread when `aside`, of what was taken if anything; its size in bytes. Never rejects. */
  readonly checkpoint: (session: string, where: 'here' | 'aside', taken?: Taken) => Promise<number>
  /** This program ends after one command: it asks little of a state, and nobody else wants to join its groups. */
  readonly isBrief?: boolean
  /** Looked up when a view wants it; undefined where the store has nothing to tell. */
  readonly facts?: (session: string) => Promise<LogFacts>
  /** The database that keeps the logs; undefined where a folder does. */
  readonly store?: StoreFacts
  /** Tells a person something that is no error. */
  readonly warn: (message: string) => void
}

/** Of `process.emitWarning`, for what `warn` says. */
export const WARNING = 'Steadfold'
