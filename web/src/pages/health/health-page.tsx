/** Whether the workspace is well: figures against their limits, each with the next step. */
import { useState } from 'preact/hooks'
import type { VerifiedData } from '../../../../src/kernel/care/verified.ts'
import type { Health, HealthCheck } from '../../../../src/kernel/health.ts'
import { read } from '../../api/request.ts'
import { useResource } from '../../api/resource.ts'
import { ActionButton } from '../../parts/action.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Copy } from '../../parts/copy.tsx'
import { counted } from '../../parts/counted.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { figureText } from './figures.ts'

export function HealthPage() {
  const found = useResource('health', async () => (await read<Health>('health')).data, '*')
  return (
    <div>
      <h1>Health</h1>
      <Loaded of={found}>
        {({ status, checks }) => (
          <section aria-label="Figures">
            <p>
              <How status={status} /> {SAID[status]}
            </p>
            <Table caption="Figures and their limits" columns={COLUMNS} rows={checks} keyOf={({ name }) => name} />
          </section>
        )}
      </Loaded>
      <VerifyAll />
    </div>
  )
}

type Level = Health['status']

const SAID: Readonly<Record<Level, string>> = {
  ok: 'All figures are within their limits.',
  warn: 'Something comes near its limit.',
  fail: 'Something is beyond its limit.',
}

const LOOKS = { ok: ['check', 'good'], warn: ['alert', 'warn'], fail: ['fail', 'bad'] } as const

const How = ({ status }: { readonly status: Level }) => (
  <Badge icon={LOOKS[status][0]} tone={LOOKS[status][1]}>
    {status}
  </Badge>
)

const COLUMNS: readonly Column<HealthCheck>[] = [
  { id: 'status', title: 'Status', cell: ({ status }) => <How status={status} /> },
  { id: 'name', title: 'Figure', cell: ({ name }) => name.replaceAll('_', ' ') },
  { id: 'figure', title: 'Now', align: 'end', cell: ({ name, figure }) => figureText(name, figure) },
  {
    id: 'limits',
    title: 'Warns at, fails at',
    align: 'end',
    cell: ({ name, threshold: { warning, critical } }) => `${figureText(name, warning)}, ${figureText(name, critical)}`,
  },
  {
    id: 'of',
    title: 'Worst of',
    grow: true,
    cell: ({ of, next }) => (next === null ? of : <Next of={of} next={next} />),
  },
]

const Next = ({ of, next }: { readonly of: string; readonly next: string }) => (
  <div>
    {of}{' '}
    <span class="sub">next: {next.startsWith('steadfold ') && !next.includes(';') ? <Copy text={next} /> : next}</span>
  </div>
)

function VerifyAll() {
  const [found, show] = useState<readonly VerifiedData[]>()
  const verify = async () => show((await read<readonly VerifiedData[]>('verify', { deep: true })).data)
  return (
    <section aria-labelledby="proof">
      <h2 id="proof">Proof</h2>
      <p class="tools">
        <ActionButton reads run={verify}>
          Check every hash of every log
        </ActionButton>
        <span role="status">{found === undefined ? null : <Proof found={found} />}</span>
      </p>
    </section>
  )
}

function Proof({ found }: { readonly found: readonly VerifiedData[] }) {
  const damaged = found.filter(({ ok }) => !ok)
  const commits = found.reduce((sum, { seq }) => sum + seq, 0)
  if (damaged.length === 0)
    return (
      <Badge icon="check" tone="good">
        {counted(found.length, 'log')}, {counted(commits, 'commit')}, all chains ok
      </Badge>
    )
  return (
    <Badge icon="alert" tone="bad">
      damaged: {damaged.map(({ name }) => name).join(', ')}
    </Badge>
  )
}
