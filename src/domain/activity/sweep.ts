/* What becomes of runs whose process is gone. */
import type { Freed, Lost, Sweeper } from '../../kernel/care/recovery.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { activityOf, runIn } from './activity.ts'
import type { ActivityEvent } from './events.ts'

export const activitySweeper: Sweeper = { release: closeLost }

/** A lost run is named `run:<agent>:<id>`. */
function closeLost(root: Readonly<Tree>, lost: Lost): readonly Freed[] {
  return [...lost.keys()].flatMap((actor) => {
    const known = actor.startsWith('run:') ? runIn(activityOf(root), actor.slice('run:'.length)) : undefined
    if (known === undefined || known.status === 'ended') return []
    const { agent, run } = known
    const data = { agent, run, cause: 'crashed', reason: 'its process is gone', exit: null } as const
    const closed: ActivityEvent = { type: 'activity.closed', data }
    return [{ kind: 'lost' as const, what: `${agent} run ${run} (crashed)`, events: [closed] }]
  })
}
