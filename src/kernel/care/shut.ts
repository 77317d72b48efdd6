/* Sessions that are there and tell nothing: their log cannot be read, or is gone. */
import { asError, EngineError } from '../error.ts'
import type { Figure } from '../health.ts'
import type { Kernel } from '../kernel.ts'
import { LOG_GONE } from '../log/replay.ts'
import type { Session } from '../session.ts'
import { madeAt } from '../text/session-id.ts'
import type { Workspace } from '../workspace.ts'
import type { Need } from './inbox.ts'
import { remains } from './remains.ts'

export interface Shut {
  readonly id: string
  readonly why: string
}

/** What kept somebody from opening it: it stands beside its id. */
export function shutBy(id: string, error: unknown): Shut {
  const errno = error instanceof EngineError ? error.details?.['errno'] : undefined
  const why = asError(error).message.replace(` of session ${id}`, '').replace(`session ${id} `, '')
  return { id, why: typeof errno === 'string' ? `unreadable: ${errno}` : why }
}

/** Has `visit` look at all sessions by turns, and answers with those that cannot be looked at. */
export async function visitAll(
  workspace: Workspace,
  visit: (session: Session) => Promise<void>,
): Promise<readonly Shut[]> {
  const shut: Shut[] = []
  const leftOut = (id: string, error: EngineError) => void shut.push(shutBy(id, error))
  const gone = await withoutLog(workspace.kernel)
  // One of which a checkpoint is left can be opened all the same.
  for await (const session of workspace.sessions((id) => !gone.some((each) => each.id === id), leftOut)) {
    await visit(session)
    await session.close()
  }
  return [...shut, ...gone]
}

/** Those that no list has. */
export const withoutLog = async (kernel: Pick<Kernel, 'log'>): Promise<readonly Shut[]> =>
  (await remains(kernel)).map((id) => ({ id, why: LOG_GONE }))

/** What it did since it was made is not known, so its age is that. */
export function needOf({ id, why }: Shut, now: number): Need {
  const since = madeAt(id, now)
  return {
    kind: 'DAMAGED',
    session: id,
    name: id,
    what: 'log',
    why,
    since,
    age_ms: now - Date.parse(since),
    next: next(id),
  }
}

export const figureOf = ({ id }: Shut): Figure => ({ name: 'damage', value: 1, of: id, next: next(id) })

const next = (id: string): string => `steadfold verify --session ${id}`
