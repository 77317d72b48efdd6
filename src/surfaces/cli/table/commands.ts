/** Every command that is written by hand, in the order of help. */
import { aboutCommands } from '../commands/about.ts'
import { adopt } from '../commands/adopt.ts'
import { archiveCommands } from '../commands/archive.ts'
import { bundleCommands } from '../commands/bundle.ts'
import { chatCommands } from '../commands/chat.ts'
import { completionCommands } from '../commands/completion.ts'
import { demo } from '../commands/demo.ts'
import { diffCommands } from '../commands/diff.ts'
import { gc } from '../commands/gc.ts'
import { health } from '../commands/health.ts'
import { hookCommands } from '../commands/hook.ts'
import { importing } from '../commands/import.ts'
import { installCommands } from '../commands/install.ts'
import { keyCommands } from '../commands/key.ts'
import { lockCommands } from '../commands/lock.ts'
import { logCommands } from '../commands/log.ts'
import { mcp } from '../commands/mcp.ts'
import { messageCommands } from '../commands/message.ts'
import { outputCommands } from '../commands/output.ts'
import { placeCommands } from '../commands/place.ts'
import { queryCommands } from '../commands/query.ts'
import { recoverCommands } from '../commands/recover.ts'
import { redactCommands } from '../commands/redact.ts'
import { remoteCommands } from '../commands/remote.ts'
import { rescue } from '../commands/rescue.ts'
import { runCommands } from '../commands/run.ts'
import { runnerList } from '../commands/runner.ts'
import { serveCommands } from '../commands/serve.ts'
import { exporting } from '../commands/session-export.ts'
import { sessionCommands } from '../commands/session.ts'
import { shellCommands } from '../commands/shell.ts'
import { sql } from '../commands/sql.ts'
import { stateCommands } from '../commands/state.ts'
import { statusCommands } from '../commands/status.ts'
import { hotStepCommands } from '../commands/step.ts'
import { superviseCommands } from '../commands/supervise.ts'
import { tailCommands } from '../commands/tail.ts'
import { teleportCommands } from '../commands/teleport.ts'
import { turnCommands } from '../commands/turn.ts'
import { verifyCommands } from '../commands/verify.ts'
import { wait } from '../commands/wait.ts'
import { watch } from '../commands/watch.ts'
import { workflowCommands } from '../commands/workflow-definition.ts'
import type { App } from '../context/app.ts'
import type { Command } from '../syntax/command.ts'
import { Table } from './table.ts'

/** What people type most comes first. */
const EVERYDAY: readonly Command<App>[] = [
  ...placeCommands,
  demo,
  ...statusCommands,
  health,
  ...runCommands,
  ...recoverCommands,
  ...logCommands,
  ...tailCommands,
  ...diffCommands,
  wait,
  watch,
  ...verifyCommands,
  gc,
]

const OTHERS: readonly Command<App>[] = [
  ...sessionCommands,
  exporting,
  ...archiveCommands,
  ...stateCommands,
  ...queryCommands,
  sql,
  ...outputCommands,
  ...workflowCommands,
  ...hotStepCommands,
  runnerList,
  ...superviseCommands,
  ...lockCommands,
  ...messageCommands,
  ...chatCommands,
  ...turnCommands,
  importing,
  ...redactCommands,
  ...bundleCommands,
  ...teleportCommands,
  ...remoteCommands,
  ...keyCommands,
  ...shellCommands,
  ...hookCommands,
  adopt,
  ...installCommands,
  rescue,
  ...serveCommands,
  mcp,
]

export function makeTable(app: App): Table {
  const all = () => table.all()
  const table: Table = new Table(
    [...EVERYDAY, ...OTHERS, ...completionCommands(all), ...aboutCommands(all)],
    app.operations,
  )
  return table
}
