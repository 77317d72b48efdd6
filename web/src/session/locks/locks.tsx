import type { LockRow } from '../../../../src/domain/locks/views.ts'
import { operate, useOperation } from '../../api/session.ts'
import { ActionButton } from '../../parts/action.tsx'
import { Age } from '../../parts/age.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Countdown } from '../../parts/countdown.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Of } from '../../parts/of.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { useViewed } from '../session.ts'

export function Locks() {
  const { id, at, frozen } = useViewed()
  const locks = useOperation<readonly LockRow[]>(id, 'lock.list', {}, at)
  return (
    <section aria-labelledby="locks">
      <h2 id="locks">Locks</h2>
      <Loaded of={locks}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="Nobody holds a lock" commands={COMMANDS} />
          ) : (
            <Table caption="Locks" columns={columns(id, frozen)} rows={rows} keyOf={keyOf} sortParam="locks" />
          )
        }
      </Loaded>
    </section>
  )
}

const COMMANDS = [
  ['steadfold lock with src/auth.ts -- npm test', 'runs a command while it holds a lock'],
  ['steadfold lock acquire docs/api.md --ttl 1m', 'takes one; the token that comes back proves it'],
  ['steadfold lock list', 'shows holders and queues'],
] as const

const keyOf = ({ resource, holder, token }: LockRow) => `${resource} ${holder} ${token ?? ''}`

const columns = (session: string, frozen: string | undefined): readonly Column<LockRow>[] => [
  {
    id: 'resource',
    title: 'Resource',
    grow: true,
    sort: ({ resource }) => resource,
    cell: ({ resource }) => <code>{resource}</code>,
  },
  { id: 'status', title: 'Status', sort: ({ status }) => status, cell: (row) => <LockStatus row={row} /> },
  { id: 'holder', title: 'Who', sort: ({ holder }) => holder, cell: ({ holder }) => holder },
  { id: 'reason', title: 'Why', cell: ({ reason }) => reason ?? '–' },
  { id: 'token', title: 'Token', align: 'end', cell: ({ token }) => token ?? '–' },
  { id: 'since', title: 'Since', align: 'end', sort: ({ since }) => since, cell: ({ since }) => <Age at={since} /> },
  {
    id: 'until',
    title: 'Left',
    align: 'end',
    sort: ({ until }) => until,
    cell: ({ until }) => <Countdown until={until} />,
  },
  {
    id: 'do',
    title: 'Do',
    cell: (row) => (row.status === 'held' ? <BreakButton session={session} row={row} frozen={frozen} /> : null),
  },
]

const LockStatus = ({ row: { status, mode, ahead } }: { readonly row: LockRow }) =>
  status === 'held' ? (
    <Badge icon="lock" tone="work">
      held{mode === 'shared' ? ', shared' : ''}
    </Badge>
  ) : (
    <Badge icon="clock">{ahead === 0 ? 'next' : `${ahead ?? 0} ahead`}</Badge>
  )

interface BreakProps {
  readonly session: string
  readonly row: LockRow
  readonly frozen: string | undefined
}

/** The token goes along: what was given to somebody else meanwhile is not taken away. */
function BreakButton({ session, row: { resource, holder, token }, frozen }: BreakProps) {
  const warning = `${holder} is not told, and what it does with its token from now on is refused.`
  const run = () => operate(session, 'lock.break', { resource, cause: 'stuck', ...(token === null ? {} : { token }) })
  return (
    <ActionButton tone="bad" unless={frozen} run={run} confirm={{ title: 'Break the lock', name: resource, warning }}>
      Break
      <Of what={`${resource}, ${holder}`} />
    </ActionButton>
  )
}
