/* V3 of kernel/care/recovery.ts: who is lost with whom. */
import type { Lost, LostCause } from '../../kernel/care/recovery.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { isPerson } from '../../kernel/text/actor.ts'
import type { AgentsSlice } from '../agents/events.ts'

const actorOf = (agent: string): string => `agent:${agent}`

/** The holder of a lost lease, agents whose own lease is over, who stands below them, and who went before. */
export function lostIn(
  root: Readonly<Tree>,
  holder: { readonly actor: string; readonly cause: LostCause } | undefined,
  now: number,
): Lost {
  const { active, gone } = sliceOf<AgentsSlice>(root, 'execution.agents') ?? NOBODY
  const lost = new Map<string, LostCause>(overdueIn(root, now).map((id) => [actorOf(id), 'timeout']))
  if (holder !== undefined && !isPerson(holder.actor)) lost.set(holder.actor, holder.cause)
  // A map is walked in the order in which it grows, also while it does.
  for (const actor of lost.keys())
    for (const child of childrenOf(active, actor)) if (!lost.has(child)) lost.set(child, 'orphaned')
  for (const { id } of gone) if (!Object.hasOwn(active, id) && !lost.has(actorOf(id))) lost.set(actorOf(id), 'gone')
  return lost
}

const NOBODY: Pick<AgentsSlice, 'active' | 'gone'> = { active: {}, gone: [] }

function childrenOf(active: AgentsSlice['active'], actor: string): readonly string[] {
  const id = actor.slice(actorOf('').length)
  const agent = actor === actorOf(id) && Object.hasOwn(active, id) ? active[id] : undefined
  return (agent?.context.child_agents ?? []).map(actorOf)
}

/** Agents whose lease is over, told by an operation or not. */
export const overdueIn = (root: Readonly<Tree>, now: number): readonly string[] =>
  Object.entries(sliceOf<AgentsSlice>(root, 'execution.agents')?.active ?? {}).flatMap(([id, { expires }]) =>
    expires < now ? [id] : [],
  )
