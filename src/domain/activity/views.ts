import { pathHere, rootsOf } from '../../kernel/exchange/roots.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { activityOf } from './activity.ts'
import type { AgentRun, SeenRow } from './events.ts'
import { resumeCommand } from './resume.ts'

export interface RunRow extends Omit<AgentRun, 'process' | 'cli_process' | 'tools_told'> {
  /** Takes it up again; null while the CLI has not told its id. */
  readonly resume: string | null
}

/** The latest first. */
export function runRows(root: Readonly<Tree>): readonly RunRow[] {
  const roots = rootsOf(root)
  return Object.values(activityOf(root)?.runs ?? {})
    .map(({ process: _process, cli_process: _cli, tools_told: _told, ...run }) => ({
      ...run,
      cwd: run.cwd === null ? null : pathHere(roots, run.cwd),
    }))
    .map((run) => ({ ...run, resume: resumeCommand(run) ?? null }))
    .toSorted((a, b) => (a.last_at < b.last_at ? 1 : -1))
}

export const recentRows = (root: Readonly<Tree>): readonly SeenRow[] => activityOf(root)?.recent ?? []
