import { read, sessionPath } from '../../api/request.ts'
import { useResource } from '../../api/resource.ts'
import { useSessions, type SessionLine } from '../../api/sessions.ts'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { to } from '../../route/route.ts'
import { useViewed, type SessionData } from '../session.ts'

interface Origin {
  readonly id: string
  readonly name: string
  readonly lineage: readonly { readonly session: string; readonly seq: number }[]
}

/** Most sessions whose origin is looked up, the latest: each is one question. */
const MOST = 200

/** Where the session comes from, and which go on from it. */
export function Lineage() {
  const { id } = useViewed()
  const sessions = useSessions().data ?? []
  const ids = [...new Set([id, ...sessions.slice(-MOST).map((session) => session.id)])]
  const origins = useResource(sessions.length === 0 ? undefined : `origins ${ids.join(' ')}`, () =>
    Promise.all(ids.map(originOf)),
  )
  return (
    <section aria-labelledby="forks">
      <h2 id="forks">Forks</h2>
      {sessions.length > MOST ? (
        <p class="notice">
          Of {sessions.length.toLocaleString('en')} sessions only the latest {MOST} were asked where they come from.
        </p>
      ) : null}
      <Loaded of={origins}>{(all) => <Shown id={id} all={all} sessions={sessions} />}</Loaded>
    </section>
  )
}

interface ShownProps {
  readonly id: string
  readonly all: readonly Origin[]
  readonly sessions: readonly SessionLine[]
}

function Shown({ id, all, sessions }: ShownProps) {
  const nameOf = (session: string) => sessions.find((each) => each.id === session)?.name ?? session
  const above = all.find((each) => each.id === id)?.lineage ?? []
  const below = all.filter(({ lineage }) => lineage.some(({ session }) => session === id))
  if (above.length + below.length === 0)
    return <p class="faint">It was not forked. “Fork from here” beside the time slider begins one.</p>
  return (
    <ul class="lineage">
      {above.map(({ session, seq }) => (
        <li key={session}>
          <Icon name="back" /> comes from <a href={to(['session', session, 'forks'])}>{nameOf(session)}</a> at commit{' '}
          {seq}
        </li>
      ))}
      {below.map((each) => (
        <li key={each.id}>
          <Icon name="fork" /> <a href={to(['session', each.id, 'forks'])}>{each.name}</a> goes on from commit{' '}
          {each.lineage.find(({ session }) => session === id)?.seq}
        </li>
      ))}
    </ul>
  )
}

async function originOf(id: string): Promise<Origin> {
  const { data } = await read<SessionData>(sessionPath(id, ''))
  return { id, name: data.name, lineage: data.session?.lineage ?? [] }
}
