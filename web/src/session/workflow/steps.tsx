/** What became of each step, and what it cost. */
import type { StepRow } from '../../../../src/domain/steps/views.ts'
import { operate } from '../../api/session.ts'
import { ActionButton } from '../../parts/action.tsx'
import { Age } from '../../parts/age.tsx'
import { Status } from '../../parts/badge.tsx'
import { Of } from '../../parts/of.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { duration } from '../../parts/time.ts'
import { setParams, useParam } from '../../route/route.ts'
import { useViewed, type Viewed } from '../session.ts'

/** Of `step.list`. */
export type StepLine = StepRow

export function Steps({ steps }: { readonly steps: readonly StepLine[] }) {
  const viewed = useViewed()
  const [state] = useParam('state')
  const shown = state === undefined ? steps : steps.filter((step) => step.state === state)
  return (
    <section>
      <h2>
        Steps{state === undefined ? '' : ` of ${state}`} <span class="count">{shown.length}</span>{' '}
        {state === undefined ? null : (
          <button type="button" class="quiet" onClick={() => setParams({ state: undefined })}>
            show all
          </button>
        )}
      </h2>
      {shown.length === 0 ? (
        <p class="faint">None has begun.</p>
      ) : (
        <Table caption="Steps" columns={columnsFor(viewed)} rows={shown} keyOf={({ key }) => key} sortParam="steps" />
      )}
    </section>
  )
}

const some = (n: number, text: string) => (n === 0 ? <span class="faint">–</span> : text)

const columnsFor = (viewed: Viewed): readonly Column<StepLine>[] => [
  { id: 'name', title: 'Step', sort: ({ name }) => name, cell: ({ name }) => <b>{name}</b> },
  { id: 'state', title: 'State', sort: ({ state }) => state, cell: ({ state }) => state ?? '–' },
  { id: 'status', title: 'Status', sort: ({ status }) => status, cell: ({ status }) => <Status status={status} /> },
  { id: 'why', title: 'Why', grow: true, cell: ({ reason }) => reason ?? '' },
  {
    id: 'attempts',
    title: 'Attempts',
    align: 'end',
    sort: ({ attempts }) => attempts,
    cell: ({ attempts }) => attempts,
  },
  {
    id: 'took',
    title: 'Took',
    align: 'end',
    sort: (step) => step.duration_ms,
    cell: (step) => some(step.duration_ms, duration(step.duration_ms)),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    align: 'end',
    sort: ({ tokens }) => tokens,
    cell: ({ tokens }) => some(tokens, tokens.toLocaleString('en')),
  },
  {
    id: 'began',
    title: 'Began',
    align: 'end',
    sort: (step) => step.started_at,
    cell: (step) => <Age at={step.started_at} />,
  },
  { id: 'do', title: 'Action', align: 'end', cell: (step) => <StepAction step={step} viewed={viewed} /> },
]

const ACTIONS: Readonly<Record<string, readonly [label: string, operation: string]>> = {
  parked: ['Release', 'step.release'],
  failed: ['Retry', 'step.retry'],
}

function StepAction({ step, viewed: { id, frozen } }: { readonly step: StepLine; readonly viewed: Viewed }) {
  const action = ACTIONS[step.status]
  if (action === undefined) return null
  return (
    <ActionButton unless={frozen} run={() => operate(id, action[1], { step: step.key })}>
      {action[0]}
      <Of what={step.name} />
    </ActionButton>
  )
}
