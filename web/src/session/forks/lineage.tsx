import { useResource } from '../../api/resource.ts'
import { read, sessionPath } from '../../api/request.ts'
import { useSessions } from '../../api/sessions.ts'
import { Icon } from '../../parts/icon.tsx'
import { to } from '../../route/route.ts'
import { useViewed, type SessionData } from '../session.ts'

interface Origin {
  readonly id: string
  readonly name: string
  readonly lineage: readonly { readonly session: string; readonly seq: number }[]
}

/** Most sessions whose origin is looked up: each is one question. */
const MOST = 200

/** Where the session comes from, and which go on from it. */
export function Lineage() {
  const { id } = useViewed()
  const sessions = useSessions().data ?? []
  const ids = sessions.slice(0, MOST).map((session) => session.id)
  const origins = useResource(ids.length === 0 ? undefined : `origins ${ids.join(' ')}`, () =>
    Promise.all(ids.map(originOf)),
  )
  const all = origins.data ?? []
  const nameOf = (session: string) => sessions.find((each) => each.id === session)?.name ?? session
  const above = all.find((each) => each.id === id)?.lineage ?? []
  const below = all.filter(({ lineage }) => lineage.some(({ session }) => session === id))
  return (
    <section aria-labelledby="forks">
      <h2 id="forks">Forks</h2>
      {above.length + below.length === 0 ? (
        <p class="faint">It was not forked. “Fork from here” beside the time slider begins one.</p>
      ) : (
        <ul class="lineage">
          {above.map(({ session, seq }) => (
            <li key={session}>
              <Icon name="back" /> comes from <a href={to(['session', session, 'forks'])}>{nameOf(session)}</a> at
              commit {seq}
            </li>
          ))}
          {below.map((each) => (
            <li key={each.id}>
              <Icon name="fork" /> <a href={to(['session', each.id, 'forks'])}>{each.name}</a> goes on from commit{' '}
              {each.lineage.find(({ session }) => session === id)?.seq}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

async function originOf(id: string): Promise<Origin> {
  const { data } = await read<SessionData>(sessionPath(id, ''))
  return { id, name: data.name, lineage: data.session?.lineage ?? [] }
}
