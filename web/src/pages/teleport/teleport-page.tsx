/** Where sessions are: here, away, or shared. Moving them is done from the command line. */
import { read, sessionPath } from '../../api/request.ts'
import { useResource } from '../../api/resource.ts'
import { useSessions, type SessionLine } from '../../api/sessions.ts'
import { Badge } from '../../parts/badge.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { to } from '../../route/route.ts'
import type { SessionData } from '../../session/session.ts'

export const TeleportPage = () => (
  <div>
    <h1>Teleport</h1>
    <p class="faint">
      A session moves as one sealed bundle. It is at home in one place at a time; whoever comes later is refused.
    </p>
    <Loaded of={useSessions()}>
      {(sessions) => (sessions.length === 0 ? <NoSessions /> : <Places sessions={sessions} />)}
    </Loaded>
  </div>
)

const NoSessions = () => <Empty title="No sessions to move" commands={COMMANDS} />

const COMMANDS = [
  ['steadfold bundle pack build-auth --recipient desk', 'makes one sealed file of a session'],
  ['steadfold teleport send build-auth --recipient desk', 'lets it go on elsewhere; here it is refused from then on'],
  ['steadfold teleport receive build-auth.steadfold', 'takes it up on this machine'],
] as const

const Commands = () => (
  <section aria-labelledby="commands">
    <h2 id="commands">From the command line</h2>
    <dl>
      {COMMANDS.map(([command, what]) => (
        <div key={command}>
          <dt>
            <Copy text={command} />
          </dt>
          <dd class="faint">{what}</dd>
        </div>
      ))}
    </dl>
  </section>
)

interface Where {
  readonly id: string
  readonly name: string
  readonly epoch: number
  readonly away: string | null
  readonly devices: readonly string[]
}

/** Each is read by itself. */
const MOST = 200

function Places({ sessions }: { readonly sessions: readonly SessionLine[] }) {
  const ids = sessions.slice(-MOST).map(({ id }) => id)
  const places = useResource(`places ${ids.join(' ')}`, () => Promise.all(ids.map(placeOf)), '*')
  return (
    <Loaded of={places}>
      {(rows) => (
        <>
          <section aria-label="Where sessions are">
            {sessions.length > MOST ? (
              <p class="notice">
                Only the latest {MOST} of {sessions.length.toLocaleString('en')} sessions are shown.
              </p>
            ) : null}
            <Table caption="Where sessions are" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
          </section>
          <Commands />
        </>
      )}
    </Loaded>
  )
}

const COLUMNS: readonly Column<Where>[] = [
  {
    id: 'name',
    title: 'Session',
    grow: true,
    sort: ({ name }) => name,
    cell: ({ id, name }) => <a href={to(['session', id])}>{name}</a>,
  },
  { id: 'where', title: 'Where', sort: ({ away }) => away, cell: ({ away }) => <Place away={away} /> },
  { id: 'epoch', title: 'Epoch', align: 'end', sort: ({ epoch }) => epoch, cell: ({ epoch }) => epoch },
  { id: 'devices', title: 'Was on', cell: ({ devices }) => devices.join(', ') || 'this machine only' },
]

const Place = ({ away }: { readonly away: string | null }) =>
  away === null ? (
    <Badge icon="check" tone="good">
      here
    </Badge>
  ) : (
    <Badge icon="away" tone="warn">
      departed {away}
    </Badge>
  )

async function placeOf(id: string): Promise<Where> {
  const { data } = await read<SessionData>(sessionPath(id, ''))
  const { name, session } = data
  const departed = session?.transport.departed ?? null
  const away = departed === null ? null : `to ${departed.to ?? 'a file'}`
  return { id, name, epoch: session?.epoch ?? 1, away, devices: session?.transport.devices ?? [] }
}
