/** The commands of every hour. */
import * as path from 'node:path'
import { openBriefly } from './compose.ts'
import { operations } from './compose/operations.ts'
import { folderFor } from './compose/store.ts'
import type { ShellApp } from './surfaces/cli/context/app.ts'
import { runBriefly } from './surfaces/cli/parse/hot-run.ts'
import { hotTable } from './surfaces/cli/table/hot-table.ts'
import { shellFiles } from './surfaces/shell/shell.ts'

const app: ShellApp = {
  openWorkspace: openBriefly,
  folderFor,
  operations,
  shell: shellFiles(path.join(import.meta.dirname, 'steadfold.cjs')),
}

export const runHot = (argv: readonly string[]): Promise<number | undefined> => runBriefly(app, hotTable, argv)
