// Runs the workflow of WORKFLOW in DIR and prints what happens, one JSON line an event.
import { fileURLToPath } from 'node:url'

// CRASH_LIBRARY names another build, such as one with a planted defect.
const library = process.env.CRASH_LIBRARY ?? fileURLToPath(new URL('../../../dist/index.js', import.meta.url))
const { openRunner, openWorkspace } = await import(library)

const workspace = await openWorkspace({ dir: process.env.DIR })
const runner = await openRunner(workspace)
const result = await runner.runWorkflow({
  file: process.env.WORKFLOW,
  onEvent: (event) => process.stdout.write(`${JSON.stringify(event)}\n`),
})
process.stdout.write(`${JSON.stringify({ type: 'result', result })}\n`)
await workspace.close()
