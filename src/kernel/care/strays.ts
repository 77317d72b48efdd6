/*
 * Agents that are at work here and of which no session knows: several are active, and they named none (kernel/belonging.ts).
 *
 * R1. Each is told as what needs a person, until a session knows it or it has ended.
 */
import { belonging } from '../belonging.ts'
import type { Stray } from '../ports.ts'
import type { Workspace } from '../workspace.ts'
import type { Need } from './inbox.ts'

/** Where no session is active, none can be meant: then nothing is asked. */
export async function strayNeeds(workspace: Workspace): Promise<readonly Need[]> {
  const strays = (await straysIn(workspace)).filter(({ over }) => !over)
  if (strays.length === 0) return []
  const { active, ofRun } = await belonging(workspace)
  const now = workspace.kernel.host.now()
  return active === 0 ? [] : strays.filter(({ agent, run }) => ofRun(agent, run) === undefined).map(needOf(now))
}

/** That have ended as well. */
export const straysIn = async ({ kernel: { log } }: Workspace): Promise<readonly Stray[]> =>
  (await (await log.attic?.())?.strays()) ?? []

const needOf =
  (now: number) =>
  ({ agent, run, since }: Stray): Need => ({
    kind: 'ASK',
    session: '',
    name: '',
    what: `${agent} ${run}`,
    why: 'no session was named: what it does is kept in none',
    since,
    age_ms: Math.max(0, now - Date.parse(since)),
    next: `steadfold activity adopt ${agent} ${run} --session NAME`,
  })
