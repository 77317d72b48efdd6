/** The whole state at the point that is viewed, and who last changed what is chosen. */
import { useRead } from '../../api/session.ts'
import { useDraft } from '../../parts/draft.ts'
import { JsonTree, pathOf } from '../../parts/json-tree.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useParam } from '../../route/route.ts'
import { useViewed } from '../session.ts'
import { Blame } from './blame.tsx'
import { Compare } from './compare.tsx'

interface StateAnswer {
  readonly path: string
  readonly seq: number
  readonly value: unknown
}

export function StateTab() {
  const { id, at } = useViewed()
  const [picked, pick] = useParam('path')
  const [from] = useParam('from')
  const state = useRead<StateAnswer>(id, 'state', {}, at)
  return (
    <div class="beside">
      <section aria-label="State">
        {from === undefined ? (
          <Loaded of={state}>
            {({ data }) => (
              <JsonTree value={data.value} name="$" open={1} picked={picked} onPick={(keys) => pick(pathOf(keys))} />
            )}
          </Loaded>
        ) : (
          <Compare from={from} />
        )}
      </section>
      <aside>
        <ChooseA />
        {picked === undefined ? (
          <p class="faint">Choose a name in the tree to see who last changed it.</p>
        ) : (
          <Blame key={picked} path={picked} />
        )}
      </aside>
    </div>
  )
}

/** A is chosen here, B is the point that is viewed. */
function ChooseA() {
  const { line, at, point } = useViewed()
  const [from, setFrom] = useParam('from')
  const draft = useDraft(from ?? '', setFrom)
  const suggested = String(Math.max(1, (point ?? line.seq) - 10))
  return (
    <section>
      <h2>Compare</h2>
      <p class="row">
        <label>
          A
          <input class="short" placeholder="commit, mark, 2h" {...draft} />
        </label>
        <span>
          B is <b>{at ?? `now (${line.seq})`}</b>
        </span>
        {from === undefined ? (
          <button type="button" onClick={() => setFrom(suggested)}>
            with {suggested}
          </button>
        ) : (
          <button type="button" onClick={() => setFrom(undefined)}>
            back to the tree
          </button>
        )}
      </p>
    </section>
  )
}
