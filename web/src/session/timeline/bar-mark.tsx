/** A piece of work. Its kind is its shape, what became of it a sign before its name, what is inferred is hatched. */
import { duration, stamp } from '../../parts/time.ts'
import { to } from '../../route/route.ts'
import { useViewed } from '../session.ts'
import { BAR, type PlacedBar } from './layout.ts'
import { shortened } from './shortened.ts'
import type { Bar, Outcome } from './story.ts'

interface BarMarkProps {
  readonly bar: PlacedBar
  readonly x: (ms: number) => number
  /** Where the drawing ends. */
  readonly edge: number
}

const SIGNS: Readonly<Record<Outcome, string>> = { open: '▸', good: '✓', bad: '✕', back: '↩' }
const LETTER_PX = 6.3

export function BarMark({ bar, x, edge }: BarMarkProps) {
  const { id, at } = useViewed()
  const { of, width, y } = bar
  const radius = of.kind === 'step' ? 3 : of.kind === 'task' ? 0 : 8
  const shape = { x: bar.x, y, width, height: BAR, rx: radius }
  const inside = Math.floor((width - 8) / LETTER_PX) >= of.label.length + 2
  const label = `${SIGNS[of.outcome]} ${of.label}`
  const outside = Math.floor((Math.min(bar.room, edge - bar.x - width + 14) - 8) / LETTER_PX)
  const text = inside
    ? label
    : outside >= 3
      ? shortened(label, outside)
      : shortened(label, Math.floor((width - 6) / LETTER_PX))
  return (
    <a
      class={`bar-mark ${of.kind} ${of.outcome}`}
      href={to(['session', id, 'log'], { at, commit: of.seq })}
      aria-label={said(of)}
    >
      <title>{said(of)}</title>
      <rect class="body" {...shape} />
      {of.sure === undefined ? null : (
        <rect fill="url(#hatch)" {...shape} x={x(of.sure)} width={Math.max(2, bar.x + width - x(of.sure))} />
      )}
      <text
        aria-hidden="true"
        class={inside || outside < 3 ? 'inside' : 'outside'}
        x={inside || outside < 3 ? bar.x + 4 : bar.x + width + 4}
        y={y + 12}
      >
        {text}
      </text>
    </a>
  )
}

function said({ kind, label, lane, start, end, sure, said: outcome }: Bar): string {
  const took = end === undefined ? '' : `, ${duration(end - start)}`
  const inferred = sure === undefined ? '' : `; its end is inferred, the last sign was at ${stamp(sure)}`
  return `${kind} ${label} by ${lane}: ${outcome}; from ${stamp(start)}${took}${inferred}`
}
