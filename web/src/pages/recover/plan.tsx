import { useState } from 'preact/hooks'
import type { RecoveryPlan } from '../../../../src/kernel/care/recovery.ts'
import { post, sessionPath } from '../../api/request.ts'
import { refreshSession } from '../../api/resource.ts'
import { useRead } from '../../api/session.ts'
import { ActionButton } from '../../parts/action.tsx'
import { Age } from '../../parts/age.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Copy } from '../../parts/copy.tsx'
import { counted } from '../../parts/counted.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { to } from '../../route/route.ts'

interface PlanProps {
  readonly session: string
  /** Whether the inbox says so. */
  readonly isLost?: boolean
}

export function Plan({ session, isLost = true }: PlanProps) {
  const plan = useRead<RecoveryPlan | null>(session, 'recovery')
  return (
    <Loaded of={plan}>
      {({ data }) => {
        if (data !== null) return <Dry plan={data} />
        return isLost ? <Gone session={session} /> : <Sound session={session} />
      }}
    </Loaded>
  )
}

const Sound = ({ session }: { readonly session: string }) => (
  <section class="plan">
    <p>
      <a href={to(['session', session])}>{session}</a> is not lost; there is nothing to recover.
    </p>
  </section>
)

/** An agent went some time ago, and what it held is free already. */
const Gone = ({ session }: { readonly session: string }) => (
  <section class="plan">
    <p>
      In <a href={to(['session', session])}>{session}</a> an agent is gone. What it held is free already; there is
      nothing to recover.
    </p>
  </section>
)

function Dry({ plan }: { readonly plan: RecoveryPlan }) {
  const { session, name, last_seen, evidence, resume, then, holder } = plan
  return (
    <section class="plan" aria-label={name}>
      <h2>
        <a href={to(['session', session])}>{name}</a>{' '}
        <Badge icon="lost" tone="bad">
          lost <Age at={last_seen} /> ago
        </Badge>
      </h2>
      <p class="faint">held by {holder}</p>
      <h3>Evidence</h3>
      <ul class="evidence">
        {evidence.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      <h3>What recovering does</h3>
      <dl class="fields">
        {stepsOf(plan).map(([word, text]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p>
        Nothing is started. Then:{' '}
        {[...resume, then].map((each) => (
          <Copy key={each} text={each} />
        ))}
      </p>
      <Recover plan={plan} />
    </section>
  )
}

/** The words of `steadfold recover --dry-run`. */
function stepsOf({ rebuild, lost, release, return: back }: RecoveryPlan): readonly (readonly [string, string])[] {
  const base = rebuild.checkpoint === null ? '' : `checkpoint ${rebuild.checkpoint.toLocaleString('en')} + `
  const rows = [
    ['rebuild', `${base}${counted(rebuild.commits, 'commit')}`],
    ['lost', lost.join(', ')],
    ['release', release.join(', ')],
    ['return', back.join(', ')],
  ] as const
  return rows.filter(([, text]) => text !== '')
}

function Recover({ plan: { session, name, holder } }: { readonly plan: RecoveryPlan }) {
  const [done, say] = useState(false)
  const recover = async () => {
    await post(sessionPath(session, 'recovery'), {})
    say(true)
    await refreshSession(session)
  }
  const warning = `${holder} loses its lease for good. Should it still run somewhere, what it writes is refused.`
  return (
    <p class="buttons">
      <ActionButton
        tone="main"
        run={recover}
        confirm={{ title: 'Recover', name, warning }}
        unless={done ? 'it is done' : undefined}
      >
        Recover {name}
      </ActionButton>
    </p>
  )
}
