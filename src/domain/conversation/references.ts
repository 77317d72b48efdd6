import { sliceOf } from '../../kernel/state/module.ts'
import { dangling, placeOf, type References } from '../../kernel/state/references.ts'
import type { ConversationSlice } from './events.ts'

/** Events in conversations that are not there. A reply may come before what it answers: its parent is no matter of this. */
export const references: References = (root) => {
  const slice = sliceOf<ConversationSlice>(root, 'conversation')
  if (slice === undefined) return []
  const { places, held, threads, due } = slice
  const lost = Object.entries(places).filter(([, id]) => !Object.hasOwn(threads, id))
  const stale = Object.keys(due.places).filter((event) => !Object.hasOwn(held, event))
  return [
    ...lost.map(([event, id]) => dangling(placeOf('$.conversation.places', event), `conversation ${id}`)),
    ...stale.map((event) => dangling('$.conversation.due', `event ${event}`)),
  ]
}
