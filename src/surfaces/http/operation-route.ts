/*
 * `POST /v1/sessions/{id}/{operation}`: the body is the input of the operation. How it is asked for stands in headers,
 * or beside the input in members that begin with `$`, which no input has.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { EngineError } from '../../kernel/error.ts'
import type { Members } from '../../kernel/json/members.ts'
import type { Answer, RunOptions } from '../../kernel/operation/answer.ts'
import type { Answered } from './answer.ts'
import { checkedActor, usage, type Asked, type Options, type Route } from './route.ts'

export interface Option {
  readonly field: keyof RunOptions
  readonly header: string
  readonly member: string
  readonly type: 'string' | 'integer' | 'boolean'
  readonly summary: string
}

export const OPTIONS: readonly Option[] = [
  {
    field: 'key',
    header: 'Idempotency-Key',
    member: '$key',
    type: 'string',
    summary: 'do it once for this key, however often it is asked',
  },
  {
    field: 'ifSeq',
    header: 'Steadfold-If-Seq',
    member: '$if_seq',
    type: 'integer',
    summary: 'only if the session stands at this sequence number',
  },
  {
    field: 'actor',
    header: 'Steadfold-Actor',
    member: '$actor',
    type: 'string',
    summary: 'who asks: human:NAME, agent:NAME or tool:NAME',
  },
  { field: 'reason', header: 'Steadfold-Reason', member: '$reason', type: 'string', summary: 'why, kept in the log' },
  {
    field: 'cause',
    header: 'Steadfold-Cause',
    member: '$cause',
    type: 'string',
    summary: 'id of the commit that led to this one',
  },
  {
    field: 'dryRun',
    header: 'Steadfold-Dry-Run',
    member: '$dry_run',
    type: 'boolean',
    summary: 'say what would be written, and write nothing',
  },
  {
    field: 'at',
    header: 'Steadfold-At',
    member: '$at',
    type: 'string',
    summary: 'for reads: as it was at 17, @-3, a mark, 2h or an ISO time',
  },
]

/** Runs the operation that the path names. */
export async function runOperation(asked: Asked, name: string): Promise<Answered> {
  const { options } = asked
  const operation = await asked.desk.kernel.operations.get(name)
  if (operation === undefined)
    throw new EngineError('OPERATION_UNKNOWN', `there is no operation ${JSON.stringify(name)}`, {
      hint: 'GET /v1/openapi.json lists them',
    })
  if (operation.kind === 'write' && options.at !== undefined)
    throw usage(`${name} writes, and the past stays as it is`, 'leave $at out')
  const data = await asked.desk.ask(asked.id, async (session) =>
    acceptedData(await session.run(name, asked.body, options), options),
  )
  return { schema: name, data }
}

export function acceptedData(answer: Answer, { dryRun }: RunOptions) {
  if (answer.kind === 'refused') throw new EngineError(answer.code, answer.message, answer)
  const { seq, events, value, repeated } = answer
  return {
    seq,
    events,
    value,
    ...(repeated === true ? { repeated } : {}),
    ...(dryRun === true && events.length > 0 ? { dry_run: true } : {}),
  }
}

const MEMBERS = new Set(OPTIONS.map(({ member }) => member))

export const inputOf = (body: Members): Members =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !MEMBERS.has(name)))

/** What a route would pass over is refused: a dry run that was not heard of would write. */
export function assertTaken(
  { method, name, takes = [] }: Pick<Route, 'method' | 'name' | 'takes'>,
  options: Options,
): void {
  const known: readonly string[] = [...takes, ...(method === 'get' ? WITHOUT_WRITING : ['actor'])]
  for (const { field, header, member } of OPTIONS)
    if (options[field] !== undefined && !known.includes(field))
      throw usage(`${name} takes no ${header}, nor ${member}`, 'leave it out; GET /v1/openapi.json shows what it takes')
}

/** What concerns only what is written. */
const WITHOUT_WRITING = ['actor', 'key', 'reason', 'cause', 'dryRun'] satisfies (keyof RunOptions)[]

/** From headers and members; what is given both ways must be the same. */
export function optionsOf(headers: IncomingHttpHeaders, body: Members, actor: string): Options {
  assertKnown(headers)
  const found = OPTIONS.map((option) => [option.field, valueOf(option, headers, body)] as const)
  const given = Object.fromEntries(found.filter(([, value]) => value !== undefined)) as RunOptions
  return { ...given, actor: given.actor === undefined ? actor : checkedActor(given.actor) }
}

const NAMES: readonly string[] = OPTIONS.map(({ header }) => header)
const KNOWN = new Set(NAMES.map((name) => name.toLowerCase()))

/** As for members: what is misspelt would be passed over. */
function assertKnown(headers: IncomingHttpHeaders): void {
  for (const name in headers)
    if (name.startsWith('steadfold-') && !KNOWN.has(name))
      throw usage(`there is no header ${JSON.stringify(name)}`, `there are: ${NAMES.join(', ')}`)
}

function valueOf(option: Option, headers: IncomingHttpHeaders, body: Members): unknown {
  const text = headers[option.header.toLowerCase()]
  const header = typeof text === 'string' ? fromHeader(option, asSent(text)) : undefined
  const member = Object.hasOwn(body, option.member) ? checked(option, body[option.member]) : undefined
  if (header !== undefined && member !== undefined && header !== member)
    throw usage(`${option.header} and ${option.member} differ`, 'give one of them')
  return member ?? header
}

/** Node takes each byte of a header for a character; programs send UTF-8. */
function asSent(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, 'latin1'))
  } catch {
    return text
  }
}

function fromHeader(option: Option, text: string): unknown {
  if (option.type === 'string') return text
  if (option.type === 'boolean') return checked(option, text === 'true' || (text === 'false' ? false : text))
  return checked(option, /^\d{1,15}$/.test(text) ? Number(text) : text)
}

function checked({ type, member }: Option, value: unknown): unknown {
  const fits = type === 'integer' ? Number.isInteger(value) && Number(value) >= 0 : typeof value === type
  if (fits) return value
  throw usage(
    `${member} takes ${type === 'integer' ? 'a sequence number' : `a ${type}`}, not ${JSON.stringify(value)}`,
    'see docs/reference/http.md',
  )
}
