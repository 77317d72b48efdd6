/** How long something lasts from now on. */
import { useStore } from '../store.ts'
import { now } from './age.tsx'
import { duration, stamp } from './time.ts'

const SECOND = 1000

export function Countdown({ until }: { readonly until: string | number }) {
  const end = typeof until === 'number' ? until : Date.parse(until)
  const left = end - useStore(now)
  const text = left <= 0 ? 'over' : duration(Math.ceil(left / SECOND) * SECOND).replace('.0 s', ' s')
  return (
    <time class="age" dateTime={new Date(end).toISOString()} title={`until ${stamp(end)}`}>
      {text}
    </time>
  )
}
