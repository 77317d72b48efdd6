/* Turns of those who are lost. */
import type { Freed, Lost, Sweep, Sweeper } from '../../kernel/recovery.ts'
import type { Channel } from './events.ts'
import { eventsForLost, ghosts } from './recovery.ts'
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
  [...lost].flatMap(([actor, cause]) =>
    actor.startsWith('agent:') && cause !== 'gone' ? [actor.slice('agent:'.length)] : [],
  )

function freed(channel: Channel, lost: ReadonlySet<string>, { now, seq }: Sweep): readonly Freed[] {
  const events = eventsForLost(channel, lost, { now, seq, at: new Date(now).toISOString() })
  const turn = channel.turn !== null && lost.has(channel.turn.agent) ? `turn of ${channel.turn.agent}` : 'places'
  const kept = events.flatMap(({ type, data }) => (type === 'turn.went-offline' ? [data.agent] : []))
  return events.length === 0
    ? []
    : [{ kind: 'release', what: `${turn} in ${channel.id} (${kept.join(', ')} offline, with the place kept)`, events }]
}
