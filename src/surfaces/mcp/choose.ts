import { nameOf, statusOf } from '../../kernel/about-session.ts'
import { EngineError } from '../../kernel/error.ts'
import type { McpParts } from './parts.ts'

/** Name or id of the session that is meant: the one that is named, else the only active one. Throws SESSION_AMBIGUOUS. */
export async function chosenSession({ sessions, session }: McpParts, named: string | undefined): Promise<string> {
  const said = named ?? session
  if (said !== undefined) return said
  await sessions.look()
  const { held, kernel } = sessions
  const active = held.filter((each) => statusOf(each, kernel.host.now()) === 'active')
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
