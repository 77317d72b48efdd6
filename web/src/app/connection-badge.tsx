/** Whether what is shown is what is: amber after five seconds of silence. That is said aloud, its seconds are not. */
import { connection, heard } from '../api/live.ts'
import { now } from '../parts/age.tsx'
import { Badge } from '../parts/badge.tsx'
import { clock, longAge } from '../parts/time.ts'
import { useStore } from '../store.ts'

export function ConnectionBadge() {
  const state = useStore(connection)
  const since = useStore(heard)
  const time = useStore(now)
  const title = `last heard at ${clock(since)}`
  return (
    <span class="connection" role="status">
      {state === 'live' ? (
        <Badge icon="pulse" tone="good" title={title}>
          live
        </Badge>
      ) : state === 'connecting' ? (
        <Badge icon="clock">connecting</Badge>
      ) : state === 'refused' ? (
        <Badge icon="lock" tone="bad">
          locked
        </Badge>
      ) : (
        <Badge icon={state === 'quiet' ? 'alert' : 'away'} tone="warn" title={title}>
          {state === 'quiet' ? 'silent for ' : 'cut off '}
          <span aria-live="off">{longAge(time - since)}</span>
          {state === 'quiet' ? '' : ' ago'}
        </Badge>
      )}
    </span>
  )
}
