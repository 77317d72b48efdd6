/*
 * Events in words, on one line: what they are about comes first; keys of steps are told by the step's name.
 */
import { membersOf, type Members } from '../../../kernel/json/members.ts'
import type { Event } from '../../../kernel/log/commit.ts'
import type { Session } from '../../../kernel/session.ts'
import { duration } from '../../../kernel/text/duration.ts'
import { brief, count, cut, momentOf, plain } from './text.ts'
import { textAt } from './view.ts'

type NameOf = (key: string) => string | undefined
type Data = Members

/** Events behind the first name a step by its key alone. */
export function stepNames(session: Session | undefined): NameOf {
  const ledger = membersOf(session?.get('$.steps.ledger'))
  return (key) => textAt(membersOf(ledger[key])['name']) ?? undefined
}

/** A move that is intended and done in one commit is said once. */
export function sayEvents(events: readonly Event[], nameOf: NameOf = () => undefined): string {
  return [...new Set(events.map(({ type, data }) => sayEvent(type, membersOf(data), nameOf)))].join(', ')
}

function sayEvent(type: string, data: Data, nameOf: NameOf): string {
  const { path, value, name, from, to, values, key } = data
  if (type === 'data.set') return `${String(path)} = ${brief(value, 200)}`
  if (type === 'data.deleted') return `deleted ${String(path)}`
  if (type === 'output.set') return `${String(name)} = ${brief(value, 200)}`
  if (type === 'chat.received') return sayChat(data)
  if (type === 'output.imported') return plain(Object.keys(membersOf(values)).join(', '))
  if (type === 'output.removed' && Array.isArray(data['names'])) return plain(`removed ${data['names'].join(', ')}`)
  if (type === 'task.archived' && Array.isArray(data['ids'])) return `archived ${count(data['ids'].length, 'task')}`
  if (typeof from === 'string' && typeof to === 'string') return plain(`${from} → ${to}`)
  // A breaker belongs to a family of steps.
  const isStep = type.startsWith('step.') && (key !== undefined || name !== undefined)
  return isStep ? sayStep(verbOf(type), data, nameOf) : `${verbOf(type)}${sayMembers(data)}`
}

/** `login: which hash?`, `login: opened`, `login: 12 events` */
function sayChat({ conversation, events }: Data): string {
  const all: readonly unknown[] = Array.isArray(events) ? events : []
  const said = all.length === 1 ? cut(saidIn(membersOf(all[0])), 120) : `${all.length} events`
  return plain(`${short(String(conversation))}: ${said}`)
}

/** An event without a text says by a tag what it is for, or begins a conversation that has no title. */
function saidIn({ content, tags }: Data): string {
  if (content !== '') return String(content)
  const all: readonly (readonly unknown[])[] = Array.isArray(tags) ? tags.filter((each) => Array.isArray(each)) : []
  const telling = all.find(([name]) => SAYING.test(String(name)))
  if (telling !== undefined) return telling.join(' ')
  return all.some(([name]) => /^(e|prev)$/i.test(String(name))) ? 'no text' : 'opened'
}

const SAYING = /^(phase|route|complete|title|member|archive|merge|tool|tool-result)$/

const verbOf = (type: string): string => type.slice(type.indexOf('.') + 1)

/** `failed lint (attempt 2): exit 1`, `finished lint in 4s, 120 tokens` */
function sayStep(verb: string, { key, name, attempt, reason, duration_ms, tokens }: Data, nameOf: NameOf): string {
  const step = textAt(name) ?? nameOf(String(key)) ?? String(key).slice(0, 8)
  const again = typeof attempt === 'number' && attempt > 1 ? ` (attempt ${attempt})` : ''
  const took = typeof duration_ms === 'number' ? ` in ${duration(duration_ms)}` : ''
  const cost = typeof tokens === 'number' && tokens > 0 ? `, ${count(tokens, 'token')}` : ''
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : ''
  return plain(`${verb} ${step}${again}${took}${cost}${why}`)
}

/** Plain members, then what stands in settings and in lists of words. */
function sayMembers({ name, ...others }: Data): string {
  const all: readonly Member[] = Object.entries({ ...(name === undefined ? {} : { name }), ...others })
  const shown = [...all.filter(([, each]) => typeof each !== 'object'), ...all.flatMap(inside)]
  return shown.map(([key, each]) => ` ${key}=${sayMember(key, each)}`).join('')
}

type Member = readonly [key: string, value: unknown]
const MOST_INSIDE = 12

function inside([key, value]: Member): readonly Member[] {
  if (Array.isArray(value)) return areWords(value) ? [[key, value.slice(0, MOST_INSIDE).join(',')]] : []
  const members = Object.entries(membersOf(value)).slice(0, MOST_INSIDE)
  return members.filter(([, each]) => each !== null && typeof each !== 'object')
}

const areWords = (values: readonly unknown[]): boolean =>
  values.length > 0 && values.every((each) => typeof each === 'string')

const sayMember = (key: string, each: unknown): string =>
  momentOf(key, each) ?? (typeof each === 'string' ? short(each) : JSON.stringify(each))

/** Hashes and ids are told by their beginning. */
const short = (text: string): string => cut(plain(/^[0-9a-f]{40,}$/.test(text) ? text.slice(0, 8) : text), 60)
