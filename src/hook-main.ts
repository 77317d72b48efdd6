/** What agent CLIs call while they work: every event may start it. */
import { openBriefly } from './compose.ts'
import { operations } from './compose/operations.ts'
import { folderFor } from './compose/store.ts'
import { runBriefly } from './surfaces/cli/hot-run.ts'
import type { HookApp } from './surfaces/cli/app.ts'
import { hookCommands } from './surfaces/cli/commands/hook.ts'

const app: HookApp = {
  openWorkspace: openBriefly,
  folderFor,
  operations,
  overview: { glance: async (session) => (await import('./glance.ts')).glanceAt(session, Date.now()) },
}

export const runHot = (argv: readonly string[]): Promise<number | undefined> => runBriefly(app, hookCommands, argv)
