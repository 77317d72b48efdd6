/** What changed, when, and by whom. */
import { EngineError } from '../../../kernel/error.ts'
import { authorOf, blame, blameData, historyData } from '../../../kernel/history/blame.ts'
import { difference, differenceData, type Attributed, type Difference } from '../../../kernel/history/difference.ts'
import { lastValues } from '../../../kernel/history/last-values.ts'
import type { Commit } from '../../../kernel/log/commit.ts'
import { commitData } from '../../../kernel/log/filter.ts'
import { formatPath, getAt, parsePath } from '../../../kernel/path/path.ts'
import type { Session } from '../../../kernel/session.ts'
import type { Context } from '../context/context.ts'
import { countOf, needed, textOf, usage } from '../context/input.ts'
import { sayEvents, stepNames } from '../show/event-text.ts'
import { brief, count, cut, padEnd, plain, plainLines, thousands, widthOf } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { actorText } from './log.ts'
import { nothingIn, show as showValue } from './state.ts'

/** Columns of a value that stands beside others, however wide the terminal is. */
const LONGEST = 200

const differenceCommand: Command = {
  name: 'diff',
  summary: 'what changed between two points, and who changed it',
  examples: ['diff draft-done', 'diff 17 @-3', 'diff 2h @ --path data --json'],
  parameters: [
    {
      name: 'A',
      field: 'from',
      type: 'text',
      required: true,
      summary: 'the earlier point: a mark, 17, @-3, 2h, an ISO time',
    },
    { name: 'B', field: 'to', type: 'text', required: false, summary: 'the later point; now when left out' },
  ],
  flags: [
    { name: 'path', field: 'path', type: 'text', value: 'PATH', summary: 'only below this path' },
    { name: 'all', field: 'all', type: 'boolean', summary: 'indexes, too, as --json always has them' },
  ],
  shares: ['session'],
  run: async (context, input) => {
    const { session, at } = await context.sessionAt('read')
    const to = textOf(input, 'to')
    if (to !== undefined && at !== undefined)
      throw usage(`two points: ${to} and ${at}`, 'one of them: diff A B, or diff A')
    const between = { from: needed(input, 'from'), to: to ?? at, path: textOf(input, 'path') }
    const found = await difference((await context.workspace()).kernel, session, between)
    return { data: differenceData(found), text: () => diffText(context, found, input['all'] === true) }
  },
}

function diffText(context: Context, { changes: found, commits, actors }: Difference, all: boolean): string {
  if (found.length === 0) return `no change in ${count(commits, 'commit')}`
  const told = all ? found : found.filter(({ index }) => !index)
  // They alone changed, or were asked for.
  const changes = told.length === 0 ? found : told
  const more = found.length - changes.length
  const paths = changes.map(({ path }) => plain(formatPath(path).replace(/^\$\.?/, '')) || '$')
  const width = Math.min(40, Math.max(...paths.map(widthOf)))
  const lines = changes.map((change, i) => changeLine(context, change, padEnd(paths[i] ?? '', width)))
  const who = Object.entries(actors).map(([actor, n]) => `${plain(actor.slice(actor.indexOf(':') + 1))} (${n})`)
  return [
    ...lines,
    context.paint.dim(
      `${count(changes.length, 'path')}, ${count(commits, 'commit')}, by ${who.join(' ')}${more === 0 ? '' : `; ${more} more in indexes: --all`}`,
    ),
  ].join('\n')
}

function changeLine(context: Context, change: Attributed, path: string): string {
  const { by } = change
  const { paint, io } = context
  const tail = by === undefined ? '' : `  by ${by.actor} at ${by.seq}`
  const room = Math.min(LONGEST, Math.max(24, io.width - widthOf(path) - 4 - widthOf(tail)))
  const half = Math.floor((room - 3) / 2)
  const sign = { added: paint.green('+'), removed: paint.red('-'), changed: paint.yellow('~') }[change.kind]
  const value =
    change.kind === 'changed'
      ? `${brief(change.before, half)} → ${brief(change.after, half)}`
      : brief(change.kind === 'added' ? change.after : change.before, room)
  return `${sign} ${path}  ${value}${paint.dim(tail)}`
}

const show: Command = {
  name: 'show',
  summary: 'one commit in full, or a value and who gave it',
  examples: ['show', 'show 17', 'show draft-done', 'show data.topic', 'show @-3 --json'],
  parameters: [
    {
      name: 'WHAT',
      field: 'what',
      type: 'text',
      required: false,
      summary: 'a point (17, @-3, a mark, 2h) or a path; the last commit when left out',
    },
  ],
  flags: [],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const { session, at } = await context.sessionAt('read')
    const what = textOf(input, 'what') ?? at ?? '@'
    const seq = what.startsWith('$') ? undefined : await pointOrPath(session, what)
    if (seq === undefined) return showPath(context, session, what, at)
    if (at !== undefined && what !== at) throw usage(`two points: ${what} and ${at}`, 'one of them, or a path and --at')
    const commit = await commitAt(session, seq)
    return {
      data: { ...commitData(commit), id: commit.id, prev: commit.prev },
      text: () => commitText(context, commit),
    }
  },
}

