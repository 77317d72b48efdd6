/*
 * The part of the Claude Agent SDK that a store of transcripts meets, as its documentation has it; checked against
 * @anthropic-ai/claude-agent-sdk 0.3.332. The package itself is an agent with its tools: too much to depend on for types.
 */

/** Names a transcript; without `subpath`, the main one of a session. */
export interface SessionKey {
  projectKey: string
  sessionId: string
  /** As `subagents/agent-1`. */
  subpath?: string
}

/** One line of a transcript. With a `uuid` it is the same entry however often it comes. */
export interface SessionStoreEntry {
  type: string
  uuid?: string
  timestamp?: string
  [member: string]: unknown
}

export interface SessionStore {
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>
  /** Null for what was never written. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>
  /** `mtime` in ms since 1970. */
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>
  /** Without a `subpath`, everything of the session. */
  delete(key: SessionKey): Promise<void>
  listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]>
}
