/** A session by its name, with what it is for. */
import { to } from '../route/route.ts'
import { beginningOf } from './long-text.tsx'

interface SessionNameProps {
  readonly id: string
  readonly name: string
  readonly goal: string | null
}

/** All of a goal stands on the page of its session. */
const MOST = 200

export const SessionName = ({ id, name, goal }: SessionNameProps) => (
  <>
    <a class="strong" href={to(['session', id, 'timeline'])}>
      {name}
    </a>
    {goal === null || goal === '' ? null : (
      <span class="sub">{goal.length > MOST ? `${beginningOf(goal, MOST)}…` : goal}</span>
    )}
  </>
)
