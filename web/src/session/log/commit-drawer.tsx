/** One commit with everything in it, and what can be done from there. */
import { read, sessionPath } from '../../api/request.ts'
import { useResource } from '../../api/resource.ts'
import { Age } from '../../parts/age.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { OneOf } from '../../parts/of.tsx'
import { stamp } from '../../parts/time.ts'
import { setParams, to } from '../../route/route.ts'
import { ForkButton } from '../fork-button.tsx'
import { useViewed } from '../session.ts'
import type { LogCommit } from './rows.ts'

export function CommitDrawer({ seq }: { readonly seq: number }) {
  const { id } = useViewed()
  const load = async () =>
    (await read<readonly LogCommit[]>(sessionPath(id, 'log'), { since: seq, until: seq, limit: 1 })).data
  const found = useResource(`${id} whole commit ${seq}`, load)
  return (
    <aside class="drawer" aria-label={`Commit ${seq}`}>
      <header class="row">
        <h2>Commit {seq}</h2>
        <button type="button" class="quiet" onClick={() => setParams({ commit: undefined })}>
          Close
        </button>
      </header>
      <Loaded of={found}>
        {([commit]) =>
          commit === undefined ? <p class="faint">There is no such commit.</p> : <Whole commit={commit} />
        }
      </Loaded>
    </aside>
  )
}

function Whole({ commit }: { readonly commit: LogCommit }) {
  const { id } = useViewed()
  const { seq, events, ...rest } = commit
  const changes = to(['session', id, 'state'], { at: seq, from: Math.max(1, seq - 1) })
  return (
    <>
      <p class="buttons">
        <a class="button" href={to(['session', id, 'log'], { at: seq, commit: seq })}>
          View this point
        </a>
        <a class="button" href={changes}>
          What it changed
        </a>
        <ForkButton point={seq} />
      </p>
      <dl class="pairs">
        <Pair name="at">
          {stamp(rest.at)}, <Age at={rest.at} /> ago
        </Pair>
        <Pair name="actor">{rest.actor}</Pair>
        <Pair name="operation">{rest.op}</Pair>
        <Pair name="reason">{rest.reason}</Pair>
        <Pair name="key">{rest.key}</Pair>
        <Pair name="cause">{rest.cause}</Pair>
        <Pair name="hash">{rest.hash}</Pair>
      </dl>
      <Events events={events} />
      <details>
        <summary>Raw</summary>
        <pre tabIndex={0}>
          <LongText text={JSON.stringify(commit, null, 2)} />
        </pre>
      </details>
    </>
  )
}

const Events = ({ events }: Pick<LogCommit, 'events'>) =>
  events.map(({ type, data }, i) => (
    <OneOf key={i} what={`event ${i + 1}`}>
      <section>
        <JsonTree name={type} value={data} open={2} />
      </section>
    </OneOf>
  ))

const Pair = ({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) =>
  children === undefined || children === null ? null : (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
