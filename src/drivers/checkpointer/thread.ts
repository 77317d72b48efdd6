import * as fs from 'node:fs'
import type { Settings } from '../../kernel/kernel.ts'
import type { Taken } from '../../kernel/replica/taken.ts'

/** What the thread is told: where the workspace is, and which session to write down; what was taken of it, or it is recovered. */
export interface Assignment {
  readonly root: string
  readonly session: string
  readonly settings: Settings
  readonly taken?: Taken | undefined
}

/** What it answers: bytes written, or why not, and whether a sync of the log failed there. */
export type Report = { readonly bytes: number } | { readonly failed: string; readonly unsynced?: boolean }

/**
 * Makes a checkpoint on a thread of its own, so that no caller waits for it: recovery and the writing of a large state
 * take as long as they take. Answers its size in bytes, 0 when none was made; a failure costs nothing but the checkpoint.
 */
export async function checkpointOnThread(
  program: URL,
  assignment: Assignment,
  warn: (message: string) => void,
  unsynced: () => void,
): Promise<number> {
  // Loaded on use: it would cost every command that only reads a fifth of its time.
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const told = new Promise<Report>((resolve) => {
    // Options of the process, such as `--eval`, are not for a program in a file.
    const worker = new Worker(program, { workerData: assignment, execArgv: [] })
    let report: Report = { failed: 'the thread ended early' }
    worker.on('message', (message: Report) => (report = message))
    worker.on('error', (error) => (report = { failed: String(error) }))
    worker.on('exit', () => resolve(report))
  })
  // A system without threads to spare refuses at once.
  const report = await told.catch((error: unknown): Report => ({ failed: String(error) }))
  if ('bytes' in report) return report.bytes
  if (report.unsynced === true) unsynced()
  warn(`session ${assignment.session}: no checkpoint: ${report.failed}`)
  return 0
}

/** False when running from sources, where there is no built thread program. */
export const hasProgram = (program: URL): boolean => program.protocol === 'file:' && fs.existsSync(program)
