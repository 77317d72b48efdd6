/** What agents that work together ask all day: tasks, locks, messages, each other. */
import { openUnobserved } from './compose.ts'
import { operations } from './compose/operations.ts'
import { folderFor } from './compose/store.ts'
import { performHot } from './surfaces/cli/parse/hot.ts'
import { stoppedStatus, world } from './surfaces/cli/process/world.ts'
import { processIo } from './surfaces/cli/show/io.ts'
import { teamCommand } from './surfaces/cli/table/team-table.ts'

/** The exit status, or undefined when nothing was done because the line is for the full parser. */
export async function runHot(argv: readonly string[]): Promise<number | undefined> {
  const command = await teamCommand(operations, argv)
  if (command === undefined) return undefined
  const around = world(processIo)
  const status = await performHot({ openWorkspace: openUnobserved, folderFor, operations }, [command], argv, around)
  return status === undefined ? undefined : (stoppedStatus(around.signal) ?? status)
}
