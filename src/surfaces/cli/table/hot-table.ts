/** The commands that must start fast. */
import { logCommands } from '../commands/log.ts'
import { hotOutputCommands } from '../commands/output.ts'
import { stateCommands } from '../commands/state.ts'
import { hotStepCommands } from '../commands/step.ts'
import { hotWorkflowCommands } from '../commands/workflow.ts'
import type { Command } from '../syntax/command.ts'

export const hotTable: readonly Command[] = [
  ...stateCommands,
  ...hotOutputCommands,
  ...hotWorkflowCommands,
  ...hotStepCommands,
  ...logCommands,
]
