/** The thread that makes a checkpoint: the same recovery as everywhere, away from the callers. */
import { parentPort, workerData } from 'node:worker_threads'
import { filesKernel } from './compose.ts'
import type { Assignment, Report } from './drivers/checkpointer/thread.ts'
import { asError } from './kernel/error.ts'
import { makeCheckpoint } from './kernel/replica/make-checkpoint.ts'

// checkpointOnThread starts this program with an Assignment.
const { root, session, settings } = workerData as Assignment
const kernel = filesKernel(root, settings)
const report: Report = await makeCheckpoint(kernel, session).then(
  (bytes) => ({ bytes }),
  (error: unknown) => ({ failed: asError(error).message }),
)
await kernel.log.close()
parentPort?.postMessage(report)
