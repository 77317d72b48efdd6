import { openBriefly } from './compose.ts'
import { operations } from './compose/operations.ts'
import { folderFor } from './compose/store.ts'
import { hotTable } from './surfaces/cli/hot-table.ts'
import { performHot } from './surfaces/cli/hot.ts'
import { processIo } from './surfaces/cli/io.ts'
import { currentFolder, sayUncaught, sayWarnings } from './surfaces/cli/world.ts'

/** The exit status, or undefined when nothing was done because the line is for the full parser. */
export async function runHot(argv: readonly string[]): Promise<number | undefined> {
  sayWarnings(processIo)
  try {
    return await performHot({ openWorkspace: openBriefly, folderFor, operations }, hotTable, argv, {
      io: processIo,
      env: process.env,
      get cwd() {
        return currentFolder()
      },
      // Hot commands end of themselves.
      isStopped: false,
      get signal() {
        return new AbortController().signal
      },
    })
  } catch (error) {
    sayUncaught(processIo, error, (process.env['STEADFOLD_DEBUG'] ?? '') !== '')
    return 1
  }
}
