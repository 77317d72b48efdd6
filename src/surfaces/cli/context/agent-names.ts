/** Coding agents whose command lines are known here. */
export const AGENTS = ['claude', 'codex', 'gemini', 'opencode'] as const
export type Agent = (typeof AGENTS)[number]
