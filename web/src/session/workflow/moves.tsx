/** Where the session may go, as buttons; where it may not, with the reason in the words of the rule. */
import { useState } from 'preact/hooks'
import { post, sessionPath, type ApiError } from '../../api/request.ts'
import { useResource } from '../../api/resource.ts'
import { operate } from '../../api/session.ts'
import { ActionButton } from '../../parts/action.tsx'
import { usePieces } from '../../parts/pieces.tsx'
import { useViewed } from '../session.ts'
import type { StateRow } from './graph.ts'
import type { Shown } from './trouble.tsx'

interface MovesProps {
  readonly rows: readonly StateRow[]
  readonly shown: Shown
}

/** So many states are asked about at first. */
const PIECE = 30

export function Moves({ rows, shown }: MovesProps) {
  const { id, at, frozen } = useViewed()
  const [asked, ask] = useState(false)
  const others = rows.map(({ state }) => state).filter((state) => state !== shown.current)
  const closed = others.filter((state) => !shown.allowed.includes(state))
  return (
    <section class="moves">
      <h2>Moves from {shown.current}</h2>
      {shown.allowed.length === 0 ? <p class="faint">None: it is an end.</p> : null}
      <p class="row">
        {shown.allowed.map((state) => (
          <ActionButton
            key={state}
            tone="main"
            unless={frozen}
            run={() => operate(id, 'workflow.transition', { to: state })}
          >
            Go to {state}
          </ActionButton>
        ))}
        {shown.finished ? (
          <ActionButton unless={frozen} run={() => operate(id, 'workflow.restart')}>
            Begin again
          </ActionButton>
        ) : null}
      </p>
      {closed.length === 0 || at !== undefined ? null : (
        <details onToggle={(event) => ask(event.currentTarget.open)}>
          <summary>Why not elsewhere</summary>
          {asked ? <WhyNot states={closed} /> : null}
        </details>
      )}
    </section>
  )
}

function WhyNot({ states }: { readonly states: readonly string[] }) {
  const [first, more] = usePieces(states, PIECE)
  const reasons = useReasons(first)
  return (
    <>
      <dl class="pairs">
        {first.map((state) => (
          <div key={state}>
            <dt>{state}</dt>
            <dd>{reasons.get(state) ?? '…'}</dd>
          </div>
        ))}
      </dl>
      {more}
    </>
  )
}

/** Asks for each move as a dry run, which knows the present alone: what refuses it says why. */
function useReasons(states: readonly string[]): ReadonlyMap<string, string> {
  const { id } = useViewed()
  const why = async (to: string) => {
    const path = sessionPath(id, 'workflow.transition')
    const said = (error: ApiError) => error.message
    return [to, await post(path, { to, $dry_run: true }).then(() => 'it may go there now', said)] as const
  }
  const { data } = useResource(`${id} why not ${states.join(' ')}`, () => Promise.all(states.map(why)), id)
  return new Map(data ?? [])
}
