/** Sessions whose holder is gone: what recovering them would do, and on what evidence. */
import { useInbox } from '../../api/inbox.ts'
import { Badge } from '../../parts/badge.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Plan } from './plan.tsx'

export const RecoverPage = () => (
  <div>
    <h1>Recover</h1>
    <Loaded of={useInbox()}>
      {({ needs_you }) => {
        const lost = [...new Set(needs_you.filter(({ kind }) => kind === 'LOST').map(({ session }) => session))]
        return lost.length === 0 ? <NothingLost /> : lost.map((session) => <Plan key={session} session={session} />)
      }}
    </Loaded>
  </div>
)

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
