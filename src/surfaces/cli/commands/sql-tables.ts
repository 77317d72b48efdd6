/** What sessions hold, as tables: the lists of the operations, the log, and the document whole. */
import { lineOf } from '../../../kernel/about-session.ts'
import type { Cell, Columns } from '../../../kernel/database.ts'
import { membersOf } from '../../../kernel/json/members.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import type { Session } from '../../../kernel/session.ts'

export interface Looked {
  readonly session: Session
  /** The point; undefined is now. */
  readonly at: string | undefined
  /** Commits up to that one. */
  readonly seq: number
}

type Row = Readonly<Record<string, unknown>>

export interface SqlTable {
  readonly name: string
  readonly summary: string
  readonly columns: Columns
  readonly rows: (looked: Looked) => AsyncIterable<Row>
}

/** Of which session a row is: its name, by which people know it, and its id, which no other ever has. */
const OF = { session: 'text', session_id: 'text' } as const

/** Rows of a list, each under the names that the list gives it. */
function list(
  name: string,
  summary: string,
  asked: readonly [operation: string, input: object],
  own: Columns,
): SqlTable {
  const rows = async function* ({ session, at }: Looked): AsyncGenerator<Row> {
    const { value } = accepted(await session.run(asked[0], asked[1], at === undefined ? {} : { at }))
    // What such an operation answers with is a list of objects.
    yield* value as readonly Row[]
  }
  return { name, summary, columns: { ...OF, ...own }, rows }
}

async function* commits({ session, seq: last }: Looked): AsyncGenerator<Row> {
  if (last === 0) return
  for await (const commit of session.commits()) {
    // Member by member: a copy of what was parsed costs ten times as much.
    const { seq, at, actor, op, key, reason, cause, events: said, id, hash } = commit
    yield { seq, at, actor, op, key, reason, cause, events: said.length, id, hash }
    if (seq >= last) return
  }
}

async function* events({ session, seq: last }: Looked): AsyncGenerator<Row> {
  if (last === 0) return
  for await (const { seq, at, actor, events: said } of session.commits()) {
    for (const [n, { type, data }] of said.entries()) yield { seq, n, at, actor, type, data }
    if (seq >= last) return
  }
}

/** From the log: the state keeps the last of a channel alone. */
async function* said({ session, seq: last }: Looked): AsyncGenerator<Row> {
  if (last === 0) return
  for await (const { seq, at, events } of session.commits()) {
    for (const { type, data } of events) {
      const { channel, author, text, conversation, events: received } = membersOf(data)
      if (type === 'turn.said' || type === 'turn.kept') yield { seq, at, place: 'channel', name: channel, author, text }
      if (type !== 'chat.received' || !Array.isArray(received)) continue
      for (const { id, kind, pubkey, content } of received.map(membersOf))
        yield { seq, at, place: 'conversation', name: conversation, id, kind, author: pubkey, text: content }
    }
    if (seq >= last) return
  }
}

async function* document({ session, at }: Looked): AsyncGenerator<Row> {
  yield { document: await session.get('$', { at: at ?? '@' }) }
}

async function* outputs({ session, at }: Looked): AsyncGenerator<Row> {
  const values = (await session.get('$.outputs', { at: at ?? '@' })) ?? {}
  for (const [name, value] of Object.entries(values)) yield { name, value }
}

