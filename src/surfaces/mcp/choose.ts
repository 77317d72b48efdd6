import { lifeOf, nameOf } from '../../kernel/about-session.ts'
import { EngineError } from '../../kernel/error.ts'
import type { Session } from '../../kernel/session.ts'
import type { McpParts } from './parts.ts'

/**
 * Name or id of the session that is meant: the one that is named, else the only active one. Throws SESSION_AMBIGUOUS, also
 * where one that cannot be read may be meant.
 */
export async function chosenSession({ sessions, session }: McpParts, named: string | undefined): Promise<string> {
  const said = named ?? session
  if (said !== undefined) return said
  const unread = (await sessions.unread()).map(({ id }) => id)
  const { held, kernel } = sessions
  const active = held.filter((each) => lifeOf(each, kernel.host.now()) === 'active')
  const fit = active.length > 0 ? active : held
  const [first, ...others] = fit
  if (first === undefined && unread.length === 0)
    throw new EngineError('SESSION_NOT_FOUND', 'no session of this workspace is going on', {
      hint: 'steadfold session create NAME',
    })
  if (first !== undefined && others.length === 0 && unread.length === 0) return first.id
  throw notSure(fit, unread)
}

function notSure(fit: readonly Session[], unread: readonly string[]): EngineError {
  const candidates = fit.map((each) => ({ name: nameOf(each), id: each.id, seq: each.seq }))
  const shut = unread.length === 0 ? '' : `, ${unread.length} cannot be read: ${unread.join(', ')}`
  const names = candidates.length === 0 ? 'NAME' : candidates.map(({ name }) => JSON.stringify(name)).join(' or ')
  return new EngineError('SESSION_AMBIGUOUS', `which session? ${candidates.length} going on${shut}`, {
    hint: `pass session: ${names}${shut === '' ? '' : '; steadfold doctor says why one cannot be read'}`,
    details: { candidates, ...(shut === '' ? {} : { unread }) },
  })
}
