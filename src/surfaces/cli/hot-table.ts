/** The commands that must start fast. */
import type { Command } from './command.ts'
import { stateCommands } from './commands/state.ts'

export const hotTable: readonly Command[] = [...stateCommands]
