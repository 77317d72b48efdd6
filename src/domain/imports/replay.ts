/*
 * Events that say what a session document holds, told again over it.
 *
 *   state_updated  path, new_value          task_created  task_id, task_data          agent_spawned  agent_id, agent_data
 *
 * R1. They are told in the order of the file; what is set to null is gone.
 * R2. A path that begins outside the document, or is none, says nothing of it.
 * R3. A task changed when its status was told, whatever it says of an earlier change.
 */
import { parsePath, type Keys } from '../../kernel/path/path.ts'
import { replaying } from '../../kernel/state/edit.ts'
import { removeAt, setAt } from '../../kernel/state/write-path.ts'
import { bodyOf, kindOf } from './event-kind.ts'
import { isMembers, textOf, type Members } from './members.ts'

const SECTIONS: ReadonlySet<unknown> = new Set(
  'session organization execution communication observability persistence'.split(' '),
)

/** What they make of the document, and the events that say nothing of it. */
export function replayed(document: Members, events: readonly Members[]) {
  const after: Record<string, unknown> = structuredClone(document)
  const rest = events.filter((event) => {
    const change = changeOf(event)
    if (change?.value === null) removeAt(after, change.keys, replaying)
    else if (change !== undefined) setAt(after, change.keys, change.value, replaying)
    if (typeof change?.value === 'string' && isStatus(change.keys))
      setAt(after, [...change.keys.slice(0, 3), 'updated_at'], event['timestamp'], replaying)
    return change === undefined
  })
  return { document: after, rest, taken: events.length - rest.length }
}

/** R3. */
const isStatus = (keys: Keys): boolean =>
  keys.length === 4 && keys[0] === 'execution' && keys[1] === 'tasks' && keys[3] === 'status'

interface Change {
  readonly keys: Keys
  readonly value: unknown
}

function changeOf(event: Members): Change | undefined {
  const body = bodyOf(event)
  switch (kindOf(event).join('_')) {
    case 'state_updated':
      return 'new_value' in body ? changed(textOf(body['path']) ?? '', body['new_value']) : undefined
    case 'task_created':
      return added(['execution', 'tasks'], body['task_id'], body['task_data'])
    case 'agent_spawned':
      return added(['execution', 'agents', 'active'], body['agent_id'], body['agent_data'])
    default:
      return undefined
  }
}

const added = (place: Keys, id: unknown, value: unknown): Change | undefined =>
  typeof id === 'string' && isMembers(value) && keysOf(id) !== undefined ? { keys: [...place, id], value } : undefined

/** R2. */
function changed(path: string, value: unknown): Change | undefined {
  const keys = keysOf(path)
  return keys !== undefined && SECTIONS.has(keys[0]) ? { keys, value } : undefined
}

function keysOf(path: string): Keys | undefined {
  try {
    return parsePath(path)
  } catch {
    return undefined
  }
}
