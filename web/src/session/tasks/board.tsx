import type { TaskRow } from '../../../../src/domain/tasks/views.ts'
import { operate } from '../../api/session.ts'
import { ActionButton } from '../../parts/action.tsx'
import { Age } from '../../parts/age.tsx'
import { Status } from '../../parts/badge.tsx'
import { Of } from '../../parts/of.tsx'
import { useViewed } from '../session.ts'
import { GROUPS, groupOf, type Group } from './groups.ts'
import { TaskLink } from './task-table.tsx'

interface BoardProps {
  readonly rows: readonly TaskRow[]
  readonly open: (id: string) => void
}

/** Columns that hold nothing are left out; a long one shows its first cards. */
export function Board({ rows, ...rest }: BoardProps) {
  const groups = Map.groupBy(rows, groupOf)
  return (
    <div class="board" role="list" aria-label="Tasks by status">
      {GROUPS.filter((group) => groups.has(group)).map((group) => (
        <Lane key={group} {...rest} group={group} rows={groups.get(group) ?? []} />
      ))}
    </div>
  )
}

const MOST = 60

const Lane = ({ group, rows, ...rest }: BoardProps & { readonly group: Group }) => (
  <section role="listitem" aria-label={group.replace('_', ' ')}>
    <h2>
      <Status status={group} /> <span class="faint">{rows.length}</span>
    </h2>
    <ul>
      {rows.slice(0, MOST).map((row) => (
        <li key={row.id}>
          <Card {...rest} row={row} />
        </li>
      ))}
    </ul>
    {rows.length > MOST ? <p class="faint">{rows.length - MOST} more: see them as a list</p> : null}
  </section>
)

type CardProps = Omit<BoardProps, 'rows'> & { readonly row: TaskRow }

function Card({ row, open }: CardProps) {
  const { id: session, frozen } = useViewed()
  const { id, priority, assignee, waits_for, reason, lease_until, updated_at, status, failed } = row
  const isUrgent = priority === 'critical' || priority === 'high'
  return (
    <article class="card">
      <h3>
        <TaskLink row={row} open={open} />
      </h3>
      <p class="faint">
        {isUrgent ? <b class="strong">{priority}</b> : priority} · {id.replace(/^task-/, '')} · <Age at={updated_at} />
      </p>
      {assignee === null ? null : (
        <p>
          {assignee.replace(/^agent:/, '')}
          {lease_until === null ? '' : ', claimed'}
        </p>
      )}
      {waits_for.length === 0 ? null : (
        <p>waits for {waits_for.map((node) => node.replace(/^task-/, '')).join(', ')}</p>
      )}
      {reason === null ? null : <p>{reason}</p>}
      {status === 'blocked' ? (
        <ActionButton
          unless={frozen}
          run={() => operate(session, failed ? 'task.retry' : 'task.unblock', { task: id })}
        >
          {failed ? 'Retry' : 'Unblock'}
          <Of what={row.title} />
        </ActionButton>
      ) : null}
    </article>
  )
}
