import { EngineError } from '../../kernel/error.ts'
import type { Session } from '../../kernel/session.ts'
import type { McpParts } from './parts.ts'

/** Name or id of the session that is meant: the one that is named, else the only active one. Throws SESSION_AMBIGUOUS. */
export async function chosenSession({ sessions, session }: McpParts, named: string | undefined): Promise<string> {
  const said = named ?? session
  if (said !== undefined) return said
  await sessions.look()
  const { held } = sessions
  const active = held.filter(({ damage }) => damage === undefined).filter(isActive)
  const [first, ...others] = active.length > 0 ? active : held
  if (first === undefined)
    throw new EngineError('SESSION_NOT_FOUND', 'no session of this workspace is going on', {
      hint: 'steadfold session create NAME',
    })
  if (others.length === 0) return first.id
  const candidates = [first, ...others].map((each) => ({ name: nameOf(each), id: each.id, seq: each.seq }))
  throw new EngineError('SESSION_AMBIGUOUS', `which session? ${candidates.length} are going on`, {
    hint: `pass session: ${candidates.map(({ name }) => JSON.stringify(name)).join(' or ')}`,
    details: { candidates },
  })
}

const isActive = (session: Session): boolean => session.get('$.session.lifecycle.status') === 'active'

export function nameOf(session: Session): string {
  const name = session.get('$.session.name')
  return typeof name === 'string' && name !== '' ? name : session.id
}
