/*
 * A session from elsewhere, or from the archive, in one transaction: who is killed leaves nothing.
 *
 * Lines without the row of an end, as an earlier version left them, are seen by nobody; who lands the session again takes
 * them for its own if they are the same. Where there are more of them than come, the session ends with the last that is
 * there (begin.ts).
 */
import { EngineError } from '../../kernel/error.ts'
import { sessionThere } from '../../kernel/names.ts'
import type { Here, Host, Landed } from '../../kernel/ports.ts'
import { checkedId } from '../../kernel/text/session-id.ts'
import { BEGIN, SEAL } from './begin.ts'
import type { Ask } from './database.ts'
import { blobs } from './stores.ts'

const NEWLINE = 0x0a
const AT_ONCE = 1024 * 1024

const LINES = `with lines as (
  select n, upto, lag(upto, 1, 0) over (order by n) as below from unnest($7::int[]) with ordinality as t (upto, n)
) insert into steadfold.commits (namespace, session, seq, segment, starts, line)
select $1, $2, $3::bigint + n, $4, $5::bigint + below, substring($6::bytea from below + 1 for upto - below) from lines
where not exists (select from steadfold.sessions where namespace = $1 and session = $2)
on conflict do nothing`

const SAME = `select coalesce(string_agg(line, ''::bytea order by seq) = $5::bytea, false) as same
from steadfold.commits where namespace = $1 and session = $2 and seq > $3 and seq <= $4`

const THERE = 'select from steadfold.sessions where namespace = $1 and session = $2'

interface End {
  readonly seq: number
  readonly segment: number
  readonly ends: number
}

export interface Landing {
  /** Of the transaction. */
  readonly ask: Ask
  readonly sha256: Host['sha256']
  readonly here: Here | undefined
}

export async function landSession(to: Landing, id: string, files: AsyncIterable<Landed>): Promise<readonly string[]> {
  const { ask, sha256, here } = to
  if ((await ask(THERE, checkedId(id))).length > 0) throw sessionThere(id)
  let end: End = { seq: 0, segment: 1, ends: 0 }
  const beside: string[] = []
  for await (const { path, chunks } of files) {
    if (path.startsWith('log/')) end = await landLines(ask, id, chunks, end)
    else if (path.startsWith('blobs/')) await blobs(ask, sha256).put(id, await all(chunks))
    else if (here !== undefined) beside.push(await here.keep(id, { path, chunks }))
  }
  if ((await ask(BEGIN, id)).length === 0) throw sessionThere(id)
  return beside
}

/** As many whole lines at once as make a statement of a good size. */
async function landLines(ask: Ask, id: string, chunks: Landed['chunks'], before: End): Promise<End> {
  let [end, rest] = [before, Buffer.alloc(0)]
  const put = async (least: number) => {
    const upto = rest.length >= least ? rest.lastIndexOf(NEWLINE) + 1 : 0
    if (upto > 0) end = await putLines(ask, id, rest.subarray(0, upto), end)
    rest = rest.subarray(upto)
  }
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk])
    await put(AT_ONCE)
  }
  await put(1)
  return end
}

async function putLines(ask: Ask, id: string, bytes: Buffer, { seq, segment, ends }: End): Promise<End> {
  const cuts: number[] = []
  for (let at = 0; at < bytes.length; cuts.push(at)) at = bytes.indexOf(NEWLINE, at) + 1
  await ask(LINES, id, seq, segment, ends, bytes, `{${cuts.join()}}`)
  const last = seq + cuts.length
  const [row] = await ask(SAME, id, seq, last, bytes)
  // Somebody else has landed it meanwhile.
  if (row?.['same'] !== true && (await ask(THERE, id)).length > 0) throw sessionThere(id)
  if (row?.['same'] !== true)
    throw new EngineError('DIVERGED', `other lines of session ${id} are in the table than those that come`, {
      hint: `the owner of the tables takes them away: delete from steadfold.commits where session = '${id}'`,
    })
  const tail = bytes.toString('latin1', cuts.at(-2) ?? 0)
  const isSeal = tail.slice(0, tail.lastIndexOf(',"prev":"')).endsWith(SEAL)
  return isSeal ? { seq: last, segment: last + 1, ends: 0 } : { seq: last, segment, ends: ends + bytes.length }
}

async function all(chunks: Landed['chunks']): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}
