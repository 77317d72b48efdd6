import { sliceOf } from '../../kernel/state/module.ts'
import type { TurnsSlice } from '../turns/events.ts'
import { turnsNeedingPerson } from '../turns/views.ts'
import { command, type Found, type Looked } from './need.ts'

/** Channels that their guard against loops has stopped. */
export function channelNeeds(looked: Looked): readonly Found[] {
  const slice = sliceOf<TurnsSlice>(looked.seen.state, 'turns')
  return turnsNeedingPerson(slice, looked.now).map(({ channel, trip, why, since }) => ({
    kind: 'STOPPED',
    what: `channel ${channel}`,
    why: why === '' ? `too many ${trip ?? 'turns'}` : why,
    since,
    next: command(looked, 'turn', 'resume', channel),
  }))
}
