import { useMemo } from 'preact/hooks'
import { counted } from '../../parts/counted.ts'
import { duration, stamp } from '../../parts/time.ts'
import { ArrowMark } from './arrow-mark.tsx'
import { BarMark } from './bar-mark.tsx'
import { layoutOf, type Lane, type Layout, type Placed } from './layout.ts'
import type { Band, Story } from './story.ts'

interface DrawingProps {
  readonly story: Story
  readonly width: number
  readonly now: number
}

const NAMES_PX = 132
const END_PX = 16

export function Drawing({ story, width, now }: DrawingProps) {
  const room = width - NAMES_PX - END_PX
  const layout = useMemo(() => layoutOf(story, room, now), [story, room, now])
  const said = `${counted(layout.lanes.length, 'lane')}, ${counted(story.bars.length, 'bar')}; the table says the same`
  return (
    <svg width={width} height={layout.height} role="group" aria-label={`Timeline: ${said}`}>
      <Patterns />
      <g transform={`translate(${NAMES_PX} 0)`}>
        <Bands layout={layout} />
        <Axis layout={layout} />
      </g>
      {layout.lanes.map((lane) => (
        <LaneRow key={lane.name} lane={lane} width={width} />
      ))}
      <g transform={`translate(${NAMES_PX} 0)`}>
        <Gaps layout={layout} />
        {layout.lanes.map(({ bars }) =>
          bars.map((bar) => <BarMark key={bar.of.id} bar={bar} x={layout.scale.x} edge={room} />),
        )}
        {layout.arrows.map((arrow) => (
          <ArrowMark key={arrow.of.id} arrow={arrow} />
        ))}
      </g>
    </svg>
  )
}

/** Hatching says: inferred. */
const Patterns = () => (
  <defs>
    <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width="5" height="5" class="hatch-ground" />
      <line x1="0" y1="0" x2="0" y2="5" class="hatch-line" />
    </pattern>
    <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
      <path d="M0 0 8 4 0 8Z" class="arrow-tip" />
    </marker>
  </defs>
)

const LaneRow = ({ lane: { name, y, height, present }, width }: { readonly lane: Lane; readonly width: number }) => (
  <g>
    <line class="lane-line" x1="0" x2={width} y1={y} y2={y} />
    <text class="lane-name" x="10" y={y + 18}>
      <title>{name}</title>
      {name.length > 18 ? `${name.slice(0, 17)}…` : name}
    </text>
    {present.map(({ x, width: length, inferred }) => (
      <rect
        key={x}
        class={inferred ? 'present inferred' : 'present'}
        x={NAMES_PX + x}
        y={y + height - 3}
        width={length}
        height="2"
      />
    ))}
  </g>
)

const Bands = ({ layout }: { readonly layout: Layout }) => (
  <>
    {layout.states.map((band, i) => (
      <g key={i}>
        <rect
          class={i % 2 === 0 ? 'state-band' : 'state-band odd'}
          x={band.x}
          y="18"
          width={band.width}
          height={layout.height - 18}
        />
        <BandName of={band} y={31} />
      </g>
    ))}
    {layout.waves.map((band, i) => (
      <g key={i}>
        <path class="wave" d={`M${band.x + 0.5} ${band.y + 6}v-4h${band.width - 1}v4`} />
        <BandName of={band} y={band.y + 12} small />
      </g>
    ))}
  </>
)

const LETTER_PX = 6.4

/** Where it fits. */
function BandName({
  of,
  y,
  small = false,
}: {
  readonly of: Placed<Band>
  readonly y: number
  readonly small?: boolean
}) {
  const { label } = of.of
  const room = Math.floor((of.width - 6) / LETTER_PX)
  if (room < 3) return <title>{label}</title>
  return (
    <text class={small ? 'band-name small' : 'band-name'} x={of.x + 4} y={y}>
      <title>{label}</title>
      {label.length > room ? `${label.slice(0, room - 1)}…` : label}
    </text>
  )
}

const Axis = ({ layout: { scale, height } }: { readonly layout: Layout }) => (
  <>
    {scale.ticks.map((tick) => (
      <g key={tick}>
        <line class="tick" x1={scale.x(tick)} x2={scale.x(tick)} y1="16" y2={height} />
        <text class="tick-name" x={scale.x(tick) + 3} y="12">
          {tickText(tick)}
        </text>
      </g>
    ))}
  </>
)

const tickText = (ms: number): string =>
  ms % 1000 === 0 ? stamp(ms).slice(11) : `${stamp(ms).slice(14)}.${String(ms % 1000).padStart(3, '0')}`

/** Time that was cut out. */
const Gaps = ({ layout: { scale, height } }: { readonly layout: Layout }) => (
  <>
    {scale.gaps.map(({ x, width, ms }) => (
      <g key={x}>
        <title>{`nothing for ${duration(ms)}`}</title>
        <rect class="cut-out" x={x} y="16" width={width} height={height - 16} />
        <text class="cut-name" transform={`translate(${x + width / 2 - 4} 20) rotate(90)`}>
          {duration(ms)}
        </text>
      </g>
    ))}
  </>
)
