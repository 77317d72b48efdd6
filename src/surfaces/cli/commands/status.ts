/** What needs a person comes first, each with its age and the command that answers it; then what goes on. */
import type { Glance, Inbox, Need, NeedKind, SessionRow } from '../../../kernel/care/inbox.ts'
import { countArchived } from '../../../kernel/care/put-away.ts'
import { visitAll } from '../../../kernel/care/shut.ts'
import { workspaceNeeds } from '../../../kernel/care/workspace-needs.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn } from '../context/input.ts'
import { see, seenBy } from '../context/seen.ts'
import { fit, type Column } from '../show/fit.ts'
import { ago, count, cut, dollars, plain, thousands, widthOf } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'

const WIDEST_WHAT = 24
const WIDEST_WHY = 80
const INDENT = '  '

const status: Command<App> = {
  name: 'status',
  summary: 'what needs you, and what is going on',
  examples: ['status', 'status --all', 'status --seen', 'status --session build-auth --json'],
  parameters: [],
  flags: [
    { name: 'all', short: 'a', field: 'all', type: 'boolean', summary: 'ended, suspended and departed sessions, too' },
    {
      name: 'seen',
      field: 'seen',
      type: 'boolean',
      summary: 'you have seen what is done: it stands with what is idle',
    },
  ],
  shares: ['session'],
  run: async (context, input) => {
    const all = isOn(input, 'all') || context.askedSession !== undefined
    const seen = await look(context, all)
    if (isOn(input, 'seen')) see(context, seen.done)
    const isSeen = seenBy(context)
    const done = seen.done.map((row) => ({ ...row, seen: isSeen(row) }))
    const away = context.json ? 0 : await countArchived(await context.workspace())
    return { data: { ...seen, done }, text: () => [statusText(context, seen), ...awayLine(context, away)].join('\n') }
  },
}

const awayLine = (context: Context, count: number): readonly string[] =>
  count === 0 ? [] : [context.paint.dim(context.kept(`${count} archived; steadfold session list --archived`))]

const inbox: Command<App> = {
  name: 'inbox',
  summary: 'only what needs you, and the command that answers it',
  examples: ['inbox', 'inbox --session build-auth', 'inbox --json'],
  parameters: [],
  flags: [],
  shares: ['session'],
  run: async (context) => {
    const { needs_you } = await look(context, false)
    const text = () =>
      needs_you.length === 0 ? 'nothing needs you' : needLines(context, needs_you, context.io.width).join('\n')
    return { data: needs_you, text }
  },
}

export const statusCommands: readonly Command<App>[] = [status, inbox]

/** What was looked at is done as well, but no news. */
const apart = (inbox: Inbox, isSeen: (row: SessionRow) => boolean): Inbox => ({
  ...inbox,
  done: inbox.done.filter((row) => !isSeen(row)),
  idle: [...inbox.idle, ...inbox.done.filter(isSeen)],
})

async function look(context: Context<App>, all: boolean): Promise<Inbox> {
  const { overview } = context.app
  if (context.askedSession !== undefined)
    return overview.inbox([await overview.glance(await context.session('read'))], { all })
  const seen: Glance[] = []
  const workspace = await context.workspace()
  const shut = await visitAll(workspace, async (session) => {
    seen.push(await overview.glance(session))
  })
  return overview.inbox(seen, { all, more: await workspaceNeeds(workspace, shut) })
}

export function statusText(context: Context, inbox: Inbox, width = context.io.width): string {
  const { paint } = context
  const { needs_you, working, done, idle, other, hidden } = apart(inbox, seenBy(context))
  const group = (title: string, lines: readonly string[], size: number) =>
    size === 0 ? [] : [`${paint.bold(title)} (${size})`, ...lines]
  const quiet = needs_you.length + working.length + done.length + idle.length + other.length === 0
  const begin = hidden === 0 ? context.kept('; begin with: steadfold session create NAME') : ''
  const sessions = (title: string, rows: readonly SessionRow[]) =>
    group(title, rows.length === 0 ? [] : sessionLines(context, rows, width), rows.length)
  const lines = [
    ...group('NEEDS YOU', needLines(context, needs_you, width), needs_you.length),
    ...sessions('WORKING', working),
    ...sessions('DONE, NOT SEEN YET', done),
    ...sessions('IDLE', idle),
    ...sessions('OTHER', other),
    ...(quiet ? [`nothing to do${begin}`] : []),
    ...(hidden === 0
      ? []
      : [paint.dim(context.kept(`${hidden} ended, suspended or departed; steadfold status --all`))]),
  ]
  return lines.join('\n')
}