const looksLikePath = (word: string): boolean => /[.[]/.test(word.replace(/^\d{4}-.*/, ''))

/** Undefined when it is no point but a path: the name of a mark may have dots as well. */
async function pointOrPath(session: Session, word: string): Promise<number | undefined> {
  try {
    return await session.resolve(word)
  } catch (error) {
    if (looksLikePath(word)) return undefined
    const root = session.stored
    if (typeof root === 'object' && root !== null && Object.hasOwn(root, word)) return undefined
    throw error
  }
}

async function commitAt(session: Session, seq: number): Promise<Commit> {
  if (seq > 0) for await (const commit of session.commits({ after: seq - 1 })) return commit
  throw new EngineError('POINT_NOT_FOUND', `there is no commit ${seq}: the session has commits 1 to ${session.seq}`, {
    hint: 'steadfold log',
  })
}

function commitText(context: Context, commit: Commit): string {
  const { paint } = context
  const { seq, at, actor, op, id, key, reason, cause, hash, prev, events } = commit
  const rows: readonly (readonly [string, string | null | undefined])[] = [
    ['at', at],
    ['actor', actorText(context, actor)],
    ['reason', reason],
    ['key', key],
    ['cause', cause],
    ['id', id],
    ['prev', prev],
    ['hash', hash],
  ]
  const head = rows.flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${paint.dim(name.padEnd(6))}  ${value}`],
  )
  const body = events.map(({ type, data }) => `\n${paint.cyan(type)}\n${plainLines(JSON.stringify(data, null, 2))}`)
  return [`${paint.bold(`${op}`)}  seq ${thousands(seq)}`, ...head, ...body].join('\n')
}

async function showPath(context: Context, session: Session, path: string, at: string | undefined) {
  const seq = await session.resolve(at ?? '@')
  const value = getAt(await session.stateAt(seq), parsePath(path))
  if (value === undefined) throw nothingIn(await session.stateAt(seq), path, at)
  const last = await blame((await context.workspace()).kernel, session.id, path, seq)
  const data = { path: formatPath(parsePath(path)), value, seq, by: last === undefined ? null : authorOf(last.commit) }
  return {
    data,
    text: () =>
      [
        showValue(context, value, false),
        ...(last === undefined
          ? []
          : [context.paint.dim(`last changed by ${last.commit.actor} at ${last.commit.seq}, ${last.commit.at}`)]),
      ].join('\n'),
  }
}

const blameCommand: Command = {
  name: 'blame',
  summary: 'the commit that last changed a path',
  examples: ['blame data.topic', 'blame workflow.current --at draft-done', 'blame data.topic --json'],
  parameters: [{ name: 'PATH', field: 'path', type: 'text', required: true, summary: 'place in the state' }],
  flags: [],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const { session, at } = await context.sessionAt('read')
    const path = needed(input, 'path')
    const until = await session.resolve(at ?? '@')
    const last = await blame((await context.workspace()).kernel, session.id, path, until)
    if (last === undefined) throw nothingIn(await session.stateAt(until), path, at)
    return { data: blameData(path, last), text: () => blameText(context, last.commit, last.value) }
  },
}

function blameText(context: Context, commit: Commit, value: unknown): string {
  const { paint } = context
  const head = `${paint.bold(`seq ${thousands(commit.seq)}`)}  ${commit.at}  ${actorText(context, commit.actor)}  ${commit.op}`
  const reason = commit.reason === undefined ? [] : [`  "${plain(commit.reason)}"`]
  return [
    head,
    `  ${value === undefined ? 'deleted it' : brief(value, Math.min(LONGEST, context.io.width - 2))}`,
    ...reason,
    paint.dim(cut(`  ${sayEvents(commit.events, stepNames(context.seen))}`, context.io.width)),
  ].join('\n')
}

const history: Command = {
  name: 'state history',
  summary: 'every value a path had, oldest first',
  examples: ['state history data.topic', 'state history workflow.current -n 5 --json'],
  parameters: [{ name: 'PATH', field: 'path', type: 'text', required: true, summary: 'place in the state' }],
  flags: [{ name: 'count', short: 'n', field: 'count', type: 'number', value: 'N', summary: 'only the last N' }],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const count = countOf(input)
    const { session, at } = await context.sessionAt('read')
    const path = needed(input, 'path')
    const { kernel } = await context.workspace()
    const until = await session.resolve(at ?? '@')
    const { values: kept, earlier } =
      count === undefined
        ? { values: await historyData(kernel, session.id, path, until), earlier: 0 }
        : await lastValues(kernel, session.id, { path, until, count })
    if (earlier > 0 && kept.length < (count ?? 0))
      context.note(`only ${kept.length}: more of these values cannot be told at once`)
    const lines = () =>
      kept.map(({ seq, at: time, actor, value, exists }) =>
        cut(
          `${String(seq).padStart(6)}  ${time.slice(0, 19)}  ${actor}  ${exists ? brief(value, LONGEST) : '(deleted)'}`,
          context.io.width,
        ),
      )
    return { data: kept, text: () => lines().join('\n') }
  },
}

export const diffCommands: readonly Command[] = [differenceCommand, show, blameCommand, history]
