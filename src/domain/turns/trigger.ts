/*
 * Words that let an agent take the turn.
 *
 * T10. An agent that may interrupt, and is there, takes the turn when another's message holds one of its words: whole, in
 *      any case. Of several the one with the lowest priority number does, then the first in the queue.
 */
import { seatOf } from './channel.ts'
import type { Channel } from './events.ts'

/** Who takes the turn because of what `speaker` said; null for a person or a tool. */
export function calledBy(channel: Channel, text: string, speaker: string | null): string | undefined {
  const { queue, turn } = channel
  const able = queue.flatMap((agent) => {
    const seat = seatOf(channel, agent)
    const may = seat?.can_interrupt === true && seat.state !== 'OFFLINE' && agent !== speaker && agent !== turn?.agent
    return may && (seat.triggers ?? []).some((word) => holds(text, word)) ? [seat] : []
  })
  return able.toSorted((a, b) => a.priority - b.priority)[0]?.agent
}

function holds(text: string, word: string): boolean {
  const [there, wanted] = [text.toLowerCase(), word.toLowerCase()]
  for (let at = there.indexOf(wanted); at >= 0; at = there.indexOf(wanted, at + 1))
    if (
      !ENDS_IN_WORD.test(there.slice(Math.max(0, at - 2), at)) &&
      !BEGINS_WITH_WORD.test(there.slice(at + wanted.length, at + wanted.length + 2))
    )
      return true
  return false
}

const ENDS_IN_WORD = /[\p{L}\p{N}_]$/u
const BEGINS_WITH_WORD = /^[\p{L}\p{N}_]/u
