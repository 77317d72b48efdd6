import * as z from 'zod/mini'
import { EngineError } from '../../kernel/error.ts'
import { numbered, twenty, type Depot } from './depot.ts'

const count = z.int().check(z.minimum(1))
const hash = z.string().check(z.regex(/^[a-f0-9]{64}$/))
const head = z.object({ v: z.literal(1), first: count, last: count, prev: hash, head: hash })

/** An increment in the chain of a session. What it says is believed when the increment itself says the same, signed. */
export type Head = z.output<typeof head>

const headsOf = (id: string): string => `sessions/${id}/heads/`

export const headName = (id: string, first: number): string => `${headsOf(id)}${twenty(first)}`

export const commitsName = (id: string, each: Pick<Head, 'first' | 'last' | 'head'>): string =>
  `sessions/${id}/commits/${twenty(each.first)}-${twenty(each.last)}-${each.head}`

export const headBytes = (each: Head): Buffer => Buffer.from(`${JSON.stringify(each)}\n`)

/** Those that begin with the commit `first` or behind it, in order. */
export async function headsFrom(depot: Depot, id: string, first: number): Promise<readonly Head[]> {
  const names = await numbered(depot, headsOf(id), headName(id, first - 1))
  const read: (Head | undefined)[] = []
  for (const name of names) read.push(await headAt(depot, id, name))
  // One that is damaged leaves a gap, which is told where it is met; behind the last there is nothing to meet.
  if (names.length > 0 && read.at(-1) === undefined) throw broken(id, Number(names.at(-1)?.slice(headsOf(id).length)))
  return read.filter((each) => each !== undefined)
}

export const broken = (id: string, seq: number): EngineError =>
  new EngineError('LOG_CORRUPT', `what is over there of session ${id} does not hold together at commit ${seq}`, {
    hint: 'an object was lost or changed: bring it back from a copy, or begin another place',
  })

/** Undefined where nothing is there yet: whoever began to push it was stopped before its first increment. */
export async function lastHead(depot: Depot, id: string): Promise<Head | 'damaged' | undefined> {
  const last = (await numbered(depot, headsOf(id))).at(-1)
  return last === undefined ? undefined : ((await headAt(depot, id, last)) ?? 'damaged')
}

/** Undefined when it is damaged. */
async function headAt(depot: Depot, id: string, name: string): Promise<Head | undefined> {
  const bytes = await depot.get(name)
  const parsed = bytes === undefined ? undefined : head.safeParse(jsonOf(bytes))
  return parsed?.success === true && headName(id, parsed.data.first) === name ? parsed.data : undefined
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
