import type { ProcessRef } from '../../kernel/care/recovery.ts'

export const AGENT_CLIS = ['claude', 'codex', 'gemini', 'opencode'] as const

export type AgentCli = (typeof AGENT_CLIS)[number]

/** What agent CLIs tell, in one vocabulary. */
export type ActivityKind =
  | 'started'
  | 'prompted'
  | 'tool-started'
  | 'tool-finished'
  | 'tool-failed'
  | 'asked'
  | 'subagent-started'
  | 'subagent-ended'
  | 'compacted'
  | 'turn-ended'
  | 'turn-failed'
  | 'ended'

export type RunStatus = 'starting' | 'idle' | 'working' | 'waiting' | 'ended'

/** Why a run is over. */
export type EndCause = 'finished' | 'failed' | 'crashed' | 'quota' | 'timeout' | 'stopped'

interface Payload {
  /** What was handed in, bounded (A3); a text where it was no JSON. */
  readonly raw: unknown
  /** Characters of what was handed in. */
  readonly size: number
}

export interface Recorded extends Payload {
  readonly agent: AgentCli
  /** The CLI's own id of its session. */
  readonly run: string
  readonly kind: ActivityKind
  /** The CLI's own name of the event. */
  readonly name: string
  readonly cwd: string | null
  readonly tool: string | null
  /** A line for people: the command, the file, the question. */
  readonly detail: string | null
  /** Of the CLI, where its hook knows it. */
  readonly process?: ProcessRef | undefined
  /** The actor that it is in what it does, where its hook knows it. */
  readonly who?: string | undefined
}

export interface Raw extends Payload {
  readonly agent: AgentCli
  readonly run: string | null
  readonly name: string | null
  readonly why: 'unknown-event' | 'no-session' | 'no-json'
}

interface Of {
  readonly agent: AgentCli
  /** As it is called here: the id that was assigned, or the CLI's own. */
  readonly run: string
}

export interface Launched extends Of {
  readonly cwd: string
  /** The CLI took the assigned id; else it tells its own later. */
  readonly assigned: boolean
  /** Of the process that watches it. */
  readonly process: ProcessRef | null
  /** The actor that it is in what it does. */
  readonly who?: string | undefined
}

export interface Metered extends Of {
  /** All so far. */
  readonly tokens: number
  readonly cost_usd: number
  readonly tools: number
}

export interface Closed extends Of {
  readonly cause: EndCause
  readonly reason: string | null
  readonly exit: number | null
}

export type ActivityEvent =
  | { readonly type: 'activity.recorded'; readonly data: Recorded }
  | { readonly type: 'agent.raw'; readonly data: Raw }
  | { readonly type: 'activity.launched'; readonly data: Launched }
  | { readonly type: 'activity.identified'; readonly data: Of & { readonly cli_session: string } }
  | { readonly type: 'activity.metered'; readonly data: Metered }
  | { readonly type: 'activity.closed'; readonly data: Closed }

export interface AgentRun {
  readonly agent: AgentCli
  readonly run: string
  /** By which the CLI takes it up again; null while it has not told. */
  readonly cli_session: string | null
  readonly cwd: string | null
  readonly status: RunStatus
  readonly cause: EndCause | null
  readonly reason: string | null
  readonly started_at: string
  readonly last_at: string
  readonly prompts: number
  /** The larger of what hooks and what its watcher told. */
  readonly tools: number
  /** By hooks alone. */
  readonly tools_told: number
  readonly failed: number
  readonly compactions: number
  readonly tokens: number
  readonly cost_usd: number
  /** Under way. */
  readonly tool: string | null
  /** Its context was cut since it was last told where it stands. */
  readonly forgot: boolean
  /** Of who watches it. */
  readonly process: ProcessRef | null
  /** Of the CLI itself, as far as its hooks told. */
  readonly cli_process?: ProcessRef | undefined
  /** The actor that it is in what it does, as far as that was told. */
  readonly who?: string | undefined
}

export interface SeenRow {
  readonly at: string
  readonly agent: AgentCli
  readonly run: string
  readonly kind: ActivityKind
  readonly tool: string | null
  readonly detail: string | null
}

export interface ActivitySlice {
  /** By `<agent>:<run>`, the oldest first. */
  runs: Record<string, AgentRun>
  recent: readonly SeenRow[]
  /** Payloads that nobody understood. */
  raw: number
  /** Of runs that made room, as far as they used anything. */
  spent?: Spent | undefined
}

export interface Spent {
  readonly tokens: number
  readonly cost_usd: number
}
