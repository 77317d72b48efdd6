/*
 * What recovery makes of agents that are gone: their turns end with reason `recovery`, the next one that is there follows,
 * and nobody loses a place.
 */
import type { ProcessRef } from '../session/events.ts'
import { after } from './channel.ts'
import type { Channel, ChannelEvent, TurnsSlice } from './events.ts'
import { pass, type Now } from './ring.ts'

/** An agent that may be gone: its seats, and what it runs as where that is known. */
export interface Suspect {
  readonly agent: string
  readonly channel: string
  readonly state: string
  readonly process: ProcessRef
}

/** Everybody who counts as there and said what it runs as: whether that lives is for others to find out. */
export function suspects(slice: TurnsSlice | undefined): readonly Suspect[] {
  return Object.values(slice?.channels ?? {}).flatMap(({ id, queue, seats }) =>
    queue.flatMap((agent): readonly Suspect[] => {
      const seat = seats[agent]
      if (seat === undefined || seat.state === 'OFFLINE' || seat.process === null) return []
      return [{ agent, channel: id, state: seat.state, process: seat.process }]
    }),
  )
}

/** The events that recovering from the loss of these agents adds to its commit. */
export function eventsForLost(
  slice: TurnsSlice | undefined,
  lost: ReadonlySet<string>,
  when: Now,
): readonly ChannelEvent[] {
  return Object.values(slice?.channels ?? {}).flatMap((channel) => without(channel, lost, when))
}

function without(channel: Channel, lost: ReadonlySet<string>, when: Now): readonly ChannelEvent[] {
  const gone = channel.queue.filter((agent) => lost.has(agent) && channel.seats[agent]?.state !== 'OFFLINE')
  // Those who wait go first: the turn must not be given to somebody who is gone, too.
  const waiting = gone.filter((agent) => agent !== channel.turn?.agent).map((agent) => offline(channel, agent))
  const { turn } = channel
  if (turn === null || !gone.includes(turn.agent)) return waiting
  const rest = after(channel, waiting, when)
  return [...waiting, ...pass(rest, { reason: 'recovery', gone: offline(channel, turn.agent) }, when)]
}

const offline = ({ id: channel }: Channel, agent: string): ChannelEvent => ({
  type: 'turn.went-offline',
  data: { channel, agent, cause: 'lost' },
})
