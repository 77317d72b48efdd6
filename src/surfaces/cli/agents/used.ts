/*
 * What a run used, over all processes that worked on it.
 *
 * A4 of watch.ts. Codex tells the tokens of its session since that began: what other runs of that session used is no part of this one.
 */
import { membersOf, type Members } from '../../../kernel/json/members.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import type { Session } from '../../../kernel/session.ts'
import type { Agent } from '../context/agent-names.ts'
import type { Launch } from './launch.ts'
import { tellsAll } from './stream.ts'

export interface Used {
  readonly tokens: number
  readonly cost_usd: number
  readonly tools: number
}

export interface Named {
  readonly agent: Agent
  readonly run: string
}

/** A session that an earlier run is known to have begun is taken up as that run. */
export async function takenUp(session: Session, agent: Agent, launch: Launch): Promise<Launch> {
  if (!launch.assigned) return launch
  const known = (await runsOf(session, agent, launch.run)).map((row) => String(row['run']))
  const [latest] = known
  // Its hooks tell of the one of that name.
  return latest === undefined || known.includes(launch.run) ? launch : { ...launch, run: latest, assigned: false }
}

export async function usedBefore(session: Session, of: Named): Promise<Used> {
  const { tokens, cost_usd, tools } = membersOf(accepted(await session.run('activity.show', of)).value)
  return { tokens: Number(tokens), cost_usd: Number(cost_usd), tools: Number(tools) }
}

/** `cli_session`: as the CLI has told it. */
export async function usedNow(
  session: Session,
  { agent, run, cli_session }: Named & { readonly cli_session: string | undefined },
  { before, seen }: { readonly before: Used; readonly seen: Used },
): Promise<Used> {
  const [cost_usd, tools] = [before.cost_usd + seen.cost_usd, before.tools + seen.tools]
  if (!tellsAll(agent)) return { tokens: before.tokens + seen.tokens, cost_usd, tools }
  const others = (await runsOf(session, agent, cli_session ?? run)).filter((row) => row['run'] !== run)
  const apart = others.reduce((total, row) => total + Number(row['tokens']), 0)
  return { tokens: Math.max(before.tokens, seen.tokens - apart), cost_usd, tools }
}

/** Those of a session of the CLI, the latest first. */
async function runsOf(session: Session, agent: Agent, cli_session: string): Promise<readonly Members[]> {
  const { value } = accepted(await session.run('activity.list'))
  const rows: readonly unknown[] = Array.isArray(value) ? value : []
  return rows.map(membersOf).filter((row) => row['agent'] === agent && row['cli_session'] === cli_session)
}
