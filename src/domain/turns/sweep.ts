/* Turns of those who are lost, and turns that are over when somebody recovers. */
import type { Freed, Lost, Sweep, Sweeper } from '../../kernel/care/recovery.ts'
import type { Channel } from './events.ts'
import { eventsForLost, eventsForRecovery, ghosts } from './recovery.ts'
import { dueAt } from './ring.ts'
import { turnsOf } from './turns.ts'

export const turnsSweeper: Sweeper = {
  release: (root, lost, sweep) => {
    const slice = turnsOf(root)
    if (slice === undefined) return []
    const before = ghosts(root, slice)
    return Object.values(slice.channels).flatMap((channel) =>
      freed(channel, new Set([...named(lost), ...(before.get(channel.id) ?? [])]), sweep),
    )
  },
}

/** Who went before may be back, without a lease: that is for `ghosts` to tell. */
const named = (lost: Lost): readonly string[] =>
  [...lost].flatMap(([actor, { cause }]) =>
    actor.startsWith('agent:') && cause !== 'gone' ? [actor.slice('agent:'.length)] : [],
  )

function freed(channel: Channel, lost: ReadonlySet<string>, { now, seq, recovers }: Sweep): readonly Freed[] {
  const decide = recovers ? eventsForRecovery : eventsForLost
  const events = decide(channel, lost, { now, seq, at: new Date(now).toISOString() })
  if (events.length === 0) return []
  const kept = events.flatMap(({ type, data }) => (type === 'turn.went-offline' ? [data.agent] : []))
  const ended = events.some(({ type }) => type === 'turn.ended')
  const over = recovers && (dueAt(channel) ?? Infinity) < now ? ['its time is over'] : []
  const why = [...over, ...(kept.length === 0 ? [] : [`${kept.join(', ')} offline, with the place kept`])].join('; ')
  const what = ended ? `turn of ${channel.turn?.agent ?? ''}` : kept.length > 0 ? 'places' : 'interruption'
  return [{ kind: 'release', what: `${what} in ${channel.id} (${why})`, events }]
}
