import { openWorkspace, operations } from './compose.ts'
import { hotTable } from './surfaces/cli/hot-table.ts'
import { performHot } from './surfaces/cli/hot.ts'
import { processIo } from './surfaces/cli/io.ts'

/** The exit status, or undefined when nothing was done because the line is for the full parser. */
export function runHot(argv: readonly string[]): Promise<number | undefined> {
  return performHot({ openWorkspace, operations }, hotTable, argv, {
    io: processIo,
    env: process.env,
    cwd: process.cwd(),
    // Hot commands end of themselves.
    get signal() {
      return new AbortController().signal
    },
  })
}
