/*
 * Time to places. Long stretches in which nothing happened are cut down to a gap that says how long it was: a night
 * would else make the work of an hour too small to see.
 */
export interface Gap {
  readonly x: number
  readonly width: number
  /** Milliseconds that it stands for. */
  readonly ms: number
}

export interface Scale {
  readonly x: (ms: number) => number
  readonly gaps: readonly Gap[]
  readonly ticks: readonly number[]
}

export interface Span {
  readonly start: number
  readonly end: number
  /** It is under way, and nothing is known to have happened in it. */
  readonly open?: boolean
}

const GAP_PX = 26
/** A stretch is cut when it is longer than this part of all the time in which something happened. */
const SHARE = 0.15
/** The same where something is under way. */
const OPEN_SHARE = 1
const SHORTEST_MS = 2000
const TICK_PX = 110

export function scaleOf(spans: readonly Span[], width: number): Scale {
  const busy = joined(spans.flatMap(ends))
  const first = busy[0]?.start ?? 0
  const last = busy.at(-1)?.end ?? first + 1
  const active = busy.reduce((sum, { start, end }) => sum + end - start, 0)
  const share = (gap: Span) => (spans.some((span) => span.open === true && span.start < gap.end) ? OPEN_SHARE : SHARE)
  const idle = gapsBetween(busy).filter((gap) => gap.end - gap.start > Math.max(SHORTEST_MS, active * share(gap)))
  const cut = idle.reduce((sum, { start, end }) => sum + end - start, 0)
  const perMs = Math.max(1, width - idle.length * GAP_PX) / Math.max(1, last - first - cut)
  const x = (ms: number) => {
    const before = idle.filter(({ end }) => end <= ms)
    const inside = idle.find(({ start, end }) => start < ms && ms < end)
    const skipped = before.reduce((sum, { start, end }) => sum + end - start, 0)
    const place = (until: number) => (until - first - skipped) * perMs + before.length * GAP_PX
    if (inside === undefined) return place(Math.max(first, Math.min(last, ms)))
    return place(inside.start) + (GAP_PX * (ms - inside.start)) / (inside.end - inside.start)
  }
  const gaps = idle.map(({ start, end }) => ({ x: x(start), width: GAP_PX, ms: end - start }))
  return {
    x,
    gaps,
    ticks: ticksIn({ start: first, end: last }, perMs).filter(
      (tick) => !idle.some((gap) => gap.start <= tick && tick < gap.end),
    ),
  }
}

/** Of what is under way, only that it began and that it goes on. */
const ends = (span: Span): readonly Span[] =>
  span.open === true ? [span.start, span.end].map((at) => ({ start: at, end: at })) : [span]

/** Overlapping spans as one, in order. */
function joined(spans: readonly Span[]): readonly Span[] {
  const found: { start: number; end: number }[] = []
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = found.at(-1)
    if (last === undefined || start > last.end) found.push({ start, end })
    else last.end = Math.max(last.end, end)
  }
  return found
}

const gapsBetween = (busy: readonly Span[]): readonly Span[] =>
  busy.slice(1).map(({ start }, i) => ({ start: busy[i]?.end ?? start, end: start }))

const S = 1000
const M = 60 * S
const H = 60 * M
const STEPS = [
  10,
  20,
  50,
  100,
  200,
  500,
  S,
  2 * S,
  5 * S,
  10 * S,
  30 * S,
  M,
  2 * M,
  5 * M,
  10 * M,
  30 * M,
  H,
  3 * H,
  6 * H,
  24 * H,
]

/** Round times, far enough from each other to be written. */
function ticksIn({ start, end }: Span, perMs: number): readonly number[] {
  const step = STEPS.find((each) => each * perMs >= TICK_PX) ?? 24 * H * Math.ceil(TICK_PX / (24 * H * perMs))
  const first = Math.ceil(start / step) * step
  const count = Math.min(1000, Math.max(0, Math.floor((end - first) / step) + 1))
  return Array.from({ length: count }, (_, i) => first + i * step)
}
