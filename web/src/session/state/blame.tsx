/** The commit that last changed a place, and every value it had. */
import { useRead } from '../../api/session.ts'
import { Age } from '../../parts/age.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { to } from '../../route/route.ts'
import { useViewed } from '../session.ts'

interface By {
  readonly seq: number
  readonly at: string
  readonly actor: string
  readonly op: string
  readonly reason: string | null
}

interface Blamed {
  readonly path: string
  readonly value: unknown
  readonly exists: boolean
  readonly by: By
}

export function Blame({ path }: { readonly path: string }) {
  const { id, at } = useViewed()
  const blame = useRead<Blamed>(id, 'blame', { path }, at)
  const history = useRead<readonly (By & { readonly value: unknown })[]>(id, 'history', { path }, at)
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
        <Loaded of={history}>
          {({ data }) => (
            <ol class="values">
              {data.toReversed().map((entry) => (
                <li key={entry.seq}>
                  <Change by={entry} />
                  <JsonTree value={entry.value} name="value" open={0} />
                </li>
              ))}
            </ol>
          )}
        </Loaded>
      </section>
    </>
  )
}

function Change({ by }: { readonly by: By }) {
  const { id } = useViewed()
  return (
    <p class="change">
      <a href={to(['session', id, 'log'], { commit: by.seq })}>{by.seq}</a> <b>{by.actor}</b> <code>{by.op}</code>{' '}
      <Age at={by.at} /> ago
      {by.reason === null ? '' : `: ${by.reason}`}
    </p>
  )
}
