import { sliceOf } from '../../kernel/state/module.ts'
import { dangling, missingAgent, placeOf, type References } from '../../kernel/state/references.ts'
import type { SessionSlice } from '../session/events.ts'
import { locksOf } from './locks.ts'

/** Holders and waiters that went. */
export const references: References = (root) => {
  const slice = locksOf(root)
  const ended = sliceOf<SessionSlice>(root, 'session')?.lifecycle.status === 'terminated'
  const advice = ended ? '' : '; steadfold lock break frees it'
  const own = Object.values(slice?.resources ?? {}).flatMap(({ resource, holders, queue }) =>
    [...holders, ...queue].flatMap(({ holder }, at) => {
      const gone = missingAgent(root, holder.startsWith('agent:') ? holder : null)
      const member = at < holders.length ? 'holders' : 'queue'
      const place = placeOf('$.communication.locks.resources', resource, member)
      return gone === undefined
        ? []
        : [dangling(place, `agent ${gone}`, `nobody is registered under that name${advice}`)]
    }),
  )
  const stale = Object.keys(slice?.deadlines.places ?? {}).filter(
    (name) => !Object.hasOwn(slice?.resources ?? {}, name),
  )
  return [...own, ...stale.map((name) => dangling('$.communication.locks.deadlines', `lock ${name}`))]
}