/** The shortest of the whys is whole in it: "its log is damaged". */
const LEAST_WHY = 18

const NEED: readonly Column[] = [
  { name: 'kind' },
  { name: 'session' },
  { name: 'what', least: WIDEST_WHAT },
  { name: 'why', least: LEAST_WHY },
  { name: 'age', right: true },
]

/** The command goes on a line of its own where it does not fit. */
function needLines(context: Context, needs: readonly Need[], width: number): readonly string[] {
  const { paint } = context
  const now = context.now()
  const rows = needs.map(({ kind, name, what, why, since }) => {
    const age = ago(since, now).replace(' ago', '')
    return [kind, plain(name), cut(plain(what), WIDEST_WHAT), cut(plain(why), WIDEST_WHY), age]
  })
  return fit(rows, NEED, width - INDENT.length).lines.map((line, i) => {
    const need = needs[i]
    if (need === undefined) return line
    const shown = INDENT + line.replace(need.kind, dyeOf(paint, need.kind)(need.kind))
    const next = context.kept(need.next)
    const fits = widthOf(line) + widthOf(next) + 5 <= width
    return fits ? `${shown}   ${paint.dim(next)}` : `${shown}\n             ${paint.dim(next)}`
  })
}

const WAITS: ReadonlySet<NeedKind> = new Set(['ASK', 'GATE', 'PARKED', 'BLOCKED', 'EXPIRED', 'MESSAGE'])

const dyeOf = (paint: Context['paint'], kind: NeedKind) => (WAITS.has(kind) ? paint.yellow : paint.red)

function sessionLines(context: Context, rows: readonly SessionRow[], width: number): readonly string[] {
  const { paint } = context
  const now = context.now()
  const cells = rows.map((row) => [
    plain(row.name),
    plain(row.workflow?.current ?? ''),
    row.workflow?.wave ? `wave ${row.workflow.wave.at}/${row.workflow.wave.of}` : '',
    row.steps.total === 0 ? '' : `${row.steps.finished}/${row.steps.total} steps`,
    row.steps.running === 0 ? '' : `${row.steps.running} running`,
    row.hosts.length < 2 ? '' : row.hosts.map(({ host, running }) => `${plain(host)} ${running}`).join(', '),
    row.agents === 0 ? '' : count(row.agents, 'agent'),
    tasksText(row),
    `seq ${thousands(row.seq)}`,
    dollars(row.cost_usd),
    row.status === 'active' ? '' : row.status,
    ago(row.updated_at, now),
  ])
  // A column that is empty everywhere takes no room.
  const used = SESSION.map((_, i) => cells.some((row) => row[i] !== ''))
  const only = <T>(all: readonly T[]): readonly T[] => all.filter((_, i) => used[i] === true)
  const { lines } = fit(cells.map(only), only(SESSION), width - INDENT.length)
  return lines.map((line, i) => INDENT + line.replace(plain(rows[i]?.name ?? ''), (name) => paint.bold(name)))
}

const SESSION: readonly Column[] = [
  { name: 'session' },
  { name: 'state', rank: 1, least: 12 },
  { name: 'wave', rank: 3 },
  { name: 'steps', rank: 1 },
  { name: 'running', rank: 3 },
  { name: 'hosts', rank: 2 },
  { name: 'agents', rank: 2 },
  { name: 'tasks', rank: 2 },
  { name: 'seq', rank: 5 },
  { name: 'cost', rank: 1 },
  { name: 'status' },
  { name: 'age', rank: 4 },
]

function tasksText({ tasks: { claimed, ready } }: SessionRow): string {
  if (claimed + ready === 0) return ''
  return [...(claimed === 0 ? [] : [`${claimed} claimed`]), ...(ready === 0 ? [] : [`${ready} ready`])].join(', ')
}
