import { dangling, placeOf, type Dangling, type References } from '../../kernel/state/references.ts'
import type { Channel } from './events.ts'
import { turnsOf } from './turns.ts'

/** Queues and turns without a seat, and channels that are named and not there. */
export const references: References = (root) => {
  const slice = turnsOf(root)
  if (slice === undefined) return []
  const missing = (path: string, channels: readonly string[]) =>
    channels.filter((id) => !Object.hasOwn(slice.channels, id)).map((id) => dangling(path, `channel ${id}`))
  return [
    ...Object.values(slice.channels).flatMap(seatless),
    ...Object.entries(slice.present).flatMap(([agent, ids]) => missing(placeOf('$.turns.present', agent), ids)),
    ...missing('$.turns.deadlines', Object.keys(slice.deadlines.places)),
  ]
}

function seatless({ id, queue, seats, turn }: Channel): readonly Dangling[] {
  const place = placeOf('$.turns.channels', id)
  const named = [
    ...queue.map((agent) => [`${place}.queue`, agent] as const),
    ...(turn === null ? [] : [[`${place}.turn`, turn.agent] as const]),
  ]
  return named
    .filter(([, agent]) => !Object.hasOwn(seats, agent))
    .map(([path, agent]) => dangling(path, `agent ${agent}`, 'it has no seat there; steadfold turn join gives one'))
}
