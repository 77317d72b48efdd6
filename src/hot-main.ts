/** The commands of every hour. */
import { openBriefly } from './compose.ts'
import { operations } from './compose/operations.ts'
import { folderFor } from './compose/store.ts'
import { runBriefly } from './surfaces/cli/parse/hot-run.ts'
import { hotTable } from './surfaces/cli/table/hot-table.ts'

export const runHot = (argv: readonly string[]): Promise<number | undefined> =>
  runBriefly({ openWorkspace: openBriefly, folderFor, operations }, hotTable, argv)
