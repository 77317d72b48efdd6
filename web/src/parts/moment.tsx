/** When something was said: the time of day, and the day where it is not that of what stands before. */
import { clock, stamp } from './time.ts'

interface MomentProps {
  readonly at: string
  /** When that was said which stands before it; the first has its day unless that is today. */
  readonly after: string | undefined
}

export const Moment = ({ at, after }: MomentProps) => (
  <time dateTime={at} title={stamp(at)}>
    {momentOf(at, after ?? Date.now())}
  </time>
)

export const momentOf = (at: string, after: string | number): string =>
  dayOf(at) === dayOf(after) ? clock(at) : stamp(at)

const dayOf = (at: string | number): string => stamp(at).slice(0, 10)
