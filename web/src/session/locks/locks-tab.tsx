/** Who holds what, who waits for it, and work that goes from agent to agent. */
import { Handoffs } from './handoffs.tsx'
import { Locks } from './locks.tsx'

export const LocksTab = () => (
  <>
    <Locks />
    <Handoffs />
  </>
)
