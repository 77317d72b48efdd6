/*
 * Sessions that are put away, and brought back.
 *
 *   commits, blobs, checkpoint ──► parcel, part by part, compressed ──► one statement: listed here, gone there
 *
 * A1. What counts is the one statement: before it the session is among the others, behind it in the archive. A parcel that
 *     no archived session names was left by somebody who was killed, and gc takes it away.
 * A2. It puts away only what was packed: a session that has grown meanwhile stays.
 */
import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { EngineError } from '../../kernel/error.ts'
import { notFound } from '../../kernel/names.ts'
import { asking, type Ask, type Database, type Row } from './database.ts'

const PUT = `insert into steadfold.parcels (namespace, parcel, part, bytes) values ($1, $2, $3, $4)
on conflict do nothing`

/** Takes a session, `gone`, with all that is of it; it must be so. */
export const taking = (so: string): string => `with gone as (
  delete from steadfold.sessions where namespace = $1 and session = $2 and ${so} returning session
), lines as (
  delete from steadfold.commits c using gone where c.namespace = $1 and c.session = gone.session
), large as (
  delete from steadfold.blobs b using gone where b.namespace = $1 and b.session = gone.session
), cached as (
  delete from steadfold.checkpoints k using gone where k.namespace = $1 and k.session = gone.session
)`

const SEAL = `${taking('seq = $3 and hash = $4')}
insert into steadfold.archived (namespace, session, parcel) select $1, $5, $6 from gone`

/** Answers the name that it has in the archive: its id, and a number where that is there already. */
export async function archiveSession(database: Database, session: string): Promise<string> {
  const ask = asking(database)
  const [end] = await ask('select seq, hash from steadfold.sessions where namespace = $1 and session = $2', session)
  if (end === undefined) throw notFound(session)
  const parcel = randomUUID()
  try {
    for await (const [part, bytes] of partsOf(ask, session)) await ask(PUT, parcel, part, gzipSync(bytes))
    const name = await freeName(ask, session)
    await ask(SEAL, session, Number(end['seq']), String(end['hash']), name, parcel)
    if ((await parcelOf(ask, name)) === parcel) return name
    throw new EngineError('CONFLICT', `session ${session} was written to while it was packed`, { hint: 'try again' })
  } catch (error) {
    await dropParcel(ask, parcel).catch(() => undefined)
    throw error
  }
}

async function* partsOf(ask: Ask, session: string): AsyncGenerator<readonly [part: string, bytes: Uint8Array]> {
  const of = 'where namespace = $1 and session = $2'
  const segments = await ask(`select distinct segment from steadfold.commits ${of} order by segment`, session)
  for (const { segment } of segments) {
    const lines = `select string_agg(line, ''::bytea order by seq) as bytes from steadfold.commits ${of} and segment = $3`
    yield [`log/${String(segment)}`, bytesOf(await ask(lines, session, Number(segment)))]
  }
  for (const { hash } of await ask(`select hash from steadfold.blobs ${of}`, session)) {
    const text = `select bytes from steadfold.blobs ${of} and hash = $3`
    yield [`blob/${String(hash)}`, bytesOf(await ask(text, session, String(hash)))]
  }
  const checkpoint = await ask(`select bytes from steadfold.checkpoints ${of}`, session)
  if (checkpoint.length > 0) yield ['checkpoint/', bytesOf(checkpoint)]
}

async function freeName(ask: Ask, session: string): Promise<string> {
  for (let n = 1; ; n++) {
    const name = n === 1 ? session : `${session}.${n}`
    if ((await parcelOf(ask, name)) === undefined) return name
  }
}

export async function parcelOf(ask: Ask, archived: string): Promise<string | undefined> {
  const text = 'select parcel from steadfold.archived where namespace = $1 and session = $2'
  const [row] = await ask(text, archived)
  return row === undefined ? undefined : String(row['parcel'])
}

/** A1: unless an archived session names it. */
export async function dropParcel(ask: Ask, parcel: string): Promise<boolean> {
  const text = `delete from steadfold.parcels p where namespace = $1 and parcel = $2
and not exists (select from steadfold.archived a where a.namespace = $1 and a.parcel = p.parcel) returning part`
  return (await ask(text, parcel)).length > 0
}

export function bytesOf([row]: readonly Row[]): Buffer {
  const bytes = row?.['bytes']
  return bytes instanceof Uint8Array ? Buffer.from(bytes) : Buffer.alloc(0)
}
