/** What stands in the way of the workflow, and what answers it. */
import { operate } from '../../api/session.ts'
import { ActionButton } from '../../parts/action.tsx'
import { Age } from '../../parts/age.tsx'
import { Badge } from '../../parts/badge.tsx'
import { useViewed } from '../session.ts'

/** Of `workflow.show`. */
export interface Shown {
  readonly name: string
  readonly goal: string | null
  readonly defined: boolean
  readonly current: string
  readonly finished: boolean
  readonly advisory: boolean
  readonly allowed: readonly string[]
  readonly intent: { readonly from: string; readonly to: string; readonly at: string; readonly actor: string } | null
  readonly error: {
    readonly last_error: string | null
    /** Else it may be tried again without. */
    readonly wants_approval: boolean
    readonly failed_state: string
    readonly retry_count: number
    readonly limit: number
    readonly at: string
  } | null
}

export const Trouble = ({ shown: { intent, error } }: { readonly shown: Shown }) => (
  <>
    {intent === null ? null : <Unfinished intent={intent} />}
    {error?.last_error == null ? null : <Failed error={error} said={error.last_error} />}
  </>
)

function Unfinished({ intent: { from, to, at, actor } }: { readonly intent: NonNullable<Shown['intent']> }) {
  const { id, frozen } = useViewed()
  const go = (how: 'resume' | 'abandon') => () => operate(id, 'workflow.transition', { to, [how]: true })
  return (
    <div class="notice row">
      <Badge icon="half" tone="warn">
        on the way
      </Badge>
      <span>
        {from} → {to}, begun by {actor} <Age at={at} /> ago and not arrived
      </span>
      <ActionButton unless={frozen} run={go('resume')}>
        Arrive
      </ActionButton>
      <ActionButton unless={frozen} run={go('abandon')}>
        Turn back
      </ActionButton>
    </div>
  )
}

interface FailedProps {
  readonly error: NonNullable<Shown['error']>
  readonly said: string
}

function Failed({ error: { wants_approval: approve, failed_state, retry_count, limit, at }, said }: FailedProps) {
  const { id, frozen } = useViewed()
  return (
    <div class="notice row">
      <Badge icon="fail" tone="bad">
        failed
      </Badge>
      <span>
        in {failed_state} <Age at={at} /> ago: {said} ({retry_count} of {limit} retries)
      </span>
      <ActionButton unless={frozen} run={() => operate(id, 'workflow.retry', { approve })}>
        {approve ? 'Approve another retry' : 'Retry'}
      </ActionButton>
    </div>
  )
}
