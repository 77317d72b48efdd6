/* V3 of kernel/care/recovery.ts: who is lost with whom. */
import type { Loss, Lost, LostCause } from '../../kernel/care/recovery.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { isPerson } from '../../kernel/text/actor.ts'
import type { ActivitySlice } from '../activity/events.ts'
import type { AgentsSlice } from '../agents/events.ts'

const actorOf = (agent: string): string => `agent:${agent}`

/** Who had a lease that is lost: the process that had it is gone. */
interface Holder {
  readonly actor: string
  readonly cause: LostCause
}

/**
 * The holder of a lost lease, agents whose own lease is over, who stands below them, and who went before. A holder whose run
 * goes on, unless it is among `dead`, has only lost a process that it started.
 */
export function lostIn(
  root: Readonly<Tree>,
  holder: Holder | undefined,
  now: number,
  dead: readonly string[] = [],
): Lost {
  const { active, gone } = sliceOf<AgentsSlice>(root, 'execution.agents') ?? NOBODY
  const lost = new Map(overdueIn(root, now).map((id) => [actorOf(id), untold('timeout')]))
  if (holder !== undefined && !isPerson(holder.actor) && !goingOn(root, dead).has(holder.actor))
    lost.set(holder.actor, untold(holder.cause))
  // A map is walked in the order in which it grows, also while it does.
  for (const actor of lost.keys())
    for (const child of childrenOf(active, actor)) if (!lost.has(child)) lost.set(child, untold('orphaned'))
  // Of one that went more than once, the last time counts.
  const before = gone.filter(({ id }) => !Object.hasOwn(active, id)).toReversed()
  for (const { id, seq } of before) if (!lost.has(actorOf(id))) lost.set(actorOf(id), { cause: 'gone', seq })
  return lost
}

/** Runs of agent CLIs, by `<agent>:<run>`, and who acts in them, unless another that goes on has the same name. */
export function lostRuns(root: Readonly<Tree>, runs: readonly string[]): readonly (readonly [string, Loss])[] {
  const all = runsOf(root)
  const going = goingOn(root, runs)
  return runs.flatMap((key) => {
    const who = Object.hasOwn(all, key) ? all[key]?.who : undefined
    const held = who === undefined || isPerson(who) || going.has(who) ? [] : [who]
    return [`run:${key}`, ...held].map((actor) => [actor, untold('crashed')] as const)
  })
}

const runsOf = (root: Readonly<Tree>) => sliceOf<ActivitySlice>(root, 'activity')?.runs ?? {}

/** Who acts in runs of agent CLIs that have not ended, those left out that are dead. */
function goingOn(root: Readonly<Tree>, dead: readonly string[]): ReadonlySet<string | undefined> {
  const going = Object.entries(runsOf(root)).filter(([key, { status }]) => status !== 'ended' && !dead.includes(key))
  return new Set(going.map(([, { who }]) => who))
}

const untold = (cause: LostCause): Loss => ({ cause, seq: Infinity })

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
