import { quoted } from '../../kernel/text/shell-word.ts'
import type { AgentCli, AgentRun } from './events.ts'

const RESUME: Readonly<Record<AgentCli, (id: string) => string>> = {
  claude: (id) => `claude --resume ${id}`,
  codex: (id) => `codex resume ${id}`,
  gemini: (id) => `gemini --resume ${id}`,
  opencode: (id) => `opencode --session ${id}`,
}

/** What a person types to take a run up again, in its folder. */
export function resumeCommand({
  agent,
  cli_session,
  cwd,
}: Pick<AgentRun, 'agent' | 'cli_session' | 'cwd'>): string | undefined {
  if (cli_session === null) return undefined
  const command = RESUME[agent](quoted(cli_session))
  return cwd === null ? command : `cd ${quoted(cwd)} && ${command}`
}
