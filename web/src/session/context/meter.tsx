import { useOperation } from '../../api/session.ts'
import { Badge, Status } from '../../parts/badge.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { duration } from '../../parts/time.ts'
import { useViewed } from '../session.ts'

interface Counted {
  readonly worker: string
  readonly tokens_in: number
  readonly tokens_out: number
}

interface Metered {
  readonly tokens: {
    readonly encoding: string
    readonly model: string | null
    /** Counted with an encoding that is not that of the model. */
    readonly estimate: boolean
    readonly tokens_in: number
    readonly tokens_out: number
    readonly reduction: number | null
    readonly workers: readonly Counted[]
    readonly missing: readonly string[]
  }
  readonly time: {
    readonly sum_ms: number
    readonly critical_path_ms: number
    readonly critical_path: readonly string[]
    readonly measured: number
    readonly of: number
  }
}

interface MeterProps {
  readonly supervisor: string
  readonly kind: string
  readonly status: string
}

export function Meter({ supervisor, kind, status }: MeterProps) {
  const { id, at } = useViewed()
  const metered = useOperation<Metered>(id, 'supervise.meter', { supervisor }, at)
  return (
    <section class="meter" aria-label={supervisor}>
      <h2>
        {supervisor} <span class="faint">{kind}</span> <Status status={status} />
      </h2>
      <Loaded of={metered}>
        {({ tokens, time }) => (
          <>
            <Tokens tokens={tokens} />
            <Time time={time} />
          </>
        )}
      </Loaded>
    </section>
  )
}

const number = (value: number): string => value.toLocaleString('en')
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

function Tokens({ tokens }: { readonly tokens: Metered['tokens'] }) {
  const { tokens_in, tokens_out, reduction, workers, missing, estimate, encoding, model } = tokens
  const guess = estimate ? 'guess' : ''
  if (tokens_in === 0) return <p class="faint">No report was kept that could be counted.</p>
  return (
    <>
      <p>
        <b>{number(tokens_in)}</b> tokens of reports, <b>{number(tokens_out)}</b> handed on
        {reduction === null ? '' : `: ${percent(reduction)} less`}.{' '}
        <HowSure estimate={estimate} encoding={encoding} model={model} />
      </p>
      {missing.length === 0 ? null : <p class="notice">Their reports cannot be read: {missing.join(', ')}</p>}
      <Chart
        title="Tokens by report"
        chart={<Bars workers={workers} estimate={estimate} />}
        table={<Table caption="Tokens by report" columns={COLUMNS} rows={workers} keyOf={({ worker }) => worker} />}
        legend={
          <>
            <span>
              <i class={`swatch raw ${guess}`} />
              whole report
            </span>
            <span>
              <i class={`swatch out ${guess}`} />
              handed on
            </span>
          </>
        }
      />
    </>
  )
}

const HowSure = ({ estimate, encoding, model }: Pick<Metered['tokens'], 'estimate' | 'encoding' | 'model'>) =>
  estimate ? (
    <Badge icon="ask" tone="warn" title={`counted with ${encoding}; which model reads it is not known`}>
      estimated with {encoding}
    </Badge>
  ) : (
    <Badge icon="check" tone="good">
      measured for {model ?? encoding}
    </Badge>
  )

const COLUMNS: readonly Column<Counted>[] = [
  { id: 'worker', title: 'Report', grow: true, sort: ({ worker }) => worker, cell: ({ worker }) => worker },
  {
    id: 'in',
    title: 'Whole',
    align: 'end',
    sort: ({ tokens_in }) => tokens_in,
    cell: ({ tokens_in }) => number(tokens_in),
  },
  {
    id: 'out',
    title: 'Handed on',
    align: 'end',
    sort: ({ tokens_out }) => tokens_out,
    cell: ({ tokens_out }) => number(tokens_out),
  },
  {
    id: 'saved',
    title: 'Less',
    align: 'end',
    cell: ({ tokens_in, tokens_out }) => (tokens_in === 0 ? '–' : percent(1 - tokens_out / tokens_in)),
  },
]

interface BarsProps {
  readonly workers: readonly Counted[]
  readonly estimate: boolean
}

/** The table says the same. */
function Bars({ workers, estimate }: BarsProps) {
  const most = Math.max(1, ...workers.map(({ tokens_in }) => tokens_in))
  const width = (tokens: number) => ({ width: `${(tokens / most) * 100}%` })
  const looks = estimate ? 'guess' : ''
  return (
    <ul class="bars">
      {workers.map(({ worker, tokens_in, tokens_out }) => (
        <li key={worker}>
          <span class="name">{worker}</span>
          <span class="pair">
            <span class={`line raw ${looks}`} style={width(tokens_in)} />
            <span class={`line out ${looks}`} style={width(tokens_out)} />
          </span>
          <span class="figure">
            {number(tokens_in)} → {number(tokens_out)}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Time({ time: { sum_ms, critical_path_ms, critical_path, measured, of } }: { readonly time: Metered['time'] }) {
  if (measured === 0) return null
  return (
    <p class="faint">
      {duration(sum_ms)} of work; at least {duration(critical_path_ms)} one after the other ({critical_path.join(' → ')}
      ). {measured} of {of} measured.
    </p>
  )
}
