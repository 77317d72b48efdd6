/** What agents that work together ask all day: tasks, locks, messages, each other. */
import { folderFor } from './compose/store.ts'
import { operations } from './compose/operations.ts'
import { openUnobserved } from './compose.ts'
import { performHot } from './surfaces/cli/hot.ts'
import { processIo } from './surfaces/cli/io.ts'
import { teamCommand } from './surfaces/cli/team-table.ts'
import { stoppedStatus, world } from './surfaces/cli/world.ts'

/** The exit status, or undefined when nothing was done because the line is for the full parser. */
export async function runHot(argv: readonly string[]): Promise<number | undefined> {
  const command = await teamCommand(operations, argv)
  if (command === undefined) return undefined
  const around = world(processIo)
  const status = await performHot({ openWorkspace: openUnobserved, folderFor, operations }, [command], argv, around)
  return status === undefined ? undefined : (stoppedStatus(around.signal) ?? status)
}
