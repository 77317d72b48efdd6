/** What a session holds, and how it does. */
import * as path from 'node:path'
import type { Commit } from '../../../kernel/log/commit.ts'
import type { Session } from '../../../kernel/session.ts'
import type { App, Metrics } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { FOLDER, nameOf } from '../context/scope.ts'
import { bytes, columns, count, plain, thousands } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { diskBytes } from './disk-bytes.ts'
import { writeTime } from './examine.ts'

const MOST_RECENT = 100
const MOST_ROWS = 12
/** What is timed as a query of the state. */
const QUERY = '$.execution.tasks[*].status'

export const stats: Command<App> = {
  name: 'stats',
  summary: 'how much a session holds, and how it does: commits, bytes, metrics',
  examples: ['stats', 'stats --session build-auth --json'],
  parameters: [],
  flags: [],
  shares: ['session'],
  run: async (context) => {
    const session = await context.session('read')
    const { recent, ...tally } = await tallied(session)
    const { metrics, recent: toEvents } = context.app.overview
    const folder = path.join(context.dir, FOLDER)
    const data = {
      session: session.id,
      name: nameOf(session),
      commits: session.seq,
      ...tally,
      disk_bytes: await bytesOf(context, session, folder),
      state_bytes: Buffer.byteLength(JSON.stringify(session.stored)),
      redactions: countsAt(session, '$.session.redactions'),
      metrics: await metrics(session, { recent, measured: await measured(session, folder) }),
      recent: toEvents(session, recent),
    }
    return { data, text: () => statsText(context, data) }
  },
}

/** In the folder; of a database, its log alone. */
async function bytesOf(context: Context<App>, session: Session, folder: string): Promise<number> {
  const { store, facts } = (await context.workspace()).kernel
  if (store === undefined) return diskBytes(path.join(folder, 'sessions', session.id))
  const { segments } = (await facts?.(session.id)) ?? { segments: [] }
  return segments.reduce((sum, { bytes: each }) => sum + each, 0)
}

async function tallied(session: Session) {
  const [actors, operations, types] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  const add = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)
  const recent: Commit[] = []
  let first: string | undefined
  for await (const commit of session.commits({ until: session.seq })) {
    first ??= commit.at
    add(operations, commit.op)
    add(actors, commit.actor)
    for (const { type } of commit.events) add(types, type)
    if (recent.push(commit) > MOST_RECENT) recent.shift()
  }
  const sorted = (map: Map<string, number>) => Object.fromEntries([...map].toSorted(([, a], [, b]) => b - a))
  return {
    first_at: first ?? null,
    last_at: recent.at(-1)?.at ?? null,
    actors: sorted(actors),
    operations: sorted(operations),
    events: sorted(types),
    recent,
  }
}

/** What this process can tell of itself and of the disk; what it cannot is left out. */
async function measured(session: Session, folder: string) {
  await session.query(QUERY)
  const began = performance.now()
  await session.query(QUERY)
  const state_query_time_ms = performance.now() - began
  const { user, system } = process.cpuUsage()
  const cpu_usage_percent = Math.min(100, (user + system) / 10 / performance.now())
  try {
    return { state_query_time_ms, cpu_usage_percent, persistence_write_time_ms: writeTime(folder) }
  } catch {
    return { state_query_time_ms, cpu_usage_percent }
  }
}

function countsAt(session: Session, path: string): Readonly<Record<string, number>> {
  // Its module keeps counts there, where there are any.
  return (session.get(path) ?? {}) as Readonly<Record<string, number>>
}

interface Stats {
  readonly name: string
  readonly commits: number
  readonly first_at: string | null
  readonly last_at: string | null
  readonly disk_bytes: number
  readonly state_bytes: number
  readonly actors: Readonly<Record<string, number>>
  readonly operations: Readonly<Record<string, number>>
  readonly redactions: Readonly<Record<string, number>>
  readonly metrics: Metrics
}

function statsText({ paint, io }: Context, data: Stats): string {
  const head = `${paint.bold(plain(data.name))}  ${count(data.commits, 'commit')}  ${bytes(data.disk_bytes)} on disk  ${bytes(data.state_bytes)} of state`
  const span = paint.dim(`${data.first_at ?? ''} to ${data.last_at ?? ''}`)
  const table = (title: string, rows: readonly (readonly string[])[]) =>
    rows.length === 0
      ? []
      : ['', paint.dim(title), ...columns(rows.slice(0, MOST_ROWS), { right: [0], width: io.width, indent: '  ' })]
  const counts = (map: Readonly<Record<string, number>>) =>
    Object.entries(map).map(([key, n]) => [thousands(n), plain(key)])
  const groups = Object.entries(data.metrics).map(([group, figures]) => table(group, figureRows(figures)))
  return [
    head,
    span,
    ...table('actors', counts(data.actors)),
    ...table('operations', counts(data.operations)),
    ...table('taken out before it was written', counts(data.redactions)),
    ...groups.flat(),
  ].join('\n')
}

/** Figures below a figure, such as queues, on lines of their own. */
const figureRows = (figures: Readonly<Record<string, unknown>>): readonly (readonly string[])[] =>
  Object.entries(figures).flatMap(([name, figure]) =>
    typeof figure === 'number'
      ? [[rounded(figure), name.replaceAll('_', ' ')]]
      : Object.entries(figure ?? {}).map(([key, n]) => [rounded(Number(n)), `queue of ${plain(key)}`]),
  )

const rounded = (n: number): string => (Number.isInteger(n) ? thousands(n) : n.toFixed(2))
