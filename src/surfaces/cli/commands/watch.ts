/*
 * The inbox and a session on one screen, as they are and as they become.
 *
 *   ┌ what needs you, what goes on ┐   at most half of it where a session is shown
 *   ├ the last commits of a session ┤
 *   └ q ends it ┘
 */
import type { Inbox } from '../../../kernel/care/inbox.ts'
import { workspaceNeeds } from '../../../kernel/care/workspace-needs.ts'
import type { Commit } from '../../../kernel/log/commit.ts'
import { commitData } from '../../../kernel/log/filter.ts'
import type { Session } from '../../../kernel/session.ts'
import { Board } from '../answer/board.ts'
import type { LastCommits } from '../answer/last-commits.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, usage } from '../context/input.ts'
import { damageText, nameOf, statusOf } from '../context/scope.ts'
import { clip, Screen, sizeOf, type Size } from '../show/screen.ts'
import { count, plain, thousands } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { commitLine } from './log.ts'
import { statusText } from './status.ts'

/** More fit on no screen. */
const COMMITS = 200
/** No more pictures than people see. */
const PAUSE_MS = 50

interface Seen {
  readonly inbox: Inbox
  readonly session: Session | undefined
  readonly commits: readonly Commit[]
}

export const watch: Command<App> = {
  name: 'watch',
  summary: 'what needs you and what a session does, on one screen',
  examples: ['watch', 'watch --session build-auth', 'watch --once', 'watch --once --json'],
  notes: 'The session is the one that is named, else the only active one; without either, the inbox alone.',
  parameters: [],
  flags: [{ name: 'once', field: 'once', type: 'boolean', summary: 'print it as it is now, and end' }],
  shares: ['session'],
  run: async (context, input) => {
    if (isOn(input, 'once')) return once(context)
    if (context.json || !context.io.isTerminal('out') || context.env['TERM'] === 'dumb')
      throw usage('watch draws on a terminal, and there is none', 'steadfold watch --once, or steadfold tail --json')
    await live(context)
    return { data: null, text: '' }
  },
}

async function once(context: Context<App>) {
  const board = new Board(await context.workspace(), () => undefined)
  const sessions = await board.sessions()
  const session = await chosen(context, sessions)
  const commits: Commit[] = []
  if (session !== undefined)
    for await (const commit of session.commits({
      after: Math.max(0, session.seq - COMMITS),
      until: session.seq,
    }))
      commits.push(commit)
  const inbox = await inboxOf(context, board, sessions)
  const seen = { inbox, session, commits }
  const size = sizeOf(process.stdout)
  const data = { inbox, session: session?.id ?? null, commits: commits.slice(-size.rows).map(commitData) }
  const text = () =>
    picture(context, seen, size)
      .map((line) => clip(line, size.columns).trimEnd())
      .join('\n')
  return { data, text }
}

async function live(context: Context<App>): Promise<void> {
  const bell = new Bell(context.signal)
  const board = new Board(await context.workspace(), bell.ring)
  board.watch()
  let last: LastCommits | undefined
  const screen = new Screen(context.io, bell.ring)
  try {
    while (!screen.isLeft && !context.isStopped) {
      const sessions = await board.sessions()
      const session = await chosen(context, sessions)
      if (session === undefined) last = undefined
      else if (last?.holdFor(session) !== true) last = board.tail(session, COMMITS)
      const inbox = await inboxOf(context, board, sessions)
      const { columns, rows } = screen.size
      const lines = picture(context, { inbox, session, commits: last?.all ?? [] }, { columns, rows: rows - 1 })
      screen.draw([...lines, context.paint.dim('q ends it')])
      await bell.rung()
    }
  } finally {
    screen.close()
    board.close()
  }
}

/** Rings after a change, but not at every one of many. */
class Bell {
  readonly #signal: AbortSignal
  #pending = false
  #wake: () => void = () => undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', this.ring)
  }

  readonly ring = (): void => {
    this.#pending = true
    this.#wake()
  }

  async rung(): Promise<void> {
    if (!this.#pending && !this.#signal.aborted) await new Promise<void>((resolve) => (this.#wake = resolve))
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    this.#pending = false
  }
}

async function chosen(context: Context<App>, sessions: readonly Session[]): Promise<Session | undefined> {
  const { namedSession: named } = context
  if (named !== undefined) {
    const found = sessions.find((session) => session.id === named || nameOf(session) === named)
    if (found !== undefined) return found
    // The beginning of an id, or a mistake, which it explains.
    const { id } = await context.session('read')
    return sessions.find((session) => session.id === id)
  }
  const active = sessions.filter((session) => statusOf(session) === 'active')
  return active.length === 1 ? active[0] : undefined
}

async function inboxOf(context: Context<App>, board: Board, sessions: readonly Session[]): Promise<Inbox> {
  const { overview } = context.app
  const glances = await Promise.all(sessions.map((session) => overview.glance(session)))
  return overview.inbox(glances, { more: await workspaceNeeds(await context.workspace(), await board.shut()) })
}

/** Lines for a screen of that size; those of the inbox give way first. */
function picture(context: Context<App>, { inbox, session, commits }: Seen, { columns, rows }: Size): readonly string[] {
  const { paint } = context
  const above = statusText(context, inbox, columns).split('\n')
  if (session === undefined) return fitted(context, above, rows)
  // Whose names the lines of its commits use.
  context.seen = session
  const inner = rows - 1
  const room = Math.max(Math.ceil(inner / 2), inner - commits.length - 1)
  const top = fitted(context, above, room)
  const left = inner - top.length
  const lines = commits
    .slice(-left)
    .flatMap((commit, i, all) => commitLine(context, commit, all[i - 1], columns).split('\n'))
  const damage = session.damage === undefined ? '' : `, ${damageText(session.damage)}`
  const said = `── ${plain(nameOf(session))}  seq ${thousands(session.seq)}${damage} `
  return [...top, paint.bold(said.padEnd(columns, '─')), ...lines.slice(-left)]
}

function fitted({ paint }: Context<App>, lines: readonly string[], room: number): readonly string[] {
  if (lines.length <= room) return lines
  const hidden = lines.length - room + 1
  return [...lines.slice(0, room - 1), paint.dim(`${count(hidden, 'more line')}; steadfold status`)]
}
