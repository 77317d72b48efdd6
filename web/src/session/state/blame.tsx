/** The commit that last changed a place, and the values it had. */
import type { ValueData } from '../../../../src/kernel/history/blame.ts'
import { useRead } from '../../api/session.ts'
import { Age } from '../../parts/age.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Of, OneOf } from '../../parts/of.tsx'
import { useShown } from '../../parts/pieces.tsx'
import { to } from '../../route/route.ts'
import { useViewed } from '../session.ts'

const PIECE = 50
const MOST = 10_000

export function Blame({ path }: { readonly path: string }) {
  const { id, at } = useViewed()
  const [shown, showMore] = useShown(PIECE)
  const count = Math.min(shown, MOST)
  const history = useRead<readonly ValueData[], { readonly earlier: number }>(id, 'history', { path, count }, at)
  return (
    <Loaded of={history}>
      {({ data, earlier }) => (
        <>
          <section>
            <h2>Last changed</h2>
            <p>
              <code>{path}</code>
            </p>
            <Latest by={data.at(-1)} />
          </section>
          <section>
            <h2>Every value</h2>
            <Values all={data} />
            {earlier === 0 ? null : (
              <Earlier count={earlier} onMore={data.length < shown && !history.busy ? undefined : showMore} />
            )}
          </section>
        </>
      )}
    </Loaded>
  )
}

const Latest = ({ by }: { readonly by: ValueData | undefined }) =>
  by === undefined ? <p class="faint">Nothing was ever there.</p> : <Change by={by} />

interface EarlierProps {
  readonly count: number
  /** Undefined where no more are given, however many are asked for. */
  readonly onMore: (() => void) | undefined
}

const Earlier = ({ count, onMore }: EarlierProps) =>
  onMore === undefined ? (
    <p class="faint">{count.toLocaleString('en')} earlier: not shown</p>
  ) : (
    <button type="button" class="quiet" onClick={onMore}>
      {count.toLocaleString('en')} more
      <Of what="values" />
    </button>
  )

/** The latest first. */
const Values = ({ all }: { readonly all: readonly ValueData[] }) => (
  <ol class="values">
    {all.toReversed().map((entry) => (
      <li key={entry.seq}>
        <Change by={entry} />
        <OneOf what={`at ${entry.seq}`}>
          {entry.exists ? <JsonTree value={entry.value} name="value" open={0} /> : <span class="faint">deleted</span>}
        </OneOf>
      </li>
    ))}
  </ol>
)

function Change({ by }: { readonly by: ValueData }) {
  const { id, at } = useViewed()
  return (
    <p class="change">
      <a href={to(['session', id, 'log'], { at, commit: by.seq })}>{by.seq}</a> <b>{by.actor}</b> <code>{by.op}</code>{' '}
      <Age at={by.at} /> ago
      {by.reason === null ? '' : `: ${by.reason}`}
    </p>
  )
}
