/*
 * A session, packed: each segment, blob and checkpoint an object, compressed, and last the list of them.
 *
 *   =parcel/<uuid>/log/<first>   …/blob/<sha-256>   …/checkpoint/   …/parts
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import { EngineError } from '../../kernel/error.ts'
import { damaged } from '../../kernel/log/archived.ts'
import type { BlobStore, CheckpointStore } from '../../kernel/ports.ts'
import { patiently, type Connection } from './connection.ts'
import { drop, objectsIn } from './objects.ts'
import { walk } from './run.ts'
import { blobOf } from './stores.ts'
import { BEGINNING, counts, isClosing, tokenOf, type Message, type Place, type Subject } from './subject.ts'

const PARTS = 'parts'
/** No id of a session, as part of a name, begins so. */
export const PARCELS = '=parcel/'

/** Those of the chain itself are no blobs. */
const HASH = /(?<!"(?:prev|hash)":)"([0-9a-f]{64})"/g

export interface Packing {
  readonly connection: Connection
  readonly log: { readonly checkpoints: CheckpointStore; readonly blobs: BlobStore }
}

/** Where a log ends, and what comes behind. */
export interface Packed {
  readonly end: Place
  readonly segment: number
  readonly offset: number
  /** Number of the message that closed it. */
  readonly closed: number | undefined
}

export async function pack(packing: Packing, subject: Subject, parcel: string, last: Message): Promise<Packed> {
  const { connection, log } = packing
  const { session } = subject
  const parts: string[] = []
  const put = async (part: string, bytes: Uint8Array) => {
    await putPart(connection, `${PARCELS}${parcel}/${part}`, bytes)
    parts.push(part)
  }
  const listed = await objectsIn(connection, `${tokenOf(session)}/`)
  const hashes = new Set(listed.map(({ name }) => name.slice(-64)))
  const packed = await packLines(connection, subject, last, async (first, bytes) => {
    await put(`log/${first}`, bytes)
    // A list that is cut short must not cost a blob.
    for (const [, hash = ''] of bytes.toString('latin1').matchAll(HASH)) hashes.add(hash)
  })
  for (const hash of hashes) {
    const bytes = await log.blobs.get(session, hash)
    if (bytes !== undefined) await put(`blob/${hash}`, bytes)
  }
  const checkpoint = await log.checkpoints.get(session)
  if (checkpoint !== undefined) await put('checkpoint/', checkpoint)
  await putPart(connection, `${PARCELS}${parcel}/${PARTS}`, Buffer.from(JSON.stringify(parts)))
  return packed
}

/** Segment by segment; those that lost a race stay behind. */
async function packLines(
  connection: Connection,
  subject: Subject,
  last: Message,
  put: (first: number, bytes: Buffer) => Promise<void>,
): Promise<Packed> {
  let packed: Packed = { end: BEGINNING, segment: 1, offset: 0, closed: undefined }
  let lines: Buffer[] = []
  for await (const { message, before, now } of walk(connection, subject, { from: packed.end, end: last })) {
    const { segment, offset, bytes, stream } = message
    if (!counts(message, before)) continue
    if (isClosing(message)) packed = { ...packed, closed: stream }
    else {
      if (segment !== packed.segment) {
        await put(packed.segment, Buffer.concat(lines))
        lines = []
      }
      lines.push(Buffer.from(bytes))
      packed = { end: now, segment, offset: offset + bytes.length, closed: undefined }
    }
  }
  // What it closes was taken away meanwhile: one that lost a race does not begin behind the next commit.
  if (isClosing(last) && last.first > packed.end.seq + 1) throw putAway(subject.session)
  if (lines.length > 0) await put(packed.segment, Buffer.concat(lines))
  return { ...packed, end: { ...packed.end, stream: last.stream } }
}

const putAway = (session: string): EngineError =>
  new EngineError('CONFLICT', `session ${session} was put away by somebody else while it was packed`, {
    hint: 'steadfold session list --archived',
  })

const putPart = ({ address, objects }: Connection, name: string, bytes: Uint8Array): Promise<unknown> =>
  patiently(address, 'cannot pack the session', () => objects.putBlob({ name }, gzipSync(bytes)))

export async function partsIn(connection: Connection, archived: string, parcel: string): Promise<readonly string[]> {
  const bytes = await partOf(connection, { archived, parcel, part: PARTS })
  if (bytes === undefined) throw damaged(archived, 'the list of its parts is missing')
  // Written above.
  return JSON.parse(bytes.toString('utf8')) as readonly string[]
}

interface Part {
  readonly archived: string
  readonly parcel: string
  readonly part: string
}

export async function partOf(connection: Connection, { archived, parcel, part }: Part): Promise<Buffer | undefined> {
  const name = `${PARCELS}${parcel}/${part}`
  const bytes = await patiently(connection.address, 'cannot reach the archive', () => blobOf(connection, name))
  try {
    return bytes && gunzipSync(bytes)
  } catch (error) {
    throw damaged(archived, `${part} is damaged: ${String(error)}`)
  }
}

export async function dropParts(connection: Connection, parcel: string): Promise<boolean> {
  const found = await objectsIn(connection, `${PARCELS}${parcel}/`)
  for (const info of found) await drop(connection, info)
  return found.length > 0
}
