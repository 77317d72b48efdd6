/** What agent CLIs call while they work: every event may start it. */
import { openBriefly } from './compose.ts'
import { operations } from './compose/operations.ts'
import { folderFor } from './compose/store.ts'
import { ancestorCalled } from './drivers/process/ancestor.ts'
import { hookCommands } from './surfaces/cli/commands/hook.ts'
import type { HookApp } from './surfaces/cli/context/app.ts'
import { runBriefly } from './surfaces/cli/parse/hot-run.ts'
import { processIo } from './surfaces/cli/show/io.ts'
import { handIn } from './surfaces/shell/shell.ts'

const app: HookApp = {
  openWorkspace: openBriefly,
  folderFor,
  operations,
  callerOf: ancestorCalled,
  handIn,
  overview: { glance: async (session) => (await import('./glance.ts')).glanceAt(session) },
}

/** K1: an agent waits no longer, though a store does not answer; what it lets a hook take is twice that. */
const LONGEST_MS = 5000

/** `prime` is for people, who may wait. */
export function runHot(argv: readonly string[]): Promise<number | undefined> {
  const done = runBriefly(app, hookCommands, argv)
  return argv[0] === 'prime' ? done : inTime(done)
}

async function inTime(done: Promise<number | undefined>): Promise<number | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<number>((resolve) => {
    timer = setTimeout(() => {
      if ((process.env['STEADFOLD_DEBUG'] ?? '') !== '') processIo.err(`hook: no answer within ${LONGEST_MS} ms\n`)
      resolve(0)
    }, LONGEST_MS)
  })
  try {
    return await Promise.race([done, late])
  } finally {
    clearTimeout(timer)
  }
}
