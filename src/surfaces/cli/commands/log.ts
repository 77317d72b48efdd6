/** The commits of a session. */
import { lastBefore, lastBy } from '../../../kernel/history/log-range.ts'
import type { Commit } from '../../../kernel/log/commit.ts'
import { commitData, passes } from '../../../kernel/log/filter.ts'
import { latestOf, type Latest } from '../../../kernel/log/latest.ts'
import type { Session } from '../../../kernel/session.ts'
import type { Context } from '../context/context.ts'
import { countOf, listOf, textOf, type Input } from '../context/input.ts'
import { sayEvents, stepNames } from '../show/event-text.ts'
import { cut, plain, widthOf } from '../show/text.ts'
import type { Command, Flag } from '../syntax/command.ts'
import { ARCHIVED } from '../syntax/flags.ts'

export const FILTERS: readonly Flag[] = [
  {
    name: 'op',
    field: 'op',
    type: 'text',
    value: 'OP',
    repeat: true,
    summary: 'only this operation, such as state.set or step.*',
  },
  {
    name: 'actor',
    field: 'who',
    type: 'text',
    value: 'ACTOR',
    repeat: true,
    summary: 'only by this actor: agent:planner, agent:* or planner',
  },
  {
    name: 'type',
    field: 'type',
    type: 'text',
    value: 'TYPE',
    repeat: true,
    summary: 'only with an event of this type, such as data.set or step.*',
  },
]

export const countFlag = (summary: string): Flag => ({
  name: 'count',
  short: 'n',
  field: 'count',
  type: 'number',
  value: 'N',
  summary,
})

const log: Command = {
  name: 'log',
  summary: 'the commits of a session, oldest first',
  examples: [
    'log -n 20',
    'log --op "step.*" --since 2h',
    'log --actor agent:planner --json',
    'log --session build@draft-done',
    'log --session build-auth --archived',
  ],
  parameters: [],
  flags: [
    countFlag('only the last N of those that fit'),
    {
      name: 'since',
      field: 'since',
      type: 'text',
      value: 'POINT',
      summary: 'from this point on, itself included; what came after a time',
    },
    { name: 'until', field: 'until', type: 'text', value: 'POINT', summary: 'up to this point, itself included' },
    ...FILTERS,
    ARCHIVED,
  ],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const count = countOf(input)
    const { session, at } = await context.sessionAt('read')
    const range = await rangeOf(session, input, at)
    const until = Math.min(range.until, session.seq)
    const kept = await lastOf(session, input, { ...range, until, most: count ?? Infinity })
    return {
      data: kept.map(commitData),
      text: () => kept.map((commit, i) => commitLine(context, commit, kept[i - 1])).join('\n'),
    }
  },
}

export const logCommands: readonly Command[] = [log]

async function rangeOf(
  session: Session,
  input: Input,
  at: string | undefined,
): Promise<{ readonly after: number; readonly until: number }> {
  const since = textOf(input, 'since')
  const until = textOf(input, 'until')
  const ends = [
    at === undefined ? Infinity : await session.resolve(at),
    until === undefined ? Infinity : await lastBy(session, until),
  ]
  return { after: since === undefined ? 0 : await lastBefore(session, since), until: Math.min(...ends) }
}

/** Of those that fit what was asked for. */
export const lastOf = (session: Session, input: Input, range: Omit<Latest, 'fits'>): Promise<readonly Commit[]> =>
  latestOf((after, until) => session.commits({ after, until }), { ...range, fits: (commit) => fits(input, commit) })

export const fits = (input: Input, commit: Commit): boolean =>
  passes({ op: listOf(input, 'op'), actor: listOf(input, 'who'), type: listOf(input, 'type') }, commit)

/** `  17  20:17:30  agent:planner  state.set  $.data.topic = "auth"`; the day where it changes. */
export function commitLine({ paint, io, seen }: Context, commit: Commit, before?: Commit, width = io.width): string {
  const { seq, at, actor, op, reason, events } = commit
  const day = before?.at.slice(0, 10) === at.slice(0, 10) ? '' : `${paint.dim(at.slice(0, 10))}\n`
  const head = `${String(seq).padStart(6)}  ${at.slice(11, 19)}  ${actor}  ${op}`
  const what = sayEvents(events, stepNames(seen))
  const said = reason === undefined ? what : `${what}  "${plain(reason)}"`
  const shown = `${paint.dim(String(seq).padStart(6))}  ${paint.dim(at.slice(11, 19))}  ${actorText({ paint }, actor)}  ${paint.bold(op)}`
  const left = width - widthOf(head) - 2
  return `${day}${shown}  ${left > 8 ? cut(said, left) : ''}`.trimEnd()
}

export function actorText({ paint }: Pick<Context, 'paint'>, actor: string): string {
  const [kind = ''] = actor.split(':')
  const dye = { agent: paint.cyan, tool: paint.dim, human: paint.green }[kind]
  return dye === undefined ? plain(actor) : dye(plain(actor))
}
