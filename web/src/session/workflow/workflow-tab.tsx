/** The declared graph, where the session stands in it, where it may go, and what its steps have come to. */
import { useOperation } from '../../api/session.ts'
import { Chart } from '../../parts/chart.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useViewed } from '../session.ts'
import { countsOf, useMoves } from './counts.ts'
import { GraphDrawing } from './graph-drawing.tsx'
import type { StateRow } from './graph.ts'
import { Moves } from './moves.tsx'
import { StateTable } from './state-table.tsx'
import { Steps, type StepLine } from './steps.tsx'
import { Trouble, type Shown } from './trouble.tsx'

/** More can neither be drawn fast nor told apart. */
const MOST_NODES = 500

export function WorkflowTab() {
  const { id, at } = useViewed()
  const shown = useOperation<Shown>(id, 'workflow.show', {}, at)
  return (
    <Loaded of={shown}>
      {(data) => (
        <>
          {data.defined ? null : <Undeclared />}
          <Inside shown={data} />
        </>
      )}
    </Loaded>
  )
}

function Inside({ shown }: { readonly shown: Shown }) {
  const { id, at } = useViewed()
  const states = useOperation<readonly StateRow[]>(id, 'workflow.list', {}, at)
  const steps = useOperation<readonly StepLine[]>(id, 'step.list', {}, at).data ?? []
  const moves = countsOf(useMoves())
  return (
    <Loaded of={states}>
      {(rows) => (
        <>
          <Trouble shown={shown} />
          <Chart
            title={shown.name}
            chart={<GraphDrawing rows={rows} moves={moves} steps={steps} />}
            table={<StateTable rows={rows} moves={moves} />}
            without={
              rows.length > MOST_NODES
                ? `${rows.length} states are too many to draw: this is the list of them.`
                : undefined
            }
          />
          <Moves rows={rows} shown={shown} />
          <Steps steps={steps} />
        </>
      )}
    </Loaded>
  )
}

/** A session stands in a state from its first commit on, and moves as the default says. */
const Undeclared = () => (
  <Empty
    title="No workflow was declared"
    commands={[
      ['steadfold run FILE', 'declares the workflow of a file and runs it'],
      ['steadfold workflow define FILE', 'declares it only'],
      ['steadfold workflow validate FILE', 'says what is wrong with a file'],
    ]}
  >
    Until one is, the session moves through the states below.
  </Empty>
)
