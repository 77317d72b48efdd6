/** Where everything of the story stands in the drawing. */
import { scaleOf, type Scale } from './scale.ts'
import type { Arrow, Band, Bar, Story } from './story.ts'

export interface Placed<T> {
  readonly of: T
  readonly x: number
  readonly y: number
  readonly width: number
}

export interface PlacedBar extends Placed<Bar> {
  /** Up to the next bar in the row: what there is for a label behind it. */
  readonly room: number
}

export interface Lane {
  readonly name: string
  readonly y: number
  readonly height: number
  readonly bars: readonly PlacedBar[]
  readonly present: readonly { readonly x: number; readonly width: number; readonly inferred: boolean }[]
}

export interface PlacedArrow {
  readonly of: Arrow
  readonly from: { readonly x: number; readonly y: number }
  readonly to: { readonly x: number; readonly y: number }
}

export interface Layout {
  readonly scale: Scale
  readonly lanes: readonly Lane[]
  readonly arrows: readonly PlacedArrow[]
  readonly states: readonly Placed<Band>[]
  readonly waves: readonly Placed<Band>[]
  readonly height: number
}

export const BAR = 16
const ROW = 20
const LANE_PAD = 6
const TOP = 66
const NARROWEST = 5

/** `now` is where what is under way ends for the time being. */
export function layoutOf(story: Story, width: number, now: number): Layout {
  const ends = (end: number | undefined) => end ?? now
  const spans = [
    ...story.bars.map(({ start, end }) => ({ start, end: ends(end), open: end === undefined })),
    ...story.arrows.map(({ start, end }) => ({ start, end: end ?? start })),
    ...story.states.map(({ start }) => ({ start, end: start })),
  ]
  const scale = scaleOf(spans, width)
  const place = (band: Band, y: number): Placed<Band> => {
    const x = scale.x(band.start)
    return { of: band, x, y, width: Math.max(2, scale.x(ends(band.end)) - x) }
  }
  const lanes = lanesOf(story, scale, now)
  const last = lanes.at(-1)
  return {
    scale,
    lanes,
    arrows: story.arrows.flatMap((arrow) => arrowOf(arrow, lanes, scale)),
    states: story.states.map((band) => place(band, 22)),
    waves: alternating(story.waves.map((band) => place(band, 44))),
    height: (last === undefined ? TOP : last.y + last.height) + 4,
  }
}

function lanesOf(story: Story, scale: Scale, now: number): readonly Lane[] {
  const talked = story.arrows.flatMap(({ from, to }) => [from, to])
  const names = [...new Set([...story.present.keys(), ...story.bars.map(({ lane }) => lane), ...talked])]
  let y = TOP
  return names.map((name) => {
    const bars = packed(
      story.bars.filter(({ lane }) => lane === name),
      scale,
      { now, y: y + LANE_PAD },
    )
    const rows = 1 + Math.max(0, ...bars.map((bar) => Math.round((bar.y - y - LANE_PAD) / ROW)))
    const present = (story.present.get(name) ?? []).map(({ start, end = now, inferred = false }) => {
      const x = scale.x(start)
      return { x, width: Math.max(2, scale.x(end) - x), inferred }
    })
    const lane = { name, y, height: rows * ROW + 2 * LANE_PAD - 4, bars, present }
    y += lane.height
    return lane
  })
}

/** Bars that would cover each other stand below each other. */
function packed(bars: readonly Bar[], scale: Scale, { now, y }: { readonly now: number; readonly y: number }) {
  const ends: number[] = []
  const placed = bars
    .toSorted((a, b) => a.start - b.start)
    .map((bar) => {
      const x = scale.x(bar.start)
      const width = Math.max(NARROWEST, scale.x(bar.end ?? now) - x)
      const free = ends.findIndex((end) => end < x)
      const row = free === -1 ? ends.length : free
      ends[row] = x + width + 1
      return { of: bar, x, width, y: y + row * ROW }
    })
  return placed.map((bar, i) => {
    const next = placed.slice(i + 1).find((other) => other.y === bar.y)
    return { ...bar, room: (next?.x ?? Infinity) - bar.x - bar.width }
  })
}

function arrowOf(arrow: Arrow, lanes: readonly Lane[], scale: Scale): readonly PlacedArrow[] {
  const [from, to] = [arrow.from, arrow.to].map((name) => lanes.find((lane) => lane.name === name))
  if (from === undefined || to === undefined) return []
  const down = to.y > from.y
  const start = { x: scale.x(arrow.start), y: down ? from.y + from.height - 3 : from.y + 3 }
  const end = { x: Math.max(start.x + 6, scale.x(arrow.end ?? arrow.start)), y: down ? to.y + 3 : to.y + to.height - 3 }
  return [{ of: arrow, from: start, to: end }]
}

/** Waves overlap where a step needed only some of the wave before: every second one stands a little lower. */
const alternating = (waves: readonly Placed<Band>[]): readonly Placed<Band>[] =>
  waves.map((wave, i) => ({ ...wave, y: wave.y + (i % 2) * 9 }))
