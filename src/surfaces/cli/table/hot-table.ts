/** The commands that must start fast. */
import { logCommands } from '../commands/log.ts'
import { hotOutputCommands } from '../commands/output.ts'
import { shellCommands } from '../commands/shell.ts'
import { stateCommands } from '../commands/state.ts'
import { hotStepCommands } from '../commands/step.ts'
import { hotWorkflowCommands } from '../commands/workflow.ts'
import type { ShellApp } from '../context/app.ts'
import type { Command } from '../syntax/command.ts'

export const hotTable: readonly Command<ShellApp>[] = [
  ...stateCommands,
  ...hotOutputCommands,
  ...hotWorkflowCommands,
  ...hotStepCommands,
  ...logCommands,
  ...shellCommands,
]
