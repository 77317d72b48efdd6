/* What becomes of agents that are lost, and of those whose parent is gone. */
import type { Freed, Lost, Sweeper } from '../../kernel/care/recovery.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { removals } from './ending.ts'
import type { AgentsSlice } from './events.ts'

export const agentsSweeper: Sweeper = { release: removeLost, tidy: removeOrphans }

/** A3 and A4 of agents.ts; the tasks they had claimed are told by the module that holds them. */
function removeLost(root: Readonly<Tree>, lost: Lost): readonly Freed[] {
  const active = sliceOf<AgentsSlice>(root, 'execution.agents')?.active ?? {}
  const seen = new Set<string>()
  return [...lost].flatMap(([actor, { cause }]) => {
    const id = actor.replace(/^agent:/, '')
    if (id === actor || cause === 'gone' || cause === 'orphaned' || !Object.hasOwn(active, id)) return []
    return freed(removals(root, id, { cause, reason: WHY[cause] }, seen))
  })
}

const WHY = { crashed: 'its process is gone', timeout: 'its lease is over' } as const

/** A3, for what came in from elsewhere. */
function removeOrphans(root: Readonly<Tree>): readonly Freed[] {
  const active = sliceOf<AgentsSlice>(root, 'execution.agents')?.active ?? {}
  const seen = new Set<string>()
  return Object.entries(active).flatMap(([id, { context }]) => {
    const parent = context.parent_agent
    if (parent === null || Object.hasOwn(active, parent)) return []
    const events = removals(root, id, { cause: 'orphaned', reason: `its parent ${parent} is gone` }, seen)
    return events.length === 0 ? [] : [{ kind: 'drop' as const, what: `agent ${id} (its parent is gone)`, events }]
  })
}

const freed = (events: ReturnType<typeof removals>): readonly Freed[] =>
  events.flatMap((event) =>
    event.type === 'agent.removed'
      ? [{ kind: 'lost' as const, what: `agent ${event.data.id} (${event.data.cause})`, events: [event] }]
      : [],
  )
