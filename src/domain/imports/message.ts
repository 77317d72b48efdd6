/* One message of a message bus that keeps each in a file. Whom it is for finds it in the inbox, with who sent it and when. */
import type { Importer } from '../../kernel/exchange/importer.ts'
import { isMembers, membersOf, stemOf, textOf, textsOf } from './members.ts'

const PRIORITIES: ReadonlySet<string> = new Set(['critical', 'high', 'normal', 'low'])
const TYPES: ReadonlySet<string> = new Set([
  'task_assigned',
  'task_completed',
  'question',
  'answer',
  'handoff',
  'alert',
])

export const busMessage: Importer = {
  kind: 'message',
  summary: 'a message of a bus: id, timestamp, from, to, type, payload',
  detects: ({ value }) =>
    isMembers(value) && ['id', 'from', 'type', 'timestamp'].every((each) => textOf(value[each])) && 'payload' in value,
  read: ({ value, path }) => {
    const { id, timestamp, from, to, type, payload, priority } = membersOf(value)
    const known = String(type).toLowerCase()
    const weight = textOf(priority)?.toLowerCase() ?? 'normal'
    const people = textOf(to) === undefined ? textsOf(to) : [textOf(to) ?? '']
    return {
      group: `message-${textOf(id) ?? stemOf(path)}`,
      rows: [{ what: 'message', count: 1, becomes: 'a message in the inbox of whom it is for' }],
      problems: [
        ...(TYPES.has(known)
          ? []
          : [`the type "${String(type)}" is none here; it is an alert, and keeps its own inside`]),
        ...(PRIORITIES.has(weight) ? [] : [`the priority "${weight}" is none here; it is normal`]),
      ],
      requests: [
        {
          op: 'message.send',
          input: {
            to: people,
            channel: people.length === 0 ? 'broadcast' : 'direct',
            type: TYPES.has(known) ? known : 'alert',
            priority: PRIORITIES.has(weight) ? weight : 'normal',
            payload: { id, from, timestamp, type, payload },
          },
        },
      ],
    }
  },
}
