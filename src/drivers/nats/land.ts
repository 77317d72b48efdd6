/*
 * A session from elsewhere, or from the archive: its lines first, then the key with which it is there.
 *
 * Messages without a key are seen by nobody; who lands the session again takes them for its own if they are the same.
 */
import { EngineError } from '../../kernel/error.ts'
import type { Shelf } from '../../kernel/log/archived.ts'
import { START } from '../../kernel/log/chain.ts'
import { sessionThere } from '../../kernel/names.ts'
import type { Appended, BlobStore, Encoded, Here, Host, Landed, Lines, Log, Position } from '../../kernel/ports.ts'
import { checkedId } from '../../kernel/text/session-id.ts'
import { readyFor } from './archive.ts'
import { patiently, type Connection } from './connection.ts'
import { isStale } from './failure.ts'
import { listKey, tokenOf } from './subject.ts'

const NEWLINE = 0x0a
const AT_ONCE = 256 * 1024
const SEAL = '{"type":"log.sealed","data":{}}]'

export interface Landing {
  readonly connection: Connection
  readonly sha256: Host['sha256']
  readonly here: Here | undefined
  readonly blobs: BlobStore
  readonly log: Pick<Log, 'exists' | 'stands'>
  /** Whether it is in the list or not. */
  readonly append: (session: string, batch: Lines, after: Position) => Promise<Appended>
}

export async function landSession(to: Landing, id: string, files: AsyncIterable<Landed>): Promise<readonly string[]> {
  const { connection, log, blobs, here } = to
  if (await log.exists(checkedId(id))) throw sessionThere(id)
  await readyFor(connection, id)
  let end = START
  const beside: string[] = []
  for await (const { path, chunks } of files) {
    if (path.startsWith('log/')) end = await landLines(to, id, chunks, end)
    else if (path.startsWith('blobs/')) await blobs.put(id, await all(chunks))
    else if (here !== undefined) beside.push(await here.keep(id, { path, chunks }))
  }
  await patiently(connection.address, 'cannot list the session', () =>
    connection.keys.create(listKey(id), '').catch((error: unknown) => {
      throw isStale(error) ? sessionThere(id) : error
    }),
  )
  return beside
}

/** As many whole lines at once as make a message of a good size. */
async function landLines(to: Landing, id: string, chunks: Landed['chunks'], before: Position): Promise<Position> {
  let [end, rest] = [before, Buffer.alloc(0)]
  const put = async (least: number) => {
    const upto = rest.length >= least ? rest.lastIndexOf(NEWLINE) + 1 : 0
    if (upto > 0) end = await landBatch(to, id, linesIn(rest.subarray(0, upto), end.seq), end)
    rest = rest.subarray(upto)
  }
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk])
    await put(AT_ONCE)
  }
  await put(1)
  return end
}

async function landBatch(to: Landing, id: string, batch: Lines, after: Position): Promise<Position> {
  const appended = await to.append(id, batch, after)
  if (appended.kind === 'appended' && appended.position.seq === batch.lines.at(-1)?.seq) return appended.position
  let position = after
  for (const line of batch.lines) position = await landLine(to, id, lineOf(batch, line, position), position)
  return position
}

/** One that may be there: a part of the batch was landed by who was killed. */
async function landLine(to: Landing, id: string, one: Lines, after: Position): Promise<Position> {
  const [line] = one.lines
  if (line === undefined) return after
  const { seq, hash, seal } = line
  const end = seal
    ? { seq, hash, segment: seq + 1, offset: 0 }
    : { seq, hash, segment: after.segment, offset: after.offset + one.bytes.length }
  const stands = await to.log.stands(id, end)
  if (stands === 'yes') return end
  const appended = stands === 'short' ? await to.append(id, one, after) : undefined
  if (appended?.kind === 'appended') return appended.position
  throw new EngineError('DIVERGED', `other lines of session ${id} are in the stream than those that come`, {
    hint: `who owns the stream takes them away: nats stream purge ${to.connection.stream} --subject ${subjectOf(to, id)}`,
  })
}

const subjectOf = ({ connection }: Landing, id: string): string =>
  `steadfold.${connection.address.namespace}.log.${tokenOf(id)}`

function linesIn(bytes: Buffer, seq: number): Lines {
  const lines: Encoded[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, at) + 1
    const text = bytes.toString('latin1', at, end)
    const seal = text.slice(0, text.lastIndexOf(',"prev":"')).endsWith(SEAL)
    lines.push({ seq: seq + lines.length + 1, hash: text.slice(-67, -3), end, seal })
    at = end
  }
  return { lines, bytes }
}

function lineOf({ lines, bytes }: Lines, line: Encoded, { seq }: Position): Lines {
  const begin = lines.findLast((each) => each.seq <= seq)?.end ?? 0
  const cut = bytes.subarray(begin, line.end)
  return { lines: [{ ...line, end: cut.length }], bytes: cut }
}

async function all(chunks: Landed['chunks']): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

/** Its files in the order in which they are landed. */
export async function* unpacked(shelf: Shelf, archived: string, parts: readonly string[]): AsyncGenerator<Landed> {
  const take = async (path: string, kind: 'log' | 'blob', name: string): Promise<Landed> => ({
    path,
    chunks: [(await shelf.part(archived, kind, name)) ?? Buffer.alloc(0)],
  })
  for (const first of await shelf.segments(archived)) yield take(`log/${first}`, 'log', String(first))
  for (const part of parts) if (part.startsWith('blob/')) yield take(`blobs/${part.slice(5)}`, 'blob', part.slice(5))
}
