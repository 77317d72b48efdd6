/* Commits as events of others. Exported, not stored: the log says more, and is proven. */
import type { Commit, Event } from '../../kernel/log/commit.ts'

/** CloudEvents 1.0, one for each event of a commit; the order is that of `sequence`. */
export function cloudEvents(commit: Commit, session: string): readonly object[] {
  const { seq, at, id, actor, op, cause, reason, events } = commit
  return events.map(({ type, data }, at_) => ({
    specversion: '1.0',
    id: `${id}/${at_}`,
    source: `urn:steadfold:session:${session}`,
    type: `steadfold.${type}`,
    time: at,
    subject: subjectOf({ type, data }) ?? type,
    datacontenttype: 'application/json',
    // Extension attributes: lower-case letters and digits, and no null.
    sequence: `${String(seq).padStart(20, '0')}.${String(at_).padStart(6, '0')}`,
    actor,
    operation: op,
    ...(cause === null ? {} : { cause }),
    ...(reason === undefined ? {} : { reason }),
    data,
  }))
}

/** What an event is about, where its data says so. */
function subjectOf({ data }: Event): string | undefined {
  const members = (typeof data === 'object' && data !== null ? data : {}) as Readonly<Record<string, unknown>>
  return ['id', 'task', 'agent', 'name', 'path', 'key']
    .map((key) => members[key])
    .find((each) => typeof each === 'string')
}

/** As event logs of JSON lines have them: `task:completed`, with its payload. */
export function eventLines(commit: Commit, session: string): readonly object[] {
  const { seq, at, id, actor, cause, events } = commit
  return events.map(({ type, data }, place) => ({
    id: `${id}/${place}`,
    timestamp: at,
    type: NAMES[type] ?? type.replace('.', ':').replaceAll('-', '_'),
    source: actor,
    severity: severityOf(type),
    session_id: session,
    correlation_id: cause,
    offset: seq,
    data,
    payload: payloadOf({ type, data }),
  }))
}

/** What readers of such logs call otherwise. */
const NAMES: Readonly<Record<string, string>> = { 'task.added': 'task:created', 'task.claimed': 'task:assigned' }

function severityOf(type: string): string {
  if (/failed|crashed|lost|corrupt/.test(type)) return 'error'
  return /expired|blocked|rejected|opened|quarantined|redacted/.test(type) ? 'warning' : 'info'
}

/** Readers of such logs look for the task by that name. */
function payloadOf({ type, data }: Event): unknown {
  if (!type.startsWith('task.') || typeof data !== 'object' || data === null || !('id' in data)) return data
  const { id, ...others } = data
  return { task_id: id, ...others }
}
