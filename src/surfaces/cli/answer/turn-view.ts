/* Channels and their queues as lines. */
import { membersOf, type Members } from '../../../kernel/json/members.ts'
import { duration } from '../../../kernel/text/duration.ts'
import type { Context } from '../context/context.ts'
import { columns, cut, plain, widthOf } from '../show/text.ts'
import { textAt } from '../show/view.ts'

export type Row = Members

export const rowsOf = (value: unknown): readonly Row[] =>
  Array.isArray(value) ? value.map((row) => membersOf(row)) : []

/** A head for each channel, and its queue below. */
export function lines(
  { paint, io }: Pick<Context, 'paint' | 'io'>,
  channels: readonly Row[],
  seats: readonly Row[],
): readonly string[] {
  return channels.flatMap((channel) => {
    const own = seats.filter((seat) => seat['channel'] === channel['channel'])
    if (own.length === 0 && seats.length > 0) return []
    const name = plain(String(channel['channel']))
    const head = `${paint.bold(name)}  ${cut(headline(channel), Math.max(20, io.width - widthOf(name) - 2))}`
    return [head, ...columns(own.map(cells), { width: io.width, indent: '  ' })]
  })
}

function cells(seat: Row): readonly string[] {
  const { position, agent, role, state, left_ms } = seat
  return [
    String(position),
    `${state === 'ACTIVE' ? '▶' : state === 'WAITING' ? '‖' : ' '} ${plain(String(agent))}`,
    plain(textAt(role) ?? ''),
    String(state),
    typeof left_ms === 'number' ? `${duration(roundUp(left_ms))} left` : '',
  ]
}

/** `pm has the turn, 42s left; next dev, qa` */
export function headline({ active, left_ms, queue, held, why, mode }: Row): string {
  const next = Array.isArray(queue) && queue.length > 0 ? `; next ${queue.map(String).join(', ')}` : ''
  const left = typeof left_ms === 'number' ? `, ${duration(roundUp(left_ms))} left` : ''
  if (typeof held === 'string')
    return plain(`${STOPPED[held] ?? held}${typeof why === 'string' ? `: ${why}` : ''}${next}`)
  if (typeof active === 'string') return plain(`${active} has the turn${left}${next}`)
  return mode === 'turn-based' || mode === 'single' ? 'nobody has the turn' : `${String(mode)}: everybody speaks freely`
}

const STOPPED: Readonly<Record<string, string>> = {
  guard: 'stopped for a person',
  pause: 'paused',
  interrupt: 'interrupted by a person',
}

/** A countdown says 1 until it is over. */
const roundUp = (ms: number): number => Math.ceil(ms / 1000) * 1000
