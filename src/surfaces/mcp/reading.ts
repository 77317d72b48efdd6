import { EngineError } from '../../kernel/error.ts'
import type { Session } from '../../kernel/session.ts'

/** What a read operation answers; throws its refusal. */
export async function valueOf(session: Session, operation: string, input: object = {}): Promise<unknown> {
  const answer = await session.run(operation, input)
  if (answer.kind === 'accepted') return answer.value ?? null
  throw new EngineError(answer.code, answer.message, answer)
}

export type Row = Readonly<Record<string, unknown>>

/** The rows of a list; none where the operation answers with something else. */
export async function rowsOf(session: Session, operation: string, input: object = {}): Promise<readonly Row[]> {
  const value = await valueOf(session, operation, input)
  return Array.isArray(value) ? value.filter((row): row is Row => typeof row === 'object' && row !== null) : []
}
