/*
 * What of a long conversation fits into a budget of tokens.
 *
 * A tool call and its results are one unit: all of it is in, or none. `first-last` gives a quarter of the budget to
 * the beginning; `last` and `summary` all of it to the end.
 */
import type { Placed } from './order.ts'
import { toolCallOf } from './tags.ts'

export const WINDOWS = ['last', 'first-last', 'summary'] as const
export type Window = (typeof WINDOWS)[number]

/** An estimate: a token is about four characters of English, and a message costs a few for itself. */
const CHARACTERS_PER_TOKEN = 4
const TOKENS_PER_MESSAGE = 4
const SHARE_OF_FIRST = 0.25
/** How many messages a result may stand behind its call. */
const REACH = 200

export const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE

export interface Chosen {
  /** In order. */
  readonly kept: readonly Placed[]
  readonly omitted: number
  /** How many of `kept` stand before what is left out. */
  readonly head: number
}

interface Wanted {
  readonly budget: number
  readonly window: Window
  /** In the list, but told elsewhere, or left out there. */
  readonly apart: ReadonlySet<Placed>
  /** Those of them that are told: what belongs to the same tool call must be there, too. */
  readonly shown: readonly Placed[]
  /** How many of the list have no text; they are no messages. */
  readonly silent: number
}

/** Costs what it keeps, not what there is. */
export function choose(list: readonly Placed[], wanted: Wanted): Chosen {
  const filling = begin(list, wanted)
  const there = list.length - wanted.apart.size - wanted.silent
  const budget = wanted.budget - costOf(list, filling.taken)
  const tail = fill(list, { ...filling, budget, step: -1 })
  if (wanted.window !== 'first-last' || tail.taken.size >= there) return chosen(list, tail.taken, 0, there)
  const head = fill(list, { ...filling, budget: budget * SHARE_OF_FIRST, step: 1 })
  const both = fill(list, { ...filling, taken: head.taken, budget: budget - head.spent, step: -1 })
  return chosen(list, both.taken, head.taken.size - filling.taken.size, there)
}

interface Filling {
  readonly isElsewhere: (placed: Placed) => boolean
  readonly taken: ReadonlySet<number>
}

/** Starts with what a tool call told elsewhere needs; leaves out what belongs to one that is left out there. */
function begin(list: readonly Placed[], { apart, shown }: Wanted): Filling {
  const calls = new Set(shown.flatMap(({ event }) => toolCallOf(event) ?? []))
  const left = new Set([...apart].flatMap(({ event }) => toolCallOf(event) ?? []).filter((call) => !calls.has(call)))
  const isElsewhere = (placed: Placed) =>
    placed.event.content === '' || apart.has(placed) || (left.size > 0 && left.has(toolCallOf(placed.event) ?? ''))
  const needed = shown
    .filter(({ event }) => toolCallOf(event) !== undefined)
    .flatMap((placed) => unitOf(list, list.lastIndexOf(placed)))
    .filter((at) => list[at] !== undefined && !isElsewhere(list[at]))
  return { isElsewhere, taken: new Set(needed) }
}

interface Filled {
  readonly taken: ReadonlySet<number>
  readonly spent: number
}

function fill(
  list: readonly Placed[],
  { budget, isElsewhere, step, taken: before }: Filling & { readonly budget: number; readonly step: 1 | -1 },
): Filled {
  const taken = new Set(before)
  let spent = 0
  for (let at = step > 0 ? 0 : list.length - 1; at >= 0 && at < list.length; at += step) {
    const placed = list[at]
    if (placed === undefined || taken.has(at) || isElsewhere(placed)) continue
    const unit = unitOf(list, at).filter((place) => !taken.has(place))
    const cost = costOf(list, unit)
    if (spent + cost > budget) break
    for (const place of unit) taken.add(place)
    spent += cost
  }
  return { taken, spent }
}

const costOf = (list: readonly Placed[], places: Iterable<number>): number =>
  [...places].reduce((sum, place) => sum + tokensOf(list[place]?.event.content ?? ''), 0)

/** Places of everything that belongs to the same tool call, within reach. */
function unitOf(list: readonly Placed[], at: number): readonly number[] {
  const placed = list[at]
  const call = placed === undefined ? undefined : toolCallOf(placed.event)
  if (call === undefined) return [at]
  const places: number[] = []
  const end = Math.min(list.length, at + REACH)
  for (let place = Math.max(0, at - REACH); place < end; place++) {
    const other = list[place]
    if (other !== undefined && toolCallOf(other.event) === call) places.push(place)
  }
  return places
}

function chosen(list: readonly Placed[], taken: ReadonlySet<number>, head: number, there: number): Chosen {
  const kept = [...taken].toSorted((a, b) => a - b).flatMap((place) => list[place] ?? [])
  return { kept, omitted: there - kept.length, head }
}
