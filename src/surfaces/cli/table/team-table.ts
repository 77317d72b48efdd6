/*
 * The commands of agents that work together: a line about what they share needs no more than its own operation.
 *
 * W1. What is found here is what the table of all commands has for the same line.
 */
import type { Catalogue } from '../../../kernel/operation/operation.ts'
import { lockCommands } from '../commands/lock.ts'
import { messageCommands } from '../commands/message.ts'
import { sessionCommands } from '../commands/session.ts'
import { superviseCommands } from '../commands/supervise.ts'
import { turnCommands } from '../commands/turn.ts'
import type { Command } from '../syntax/command.ts'
import { generated } from './generated.ts'

const WRITTEN: readonly Command[] = [
  ...sessionCommands,
  ...lockCommands,
  ...messageCommands,
  ...turnCommands,
  ...superviseCommands,
]
/** Written by hand, and for the full program. */
const OTHERS = new Set(['session restore', 'runner list'])

/** Undefined where the full program must look. */
export async function teamCommand(
  operations: Catalogue,
  [noun = '', verb = '']: readonly string[],
): Promise<Command | undefined> {
  const name = `${noun} ${verb}`
  const written = WRITTEN.find((command) => command.name === name)
  if (written !== undefined || OTHERS.has(name)) return written
  const operation = await operations.get(`${noun}.${verb}`)
  return operation && generated(operation)
}
