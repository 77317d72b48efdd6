/** `run --agent`: an agent CLI under watch. */
import { membersOf } from '../../../kernel/json/members.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import type { Agent } from '../context/agent-names.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { needed, listOf, usage, type Input } from '../context/input.ts'
import { EXIT_PARTIAL, type Result } from '../context/result.ts'
import { count, dollars, plain } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import { launchOf } from './launch.ts'
import { takenUp } from './used.ts'
import { closeRun, watchRun, type Ended } from './watch.ts'

const NEEDS_PERSON = 11

export async function runAgent(context: Context<App>, input: Input): Promise<Result> {
  if (input['file'] !== undefined)
    throw usage('a workflow and an agent are two things', 'run FILE, or run --agent AGENT -- …')
  // The parser takes no other.
  const agent = needed(input, 'agent') as Agent
  const words = launchOf(agent, listOf(input, 'command'))
  const session = await context.session('write')
  const launch = await takenUp(session, agent, words)
  const { started, ...ended } = await watchRun(context, session, agent, launch)
  // First, for a session that was suspended or ended meanwhile takes no record of it.
  noteEnd(context, `${agent} run ${launch.run}`, ended)
  await closeRun(context, session, { agent, run: launch.run }, ended)
  const shown = accepted(await session.run('activity.show', { agent, run: launch.run }))
  const resume = started ? textAt(membersOf(shown.value)['resume']) : null
  const data = { agent, run: launch.run, session: session.id, resume, ...ended }
  const exit = ended.cause === 'finished' ? 0 : ended.cause === 'quota' ? NEEDS_PERSON : EXIT_PARTIAL
  const next = started ? resume : `install ${agent}, or put it on the PATH`
  if (exit !== 0 && next !== null) context.note(`next: ${plain(next)}`)
  return { data, text: '', exit }
}

function noteEnd(context: Context, run: string, { cause, reason, tokens, tools, cost_usd }: Ended): void {
  const spent = [count(tokens, 'token'), count(tools, 'tool call'), dollars(cost_usd)].filter(Boolean)
  const why = reason === null ? '' : `: ${plain(reason)}`
  context.note(`${run}: ${cause}${why}  (${spent.join(', ')})`)
}
