import { useState } from 'preact/hooks'
import { operate, useRead } from '../../api/session.ts'
import { ActionButton } from '../../parts/action.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { to } from '../../route/route.ts'
import { useViewed, type SessionData } from '../session.ts'

interface Mark {
  readonly name: string
  readonly seq: number
}

/** Names of points, in the order of the log. They are those of now, whatever is viewed. */
export function Marks() {
  const { id, line } = useViewed()
  const shown = useRead<SessionData>(id, '')
  return (
    <section aria-labelledby="marks">
      <h2 id="marks">Marks</h2>
      <Loaded of={shown}>
        {({ data }) => {
          const marks = Object.entries(data.session?.marks ?? {}).map(([name, seq]) => ({ name, seq }))
          const rows = marks.toSorted((a, b) => a.seq - b.seq)
          return rows.length === 0 ? (
            <Empty title="No marks yet" commands={COMMANDS}>
              A mark is a name for a point of the log, to come back to and to compare with.
            </Empty>
          ) : (
            <Table caption="Marks" columns={columns(id, line.seq)} rows={rows} keyOf={({ name }) => name} />
          )
        }}
      </Loaded>
      <NewMark />
    </section>
  )
}

const COMMANDS = [
  ['steadfold session mark draft-done', 'names where the session stands now'],
  ['steadfold diff draft-done @', 'what changed since, and who changed it'],
  ['steadfold session fork build-auth@draft-done other-way', 'goes on from there in a session of its own'],
] as const

const columns = (session: string, seq: number): readonly Column<Mark>[] => [
  {
    id: 'name',
    title: 'Mark',
    grow: true,
    cell: ({ name }) => <a href={to(['session', session, 'state'], { at: name })}>{name}</a>,
  },
  { id: 'seq', title: 'Commit', align: 'end', cell: ({ seq: at }) => at.toLocaleString('en') },
  { id: 'since', title: 'Commits since', align: 'end', cell: ({ seq: at }) => (seq - at).toLocaleString('en') },
]

function NewMark() {
  const { id, at, line, closed } = useViewed()
  const [name, type] = useState('')
  // The commit that the button names, also when the session went on meanwhile.
  const point = at ?? String(line.seq)
  const mark = async () => {
    await operate(id, 'session.mark', { name, at: point })
    type('')
  }
  return (
    <form class="tools">
      <label>
        <span class="unseen">Name of the mark</span>
        <input
          value={name}
          placeholder="name of a mark"
          onInput={(event) => type(event.currentTarget.value)}
          autoComplete="off"
        />
      </label>
      <ActionButton type="submit" run={mark} unless={closed ?? (name.trim() === '' ? 'it needs a name' : undefined)}>
        Mark commit {point}
      </ActionButton>
    </form>
  )
}
