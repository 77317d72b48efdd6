/** All sessions, filtered by words and by status; the address keeps both. */
import { useInbox } from '../../api/inbox.ts'
import { useSessions, type SessionLine } from '../../api/sessions.ts'
import { Age } from '../../parts/age.tsx'
import { Status } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { SessionName } from '../../parts/session-name.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { useParam } from '../../route/route.ts'
import { joined, type Joined } from './join.ts'

export function SessionsPage() {
  const inbox = useInbox().data
  return (
    <div class="sessions">
      <h1 class="unseen">Sessions</h1>
      <Loaded of={useSessions()}>
        {(lines) => (lines.length === 0 ? <Nothing /> : <Filtered rows={joined(lines, inbox)} />)}
      </Loaded>
    </div>
  )
}

function Filtered({ rows }: { readonly rows: readonly Joined[] }) {
  const [words = '', filter] = useParam('q')
  const [status = '', choose] = useParam('status')
  const statuses = [...new Set(rows.map((row) => row.status))].toSorted()
  const shown = rows.filter((row) => (status === '' || row.status === status) && fits(row, words))
  return (
    <>
      <div class="filters" role="search">
        <input
          type="search"
          aria-label="Filter by name, goal, state or holder"
          placeholder="name, goal, state, holder"
          value={words}
          onInput={(event) => filter(event.currentTarget.value)}
        />
        <label>
          Status
          <select value={status} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="">all</option>
            {statuses.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <span class="faint" role="status">
          {shown.length} of {rows.length}
        </span>
      </div>
      <Table caption="Sessions" columns={COLUMNS} rows={shown} keyOf={({ id }) => id} order="-changed" />
      {shown.length === 0 ? <p class="faint">None fits.</p> : null}
    </>
  )
}

const fits = ({ name, id, goal, workflow, holder }: SessionLine, words: string): boolean => {
  const text = [name, id, goal, workflow, holder].join(' ').toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

const DASH = <span class="faint">–</span>
const orDash = (text: string | number | null | undefined) =>
  text === null || text === undefined || text === '' || text === 0
    ? DASH
    : typeof text === 'number'
      ? text.toLocaleString('en')
      : text

const COLUMNS: readonly Column<Joined>[] = [
  {
    id: 'name',
    title: 'Session',
    grow: true,
    sort: ({ name }) => name,
    cell: ({ id, name, goal }) => <SessionName id={id} name={name} goal={goal} />,
  },
  { id: 'status', title: 'Status', sort: ({ status }) => status, cell: ({ status }) => <Status status={status} /> },
  { id: 'state', title: 'State', sort: ({ workflow }) => workflow, cell: ({ workflow }) => orDash(workflow) },
  { id: 'needs', title: 'Needs', align: 'end', sort: ({ needs }) => needs, cell: ({ needs }) => orDash(needs) },
  { id: 'holder', title: 'Held by', sort: ({ holder }) => holder, cell: ({ holder }) => orDash(holder) },
  {
    id: 'agents',
    title: 'Agents',
    align: 'end',
    sort: ({ row }) => row?.agents ?? null,
    cell: ({ row }) => orDash(row?.agents),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    align: 'end',
    sort: ({ row }) => row?.tokens ?? null,
    cell: ({ row }) => orDash(row?.tokens),
  },
  { id: 'seq', title: 'Seq', align: 'end', sort: ({ seq }) => seq, cell: ({ seq }) => orDash(seq) },
  {
    id: 'changed',
    title: 'Changed',
    align: 'end',
    sort: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Age at={updated_at} />,
  },
]

const Nothing = () => (
  <Empty
    title="No sessions yet"
    commands={[
      ['steadfold session create build --goal "what it is for"', 'begins a session'],
      ['steadfold run review.workflow.yaml', 'runs a workflow in a session of its own'],
      ['steadfold session list', 'shows them on the command line'],
    ]}
  />
)
