/** What needs a person, in the order in which it should be looked at; then what goes on. */
import type { Inbox, SessionRow } from '../../../../src/kernel/care/inbox.ts'
import { useInbox } from '../../api/inbox.ts'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Needs } from './needs.tsx'
import { Rows } from './rows.tsx'
import { useSeen } from './seen.ts'

export const InboxPage = () => <Loaded of={useInbox()}>{(inbox) => <Groups inbox={inbox} />}</Loaded>

function Groups({ inbox }: { readonly inbox: Inbox }) {
  const { needs_you, working, done, idle, other } = inbox
  const { isSeen, see } = useSeen()
  if (needs_you.length + working.length + done.length + idle.length + other.length === 0) return <Nothing />
  const news = done.filter((row) => !isSeen(row))
  const rest = [...idle, ...done.filter(isSeen)]
  return (
    <div class="inbox">
      <h1 class="unseen">Inbox</h1>
      <Needs needs={needs_you} />
      <Group title="Done, not seen yet" rows={news} onSeen={see} />
      <Group title="Working" rows={working} />
      <Group title="Idle" rows={rest} />
      <Group title="Ended, suspended or departed" rows={other} />
    </div>
  )
}

interface GroupProps {
  readonly title: string
  readonly rows: readonly SessionRow[]
  readonly onSeen?: (row: SessionRow) => void
}

const Group = ({ title, rows, onSeen }: GroupProps) =>
  rows.length === 0 ? null : (
    <section>
      <h2>
        {title} <span class="count">{rows.length}</span>
      </h2>
      <Rows title={title} rows={rows} onSeen={onSeen} />
    </section>
  )

const Nothing = () => (
  <Empty
    title="Nothing here yet"
    commands={[
      ['steadfold session create build --goal "what it is for"', 'begins a session'],
      ['steadfold run review.workflow.yaml', 'runs a workflow and keeps every step that is done'],
      ['steadfold demo', 'shows a run that is killed and goes on'],
    ]}
  >
    Sessions that need you will stand first on this page, each with one action.
  </Empty>
)
