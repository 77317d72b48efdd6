/** The process around a command that must start fast. */
import type { HotApp } from '../context/hot-app.ts'
import { currentFolder, sayUncaught, sayWarnings } from '../process/world.ts'
import { processIo } from '../show/io.ts'
import type { Command } from '../syntax/command.ts'
import { performHot } from './hot.ts'

/** The exit status, or undefined when nothing was done because the line is for the full parser. */
export async function runBriefly<A extends HotApp>(
  app: A,
  table: readonly Command<A>[],
  argv: readonly string[],
): Promise<number | undefined> {
  sayWarnings(processIo)
  try {
    return await performHot(app, table, argv, {
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
