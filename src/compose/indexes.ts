import { indexesOf } from '../kernel/document/indexes.ts'

/** Places that say again, in another order, what stands elsewhere; `*` is any key. */
export const isIndex = indexesOf([
  'execution.agents.leases',
  'execution.agents.types',
  'execution.task_index',
  'communication.locks.deadlines',
  'communication.messages.deadlines',
  'communication.messages.inboxes.*.ready',
  'turns.deadlines',
  'turns.present',
  'conversation.due',
  'conversation.places',
  'conversation.spoke',
])
