/*
 * The text of a commit's line up to its hash. Member order is part of the format.
 *
 *   {"v":1,"seq":…,"at":"…","id":"…"  ,"actor":…,"op":…,"cause":…  ,"events":[  …  ]  ,"prev":"<64>"
 *   └────────── numbers ───────────┘  └────────── who ─────────┘              events
 *
 * What most lines have in common is made once: who asks for what, the types of events and the names of their members.
 */
import { jsonText } from '../json/json.ts'
import { cachedByText } from '../text/cache.ts'
import type { Draft, Event } from './commit.ts'

/** The pieces that hold words of others. */
export interface Words {
  readonly who: string
  readonly events: string
}

export const wordsOf = (draft: Draft): Words => ({ who: whoText(draft), events: eventsText(draft.events) })

export function lineText({ seq, at, id }: Draft, { who, events }: Words, prev: string): string {
  return `{"v":1,"seq":${decimal(seq)},"at":"${at}","id":"${id}",${who}"events":[${events}],"prev":"${prev}"`
}

/** Of a number that does not come again: V8 keeps the text of each that it writes, and these for long. */
function decimal(seq: number): string {
  const rest = seq % 1000
  return seq < 1000 ? String(seq) : `${(seq - rest) / 1000}${String(rest).padStart(3, '0')}`
}

const KNOWN = 500
const typeText = cachedByText(KNOWN, (type) => `{"type":${jsonText(type)},"data":`)
const nameText = cachedByText(KNOWN, (name) => `${jsonText(name)}:`)

let last = { actor: '', op: '', text: '' }

/** The same string as long as the same actor asks for the same. */
function whoText({ actor, op, cause, key, reason, own }: Draft): string {
  if (cause !== null || key !== undefined || reason !== undefined || own !== undefined) {
    const optional =
      (key === undefined ? '' : `"key":${jsonText(key)},`) +
      (reason === undefined ? '' : `"reason":${jsonText(reason)},`) +
      (own === undefined ? '' : `"own":[${own.join(',')}],`)
    return `"actor":${jsonText(actor)},"op":"${op}","cause":${jsonText(cause)},${optional}`
  }
  if (actor !== last.actor || op !== last.op)
    last = { actor, op, text: `"actor":${jsonText(actor)},"op":"${op}","cause":null,` }
  return last.text
}

function eventsText(events: readonly Event[]): string {
  let text = ''
  for (const { type, data } of events) text += `${text === '' ? '' : ','}${typeText(type)}${dataText(data)}}`
  return text
}

/** Member by member, since the largest is often one text. */
function dataText(data: unknown): string {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return jsonText(data)
  let text = ''
  // Plain JSON: its prototype adds nothing.
  for (const name in data)
    text += `${text === '' ? '{' : ','}${nameText(name)}${jsonText((data as Readonly<Record<string, unknown>>)[name])}`
  return text === '' ? '{}' : `${text}}`
}
