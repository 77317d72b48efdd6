/* What an event of another program is called, and what it says. */
import { membersOf, textOf, type Members } from './members.ts'

export type Kind = readonly [noun: string, verb: string]

/** `task:created`, `task.created`, `task_created`. */
export function kindOf({ type }: Members): Kind {
  const [noun = '', ...verb] = (textOf(type) ?? '').split(/[:._]/)
  return [noun, verb.join('_')]
}

export const bodyOf = (event: Members): Members => membersOf(event['payload'] ?? event['data'])
