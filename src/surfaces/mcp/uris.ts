/*
 * Where the resources are.
 *
 *   steadfold://inbox                              what needs a person, and what goes on
 *   steadfold://sessions/{session}                 where a session stands
 *   steadfold://sessions/{session}/state           the whole document, or what is at a path of it: …/state/data/topic
 *   steadfold://sessions/{session}/events          the last commits; …/events/120: those behind 120
 *   steadfold://sessions/{session}/tasks           its tasks
 *   steadfold://sessions/{session}/unread/{agent}  what waits for an agent
 */
import { ResourceNotFoundError, type ResourceTemplateType } from '@modelcontextprotocol/server'

export const INBOX = 'steadfold://inbox'

export type Resource =
  | { readonly kind: 'inbox' }
  | { readonly kind: 'session' | 'tasks'; readonly session: string }
  | { readonly kind: 'state'; readonly session: string; readonly parts: readonly string[] }
  | { readonly kind: 'events'; readonly session: string; readonly after: number | undefined }
  | { readonly kind: 'unread'; readonly session: string; readonly agent: string }

const sessionUri = (session: string): string => `steadfold://sessions/${encodeURIComponent(session)}`

export const LISTED = ['session', 'state', 'events', 'tasks'] as const

export const uriOf = (session: string, kind: (typeof LISTED)[number]): string =>
  kind === 'session' ? sessionUri(session) : `${sessionUri(session)}/${kind}`

const template = (name: string, tail: string, description: string): ResourceTemplateType => ({
  name,
  uriTemplate: `steadfold://sessions/{session}${tail}`,
  description,
  mimeType: 'application/json',
})

export const TEMPLATES: readonly ResourceTemplateType[] = [
  template('session', '', 'Where a session stands: goal, workflow, steps, tasks, agents, cost, what needs a person'),
  template('state', '/state', 'The whole document of a session'),
  template('state-path', '/state/{+path}', 'What is at a path of the document: data/topic'),
  template('events', '/events', 'The last commits of a session, oldest first'),
  template('events-after', '/events/{after}', 'The commits behind a sequence number'),
  template('tasks', '/tasks', 'The tasks of a session, by priority, then age'),
  template('unread', '/unread/{agent}', 'Messages, handoffs and conversations that wait for an agent'),
]

export const aboutKind = (kind: (typeof LISTED)[number]): string =>
  TEMPLATES.find(({ name }) => name === kind)?.description ?? ''

/** Throws ResourceNotFoundError. */
export function parseUri(uri: string): Resource {
  if (uri === INBOX) return { kind: 'inbox' }
  const [, tail = ''] = /^steadfold:\/\/sessions\/(.+)$/.exec(uri) ?? []
  const [session = '', ...parts] = tail.split('/').map(decoded)
  const found = session === '' ? undefined : resourceOf(session, parts)
  if (found !== undefined) return found
  throw new ResourceNotFoundError(uri, `there is no resource ${JSON.stringify(uri.slice(0, 200))}`)
}

function resourceOf(session: string, [kind, ...parts]: readonly string[]): Resource | undefined {
  const [first = '', ...more] = parts
  if (kind === undefined) return { kind: 'session', session }
  if (kind === 'state') return { kind, session, parts }
  if (more.length > 0) return undefined
  if (kind === 'tasks') return parts.length === 0 ? { kind, session } : undefined
  if (kind === 'unread') return first === '' ? undefined : { kind, session, agent: first }
  if (kind !== 'events') return undefined
  if (parts.length === 0) return { kind, session, after: undefined }
  return /^\d{1,15}$/.test(first) ? { kind, session, after: Number(first) } : undefined
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
