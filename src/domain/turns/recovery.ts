/*
 * What becomes of turns when somebody recovers: those of agents that are gone, and those whose time is over, end with
 * reason `recovery`, the next one that is there follows, and nobody loses a place.
 */
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { AgentsSlice, Gone } from '../agents/events.ts'
import { after } from './channel.ts'
import type { Channel, ChannelEvent, Seat, TurnsSlice } from './events.ts'
import { lapse, pass, type Now } from './ring.ts'

/** The events for the loss of these agents in one channel. */
export function eventsForLost(channel: Channel, lost: ReadonlySet<string>, when: Now): readonly ChannelEvent[] {
  const gone = channel.queue.filter((agent) => lost.has(agent) && channel.seats[agent]?.state !== 'OFFLINE')
  // Those who wait go first: the turn must not be given to somebody who is gone, too.
  const waiting = gone.filter((agent) => agent !== channel.turn?.agent).map((agent) => offline(channel, agent))
  const { turn, hold } = channel
  const rest = after(channel, waiting, when)
  if (turn === null || !gone.includes(turn.agent)) return waiting
  const over = hold === null && turn.deadline < when.now ? { at: new Date(turn.deadline).toISOString() } : {}
  return [...waiting, ...pass(rest, { reason: 'recovery', gone: offline(channel, turn.agent), ...over }, when)]
}

/** The same, and for a turn there whose time is over, whoever has it. */
export function eventsForRecovery(channel: Channel, lost: ReadonlySet<string>, when: Now): readonly ChannelEvent[] {
  const events = eventsForLost(channel, lost, when)
  return [...events, ...lapse(after(channel, events, when), when, 'recovery')]
}

const offline = ({ id: channel }: Channel, agent: string): ChannelEvent => ({
  type: 'turn.went-offline',
  data: { channel, agent, cause: 'lost' },
})

/** Agents that went from the session and still count as there in a channel. Costs the few that went last. */
export function ghosts(root: Readonly<Tree>, slice: TurnsSlice): ReadonlyMap<string, ReadonlySet<string>> {
  const { gone = [], active = {} } = sliceOf<AgentsSlice>(root, 'execution.agents') ?? {}
  const found = new Map<string, Set<string>>()
  for (const each of gone) {
    const rooms = Object.hasOwn(slice.present, each.id) ? slice.present[each.id] : undefined
    if (rooms === undefined || Object.hasOwn(active, each.id)) continue
    for (const id of rooms)
      if (isGhost(slice.channels[id]?.seats[each.id], each)) found.set(id, (found.get(id) ?? new Set()).add(each.id))
  }
  return found
}

/** What it did since shows that it is there, whether it registers or not. */
const isGhost = (seat: Seat | undefined, { at }: Gone): boolean =>
  seat !== undefined && at >= seat.since && at >= (seat.last_activity ?? '')
