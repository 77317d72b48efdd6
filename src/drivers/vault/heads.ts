import * as z from 'zod/mini'
import { twenty, type Depot } from './depot.ts'

const count = z.int().check(z.minimum(1))
const hash = z.string().check(z.regex(/^[a-f0-9]{64}$/))
const head = z.object({ v: z.literal(1), first: count, last: count, prev: hash, head: hash })

/** An increment in the chain of a session. What it says is believed when the increment itself says the same, signed. */
export type Head = z.output<typeof head>

export const headName = (id: string, first: number): string => `sessions/${id}/heads/${twenty(first)}`

export const commitsName = (id: string, each: Pick<Head, 'first' | 'last' | 'head'>): string =>
  `sessions/${id}/commits/${twenty(each.first)}-${twenty(each.last)}-${each.head}`

export const headBytes = (each: Omit<Head, 'v'>): Buffer => Buffer.from(`${JSON.stringify({ v: 1, ...each })}\n`)

/** Those that begin behind the commit `seq`, in order. */
export async function headsBehind(depot: Depot, id: string, seq: number): Promise<readonly Head[]> {
  const prefix = `sessions/${id}/heads/`
  const found: Head[] = []
  for (const name of await depot.list(prefix, headName(id, seq))) {
    const bytes = await depot.get(name)
    const parsed = bytes === undefined ? undefined : head.safeParse(jsonOf(bytes))
    // One that is damaged leaves a gap, which is told where it is met.
    if (parsed?.success === true && headName(id, parsed.data.first) === name) found.push(parsed.data)
  }
  return found
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
