/** When somebody's turn comes. */
import type { ChannelRow, TurnRow } from '../../../../src/domain/turns/views.ts'

type Channel = Pick<ChannelRow, 'active' | 'queue'>
type Seat = Pick<TurnRow, 'agent' | 'position' | 'state'>

/** Who has the turn is 0, the next one 1; who does not wait for one stands behind them, by its place. */
export function rankOf({ active, queue }: Channel, { agent, position }: Seat): number {
  if (agent === active) return 0
  const ahead = queue.indexOf(agent)
  return ahead < 0 ? queue.length + position : ahead + 1
}

/** Nobody loses a place: who is away is passed over, and who is idle waits for nobody. */
export function placeOf(channel: Channel, seat: Seat): string {
  if (seat.agent === channel.active) return 'speaks'
  if (channel.queue.includes(seat.agent)) {
    const rank = rankOf(channel, seat)
    return rank === 1 ? 'next' : `${rank}.`
  }
  return seat.state === 'OFFLINE' ? `away, keeps place ${seat.position}` : `place ${seat.position}`
}
