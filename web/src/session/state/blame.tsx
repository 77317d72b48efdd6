/** The commit that last changed a place, and every value it had. */
import type { BlameData, ValueData } from '../../../../src/kernel/blame.ts'
import { useRead } from '../../api/session.ts'
import { Age } from '../../parts/age.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { usePieces } from '../../parts/pieces.tsx'
import { to } from '../../route/route.ts'
import { useViewed } from '../session.ts'

export function Blame({ path }: { readonly path: string }) {
  const { id, at } = useViewed()
  const blame = useRead<BlameData>(id, 'blame', { path }, at)
  const history = useRead<readonly ValueData[]>(id, 'history', { path }, at)
  return (
    <>
      <section>
        <h2>Last changed</h2>
        <p>
          <code>{path}</code>
        </p>
        <Loaded of={blame}>{({ data }) => <Change by={data.by} />}</Loaded>
      </section>
      <section>
        <h2>Every value</h2>
        <Loaded of={history}>{({ data }) => <Values all={data} />}</Loaded>
      </section>
    </>
  )
}

const PIECE = 50

/** The latest first. */
function Values({ all }: { readonly all: readonly ValueData[] }) {
  const [latest, more] = usePieces(all.toReversed(), PIECE)
  return (
    <>
      <ol class="values">
        {latest.map((entry) => (
          <li key={entry.seq}>
            <Change by={entry} />
            {entry.exists ? <JsonTree value={entry.value} name="value" open={0} /> : <span class="faint">deleted</span>}
          </li>
        ))}
      </ol>
      {more}
    </>
  )
}

function Change({ by }: { readonly by: BlameData['by'] }) {
  const { id } = useViewed()
  return (
    <p class="change">
      <a href={to(['session', id, 'log'], { commit: by.seq })}>{by.seq}</a> <b>{by.actor}</b> <code>{by.op}</code>{' '}
      <Age at={by.at} /> ago
      {by.reason === null ? '' : `: ${by.reason}`}
    </p>
  )
}
