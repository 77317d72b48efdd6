/** The thread that makes a checkpoint, away from the callers: of what was taken, or by the same recovery as everywhere. */
import { parentPort, workerData } from 'node:worker_threads'
import { filesKernel } from './compose.ts'
import type { Assignment, Report } from './drivers/checkpointer/thread.ts'
import { hasFailedSync } from './drivers/files/failed-syncs.ts'
import { Layout } from './drivers/files/layout.ts'
import { asError } from './kernel/error.ts'
import { makeCheckpoint } from './kernel/replica/make-checkpoint.ts'

// checkpointOnThread starts this program with an Assignment.
const { root, session, settings, taken } = workerData as Assignment
// Who wants a checkpoint has opened the session, and told what is wrong with the last one.
const kernel = { ...filesKernel(root, settings), warn: () => undefined }
const report: Report = await makeCheckpoint(kernel, session, taken).then(
  (bytes) => ({ bytes }),
  // The process knows of a failed sync only by being told: a thread has its own modules.
  (error: unknown) => ({
    failed: asError(error).message,
    unsynced: hasFailedSync(() => new Layout(root).session(session)),
  }),
)
await kernel.log.close()
parentPort?.postMessage(report)
