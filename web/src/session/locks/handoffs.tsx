import type { Handoff } from '../../../../src/domain/messages/events.ts'
import { useOperation } from '../../api/session.ts'
import { Age } from '../../parts/age.tsx'
import { Status } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { usePieces } from '../../parts/pieces.tsx'
import { useViewed } from '../session.ts'

export function Handoffs() {
  const { id, at } = useViewed()
  const handoffs = useOperation<readonly Handoff[]>(id, 'handoff.list', {}, at)
  return (
    <section aria-labelledby="handoffs">
      <h2 id="handoffs">Handoffs</h2>
      <Loaded of={handoffs}>
        {(rows) =>
          rows.length === 0 ? <Empty title="No work was handed over" commands={COMMANDS} /> : <Cards rows={rows} />
        }
      </Loaded>
    </section>
  )
}

const COMMANDS = [
  ['steadfold handoff create cleo task-1 --next-steps "read it"', 'offers work, with what is known about it'],
  ['steadfold handoff accept ID', 'takes it over'],
  ['steadfold handoff complete ID', 'says that it is done'],
] as const

const PIECE = 50

/** The latest first. */
function Cards({ rows }: { readonly rows: readonly Handoff[] }) {
  const [latest, more] = usePieces(rows.toReversed(), PIECE)
  return (
    <>
      <ul class="cards">
        {latest.map((handoff) => (
          <li key={handoff.id}>
            <HandoffCard handoff={handoff} />
          </li>
        ))}
      </ul>
      {more}
    </>
  )
}

/** What is written in it comes from agents: text, whatever it looks like. */
function HandoffCard({ handoff }: { readonly handoff: Handoff }) {
  const { from_agent, to_agent, task_id, status, created_at, finished_at, context, artifacts, result, reason } = handoff
  const said = [
    ['done', context.work_completed],
    ['next', context.next_steps],
    ['notes', context.notes],
    ['files', artifacts.join(', ')],
    ['outcome', result?.notes ?? reason ?? ''],
  ].filter(([, text]) => text !== '')
  return (
    <article class="card">
      <h3>
        {from_agent} <Icon name="hand" /> <span class="unseen">to</span> {to_agent} <Status status={status} />
      </h3>
      <p class="faint">
        {task_id} · offered <Age at={created_at} /> ago
        {finished_at === null ? null : (
          <>
            , over <Age at={finished_at} /> ago
          </>
        )}
      </p>
      <dl class="fields">
        {said.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </article>
  )
}