export const SQL_TABLES: readonly SqlTable[] = [
  {
    name: 'sessions',
    summary: 'one row a session',
    columns: {
      id: 'text',
      name: 'text',
      status: 'text',
      goal: 'text',
      seq: 'integer',
      created_at: 'text',
      updated_at: 'text',
      holder: 'text',
      workflow: 'text',
    },
    rows: async function* ({ session, seq }) {
      yield { ...lineOf(session, session.now()), seq }
    },
  },
  {
    name: 'commits',
    summary: 'the log, a row for each commit; events counts them',
    columns: {
      ...OF,
      seq: 'integer',
      at: 'text',
      actor: 'text',
      op: 'text',
      key: 'text',
      reason: 'text',
      cause: 'text',
      events: 'integer',
      id: 'text',
      hash: 'text',
    },
    rows: commits,
  },
  {
    name: 'events',
    summary: 'what commits say; n counts from 0 in each, data is JSON',
    columns: { ...OF, seq: 'integer', n: 'integer', at: 'text', actor: 'text', type: 'text', data: 'text' },
    rows: events,
  },
  list('steps', 'the ledger of paid work, with what was finished before it was edited', ['step.list', { all: true }], {
    name: 'text',
    state: 'text',
    status: 'text',
    attempts: 'integer',
    exit: 'integer',
    class: 'text',
    reason: 'text',
    tokens: 'integer',
    cost_usd: 'real',
    duration_ms: 'integer',
    started_at: 'text',
    finished_at: 'text',
    reused: 'integer',
    key: 'text',
  }),
  list('runs', 'runs of agent programs', ['activity.list', {}], {
    agent: 'text',
    run: 'text',
    cli_session: 'text',
    cwd: 'text',
    status: 'text',
    cause: 'text',
    reason: 'text',
    started_at: 'text',
    last_at: 'text',
    prompts: 'integer',
    tools: 'integer',
    failed: 'integer',
    compactions: 'integer',
    tokens: 'integer',
    cost_usd: 'real',
    tool: 'text',
    forgot: 'integer',
    resume: 'text',
  }),
  list('tasks', 'tasks; waits_for is a list as JSON', ['task.list', {}], {
    id: 'text',
    title: 'text',
    type: 'text',
    status: 'text',
    ready: 'integer',
    priority: 'text',
    assignee: 'text',
    token: 'integer',
    lease_until: 'text',
    waits_for: 'text',
    reason: 'text',
    failed: 'integer',
    epic_id: 'text',
    sprint_id: 'text',
    attempts: 'integer',
    updated_at: 'text',
  }),
  list('agents', 'agents that are there', ['agent.list', {}], {
    id: 'text',
    type: 'text',
    status: 'text',
    task: 'text',
    parent: 'text',
    depth: 'integer',
    tokens: 'integer',
    health: 'text',
    score: 'real',
    lease_ms: 'integer',
    reason: 'text',
  }),
  list('locks', 'who holds what, and who waits for it', ['lock.list', {}], {
    resource: 'text',
    holder: 'text',
    mode: 'text',
    status: 'text',
    token: 'integer',
    ahead: 'integer',
    reason: 'text',
    since: 'text',
    until: 'text',
  }),
  list('messages', 'what is in the inboxes; payload is JSON', ['message.list', {}], {
    id: 'text',
    agent: 'text',
    status: 'text',
    from: 'text',
    channel: 'text',
    type: 'text',
    priority: 'text',
    payload: 'text',
    correlation_id: 'text',
    timestamp: 'text',
    attempts: 'integer',
    token: 'integer',
    expires_at: 'text',
    cause: 'text',
  }),
  {
    name: 'said',
    summary: 'what was said in channels and conversations; place tells which of the two name is',
    columns: {
      ...OF,
      seq: 'integer',
      at: 'text',
      place: 'text',
      name: 'text',
      author: 'text',
      text: 'text',
      id: 'text',
      kind: 'integer',
    },
    rows: said,
  },
  { name: 'outputs', summary: 'named values', columns: { ...OF, name: 'text', value: 'text' }, rows: outputs },
  {
    name: 'documents',
    summary: 'all of a session as JSON, for json_extract and json_each',
    columns: { ...OF, document: 'text' },
    rows: document,
  },
]

/** A text stays one; other members of a JSON value are told as JSON. */
export const toCell = (value: unknown): Cell =>
  value === undefined || value === null
    ? null
    : typeof value === 'string' || typeof value === 'number'
      ? value
      : typeof value === 'boolean'
        ? Number(value)
        : JSON.stringify(value)
