/** Going on after something died. */
import { asleep, type RecoveryPlan } from '../../../kernel/care/recovery.ts'
import { remains } from '../../../kernel/care/remains.ts'
import { corrupt, LOG_GONE } from '../../../kernel/log/replay.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import type { Session } from '../../../kernel/session.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, textOf } from '../context/input.ts'
import { statusOf } from '../context/scope.ts'
import { ago, count, plain, thousands } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { AS } from '../syntax/flags.ts'

const recover: Command<App> = {
  name: 'recover',
  summary: 'release what dead runners and agents hold; starts nothing',
  examples: ['recover --dry-run', 'recover build-auth', 'recover build-auth --hold'],
  notes:
    'A session is lost by evidence, never by age: its lease ran out, its process is gone, or the machine was started again. What an agent took after it went stays: it works again. Turns whose time is over end with reason recovery, whoever has them.',
  parameters: [
    {
      name: 'SESSION',
      field: 'named',
      type: 'text',
      required: false,
      summary: 'only this one; all that are lost when left out',
    },
  ],
  flags: [
    {
      name: 'dry-run',
      short: 'n',
      field: 'dryRun',
      type: 'boolean',
      summary: 'say what would be done, and do nothing',
    },
    {
      name: 'hold',
      field: 'hold',
      type: 'boolean',
      summary: 'nothing begins in it until session resume: look first',
    },
    AS,
  ],
  shares: [],
  run: async (context, input) => {
    const { actor } = context
    const carryOut = async (session: Session, plan: RecoveryPlan) => {
      const answer = await context.app.recovery.carryOut(session, plan, actor, isOn(input, 'hold'))
      const { seq, events } = accepted(answer)
      return events.length === 0 ? null : seq
    }
    const done: { readonly plan: RecoveryPlan; readonly seq: number | null }[] = []
    const unclear: Unclear[] = []
    const leftOut = (session: string, reason: string) => {
      unclear.push({ session, reason })
      context.note(`${session}: ${reason}, and who is lost in it cannot be told; steadfold verify --session ${session}`)
    }
    for await (const session of candidates(context, textOf(input, 'named'), leftOut)) {
      if (session.damage !== undefined) {
        leftOut(session.id, 'its log is damaged')
        continue
      }
      const plan = await context.app.recovery.plan(session)
      if (plan === undefined) continue
      const seq = isOn(input, 'dryRun') ? null : await carryOut(session, plan)
      done.push({ plan: isOn(input, 'hold') ? asleep(plan) : plan, seq })
    }
    if (textOf(input, 'named') === undefined)
      for (const id of await remains((await context.workspace()).kernel))
        if (!unclear.some(({ session }) => session === id)) leftOut(id, LOG_GONE)
    const data = { dry_run: isOn(input, 'dryRun'), sessions: done.map(({ plan, seq }) => ({ ...plan, seq })), unclear }
    return {
      data,
      text: () =>
        done.length === 0
          ? `nothing ${unclear.length === 0 ? '' : 'else '}is lost`
          : done.map((each) => planText(context, { ...each, isPlan: data.dry_run })).join('\n'),
    }
  },
}

/** Who is lost in it cannot be told. */
interface Unclear {
  readonly session: string
  readonly reason: string
}

async function* candidates(
  context: Context<App>,
  named: string | undefined,
  leftOut: (session: string, reason: string) => void,
): AsyncGenerator<Session> {
  if (named === undefined) {
    const all = (await context.workspace()).sessions(undefined, (id, { message }) => leftOut(id, message))
    // Whoever goes on with one that is elsewhere recovers it there.
    for await (const session of all) if (statusOf(session) !== 'departed') yield session
    return
  }
  const session = await context.session('write', named)
  // Who is lost in it cannot be told: "nothing is lost" would be no answer.
  if (session.damage !== undefined) throw corrupt(session.id, session.damage)
  yield session
}

interface Told {
  readonly plan: RecoveryPlan
  /** Null where nothing was done: it is only a plan, or nothing is held. */
  readonly seq: number | null
  readonly isPlan: boolean
}

function planText({ paint, now }: Context, { plan, seq, isPlan }: Told): string {
  const { name, cause, evidence, rebuild, lost, release, return: back, resume, then, last_seen } = plan
  const since = `${cause === 'overdue' ? 'overdue, last written' : 'lost'} ${ago(last_seen, now())}`
  const base = rebuild.checkpoint === null ? '' : `checkpoint ${thousands(rebuild.checkpoint)} (hash ok) + `
  const rows = [
    ['rebuild', `${base}${count(rebuild.commits, 'commit')}`],
    ['lost', lost.map(plain).join(', ')],
    ['release', release.map(plain).join(', ')],
    ['return', back.map(plain).join(', ')],
    ...resume.map((command) => ['then', plain(command)]),
    ['then', plain(then)],
  ].filter(([, text]) => text !== '')
  const head = `${paint.bold(plain(name))}  ${since}   evidence: ${evidence.map(plain).join(', ')}`
  const end =
    seq === null
      ? `${paint.dim('done')}      nothing: nobody holds it, the line above goes on with it`
      : `${paint.green('done')}      commit ${thousands(seq)}`
  const tail = isPlan ? [] : [`  ${end}`]
  return [head, ...rows.map(([word = '', text = '']) => `  ${paint.dim(word.padEnd(8))}  ${text}`), ...tail].join('\n')
}

export const recoverCommands: readonly Command<App>[] = [recover]
