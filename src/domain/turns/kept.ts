/* What a person said in a turn of another, while it waits for the end of it. It has a number when it is posted, not before. */
import { whole } from '../../kernel/text/whole.ts'
import type { Channel, Kept, KeptSaid, Message } from './events.ts'

const TEXT_KEPT = 2000

/** The beginning of a text, as the state keeps it. */
export function beginningOf(text: string): { readonly text: string; readonly cut: boolean } {
  const cut = text.length > TEXT_KEPT
  return { text: cut ? whole(text, TEXT_KEPT) : text, cut }
}

export function withKept(
  channel: Channel,
  { author, text, turn }: KeptSaid,
  { at, seq }: { readonly at: string; readonly seq: number },
): Channel {
  const one: Kept = { seq, at, author, ...beginningOf(text), turn }
  return { ...channel, kept: [...(channel.kept ?? []), one] }
}

/** Whoever reads on behind a number has not read what is posted now, so its numbers are the next ones. */
export function postedOf({ said, kept = [] }: Channel): readonly Message[] {
  return kept.map(({ seq, at, author, text, cut, turn }, i) => ({
    n: said + i,
    seq,
    at,
    author,
    agent: null,
    text,
    cut,
    turn,
    late: false,
    posted: true,
  }))
}

export function withoutKept({ kept, ...channel }: Channel): Channel {
  return { ...channel, pending: [], said: channel.said + (kept?.length ?? 0) }
}
