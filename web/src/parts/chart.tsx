/** Every chart has a table that says the same; the address keeps which of the two is shown. */
import type { ComponentChildren } from 'preact'
import { setParams, useParam } from '../route/route.ts'

interface ChartProps {
  readonly title: string
  readonly chart: ComponentChildren
  readonly table: ComponentChildren
  /** Why there is no chart, such as too many nodes; then the table is shown. */
  readonly without?: string | undefined
  /** What the marks mean. */
  readonly legend?: ComponentChildren
}

export function Chart({ title, chart, table, without, legend }: ChartProps) {
  const [view] = useParam('view')
  const isTable = without !== undefined || view === 'table'
  return (
    <section class="chart" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {without === undefined ? (
          <div class="toggle" role="group" aria-label="Show as">
            <button type="button" aria-pressed={!isTable} onClick={() => setParams({ view: undefined })}>
              Chart
            </button>
            <button type="button" aria-pressed={isTable} onClick={() => setParams({ view: 'table' })}>
              Table
            </button>
          </div>
        ) : null}
      </header>
      {without === undefined ? null : <p class="notice">{without}</p>}
      {isTable ? table : chart}
      {isTable || legend === undefined ? null : <footer class="legend">{legend}</footer>}
    </section>
  )
}
