/** `run --agent`: an agent CLI under watch. */
import { membersOf } from '../../../kernel/members.ts'
import { needed, listOf, usage } from '../input.ts'
import type { App } from '../app.ts'
import type { Input, Result } from '../command.ts'
import type { Context } from '../context.ts'
import { count, dollars, plain } from '../text.ts'
import { textAt } from '../view.ts'
import { accepted } from '../answer.ts'
import { launchOf } from './launch.ts'
import type { Agent } from './plan.ts'
import { watchRun } from './watch.ts'

const PARTIAL = 10
const NEEDS_PERSON = 11

export async function runAgent(context: Context<App>, input: Input): Promise<Result> {
  if (input['file'] !== undefined)
    throw usage('a workflow and an agent are two things', 'run FILE, or run --agent AGENT -- …')
  // The parser takes no other.
  const agent = needed(input, 'agent') as Agent
  const launch = launchOf(agent, listOf(input, 'command'))
  const session = await context.session('write')
  const { started, ...ended } = await watchRun(context, session, agent, launch)
  const shown = accepted(await session.run('activity.show', { agent, run: launch.run }))
  const resume = started ? textAt(membersOf(shown.value)['resume']) : null
  const data = { agent, run: launch.run, session: session.id, resume, ...ended }
  const exit = ended.cause === 'finished' ? 0 : ended.cause === 'quota' ? NEEDS_PERSON : PARTIAL
  const spent = [count(ended.tokens, 'token'), count(ended.tools, 'tool call'), dollars(ended.cost_usd)].filter(Boolean)
  const why = ended.reason === null ? '' : `: ${plain(ended.reason)}`
  context.note(`${agent} run ${launch.run}: ${ended.cause}${why}  (${spent.join(', ')})`)
  const next = started ? resume : `install ${agent}, or put it on the PATH`
  if (exit !== 0 && next !== null) context.note(`next: ${plain(next)}`)
  return { data, text: '', exit }
}
