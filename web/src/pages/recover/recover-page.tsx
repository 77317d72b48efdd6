/** Sessions whose holder is gone: what recovering them would do, and on what evidence. */
import type { Need } from '../../../../src/kernel/care/inbox.ts'
import { useInbox } from '../../api/inbox.ts'
import { Badge } from '../../parts/badge.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { to, useRoute } from '../../route/route.ts'
import { Plan } from './plan.tsx'

/** All of them, or the one that the address names. */
export function RecoverPage() {
  const [, chosen] = useRoute().path
  return (
    <div>
      <h1>Recover</h1>
      <Loaded of={useInbox()}>
        {({ needs_you }) => {
          const lost = needs_you.filter(({ kind }) => kind === 'LOST')
          const ids = [...new Set(lost.map(({ session }) => session))]
          if (chosen !== undefined) return <One session={chosen} lost={lost} />
          return ids.length === 0 ? <NothingLost /> : ids.map((session) => <Plan key={session} session={session} />)
        }}
      </Loaded>
    </div>
  )
}

function One({ session, lost }: { readonly session: string; readonly lost: readonly Need[] }) {
  const isLost = lost.some((need) => need.session === session || need.name === session)
  return (
    <>
      <Plan key={session} session={session} isLost={isLost} />
      <p>
        <a href={to(['recover'])}>All sessions that are lost</a>
      </p>
    </>
  )
}

const NothingLost = () => (
  <section class="empty">
    <h2>
      <Badge icon="check" tone="good">
        Nobody is lost
      </Badge>
    </h2>
    <p>
      A session is lost when the evidence says so: its lease is over and its process is gone. Then its plan stands here.
    </p>
    <p>
      <Copy text="steadfold recover --dry-run" />
    </p>
  </section>
)
