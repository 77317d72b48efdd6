/** How long ago something was; the exact time on hover. All of them tick together. */
import { makeStore, useStore } from '../store.ts'
import { shortAge, stamp } from './time.ts'

export const now = makeStore(Date.now())
setInterval(() => now.set(Date.now()), 1000)

export function Age({ at }: { readonly at: string | number | null | undefined }) {
  const time = useStore(now)
  if (at === null || at === undefined || at === '') return <span class="faint">–</span>
  const since = typeof at === 'number' ? at : Date.parse(at)
  return (
    <time class="age" dateTime={new Date(since).toISOString()} title={stamp(since)}>
      {shortAge(time - since)}
    </time>
  )
}
