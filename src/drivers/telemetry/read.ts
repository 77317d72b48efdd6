/** Members of JSON whose types belong to others: what is not there, or something else, reads as nothing. */
import { membersOf } from '../../kernel/json/members.ts'

export function textIn(value: unknown, name: string): string | undefined {
  const member = membersOf(value)[name]
  return typeof member === 'string' ? member : undefined
}

export function numberIn(value: unknown, name: string): number | undefined {
  const member = membersOf(value)[name]
  return typeof member === 'number' ? member : undefined
}
