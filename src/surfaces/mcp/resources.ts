/** What stands at a URI, the list of them, and when they change. */
import type { CompleteRequestParams, CompleteResult, ListResourcesResult } from '@modelcontextprotocol/server'
import { nameOf } from '../../kernel/about-session.ts'
import type { Commit } from '../../kernel/log/commit.ts'
import { commitData } from '../../kernel/log/filter.ts'
import { formatPath } from '../../kernel/path/path.ts'
import type { Session } from '../../kernel/session.ts'
import { followLog, type Place } from './follow.ts'
import { pageOf, placeOf } from './pages.ts'
import type { McpParts } from './parts.ts'
import { valueOf } from './reading.ts'
import { unreadOf } from './unread.ts'
import { aboutKind, INBOX, LISTED, parseUri, uriOf, type Resource } from './uris.ts'
import { inboxOf } from './views.ts'

const MOST_COMMITS = 50
/** Sessions on a page of the list. */
const MOST_SESSIONS = 25
const JSON_TYPE = 'application/json'

export async function listResources({ sessions }: McpParts, cursor: string | undefined): Promise<ListResourcesResult> {
  await sessions.look()
  const { from } = cursor === undefined ? { from: 0 } : placeOf(cursor)
  // The list has no commit that it belongs to.
  const { items, next_cursor } = pageOf(sessions.held, { seq: 0, from }, MOST_SESSIONS)
  const inbox = { uri: INBOX, name: 'inbox', description: 'What needs a person, and what goes on', mimeType: JSON_TYPE }
  const ofSessions = (items as readonly Session[]).flatMap((session) =>
    LISTED.map((kind) => {
      const name = nameOf(session)
      const title = kind === 'session' ? name : `${name}: ${kind}`
      return {
        uri: uriOf(name, kind),
        name: `${name}/${kind}`,
        title,
        description: aboutKind(kind),
        mimeType: JSON_TYPE,
      }
    }),
  )
  return {
    resources: from === 0 ? [inbox, ...ofSessions] : ofSessions,
    ...(next_cursor === undefined ? {} : { nextCursor: next_cursor }),
  }
}

export async function readResource(parts: McpParts, uri: string): Promise<unknown> {
  const resource = parseUri(uri)
  if (resource.kind === 'inbox') return inboxOf(parts)
  return parts.sessions.use(resource.session, (session) => contentOf(parts, session, resource))
}

async function contentOf(parts: McpParts, session: Session, resource: Exclude<Resource, { kind: 'inbox' }>) {
  switch (resource.kind) {
    case 'session':
      return parts.glance(session)
    case 'state':
      return valueOf(session, 'state.get', { path: await pathOf(session, resource.parts) })
    case 'tasks':
      return valueOf(session, 'task.list')
    case 'events':
      return lastCommits(session, resource.after)
    case 'unread':
      return unreadOf(session, resource.agent.replace(/^agent:/, ''))
  }
}

/** A number is a place in a list where there is one, else the name of a member. */
async function pathOf(session: Session, parts: readonly string[]): Promise<string> {
  const path: (string | number)[] = []
  for (const part of parts) {
    const isPlace = /^(?:0|[1-9]\d{0,8})$/.test(part) && Array.isArray(await session.get(formatPath(path)))
    path.push(isPlace ? Number(part) : part)
  }
  return formatPath(path)
}

async function lastCommits(session: Session, asked: number | undefined) {
  const after = asked ?? Math.max(0, session.seq - MOST_COMMITS)
  const commits: object[] = []
  for await (const commit of session.commits({ after, until: session.seq })) {
    if (commits.length === MOST_COMMITS) break
    commits.push(commitData(commit))
  }
  return { after, seq: session.seq, commits }
}

/** Calls `changed` for each commit that concerns the resource. */
export async function followResource(parts: McpParts, uri: string, changed: () => void): Promise<() => void> {
  const resource = parseUri(uri)
  if (resource.kind === 'inbox') return followAll(parts, changed)
  const from = await parts.sessions.use(resource.session, async ({ id, position }) => ({ id, position }))
  return followLog(parts, from, (commit) => {
    if (commit === undefined || concerns(resource, commit)) changed()
  })
}

function followAll(parts: McpParts, changed: () => void): () => void {
  const ends: (() => void)[] = []
  const follow = ({ id, position }: Place) => ends.push(followLog(parts, { id, position }, changed))
  for (const session of parts.sessions.held) follow(session)
  ends.push(
    parts.sessions.onHeld((session) => (changed(), follow(session))),
    parts.sessions.onLeft(changed),
  )
  return () => {
    for (const end of ends) end()
  }
}

/** Beginnings of the types of events that a resource shows. */
const SHOWN = {
  tasks: ['task.', 'dependency.', 'epic.', 'sprint.', 'agent.', 'session.'],
  unread: ['message.', 'handoff.', 'chat.', 'conversation.', 'agent.'],
} as const

const concerns = ({ kind }: Resource, { events }: Commit): boolean =>
  kind !== 'tasks' && kind !== 'unread'
    ? true
    : events.some(({ type }) => SHOWN[kind].some((beginning) => type.startsWith(beginning)))

/** Names of sessions and agents for the words of a template or a prompt. */
export async function completeArgument(
  { sessions: { held } }: McpParts,
  { argument: { name, value }, context }: CompleteRequestParams,
): Promise<CompleteResult> {
  const fits = (words: readonly string[]): CompleteResult => {
    const values = [...new Set(words)].filter((word) => word.startsWith(value))
    return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } }
  }
  if (name === 'session') return fits(held.map(nameOf))
  if (name !== 'agent' && name !== 'to') return fits([])
  const named = context?.arguments?.['session']
  const asked = held.filter((session) => named === undefined || nameOf(session) === named || session.id === named)
  return fits(asked.flatMap((session) => Object.keys(session.get('$.execution.agents.active') ?? {})))
}
