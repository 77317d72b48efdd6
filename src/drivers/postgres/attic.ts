/* What is put away and what is left over, in the tables. */
import { gunzipSync } from 'node:zlib'
import { EngineError } from '../../kernel/error.ts'
import { ArchivedLog, damaged, type Shelf } from '../../kernel/log/archived.ts'
import { notFound } from '../../kernel/names.ts'
import type { Attic, Host, Here, Landed, Leftover } from '../../kernel/ports.ts'
import { bytesOf, dropParcel, parcelOf, taking } from './archive.ts'
import { asking, askingOnce, type Ask, type Database, type Row } from './database.ts'
import { landSession, type Landing } from './land.ts'

const LEFT = `select parcel, sum(length(bytes)) as bytes from steadfold.parcels p where namespace = $1
and not exists (select from steadfold.archived a where a.namespace = $1 and a.parcel = p.parcel)
group by parcel having max(at) <= now() - $2 * interval '1 ms'`

const BLOBS = `select hash, length(bytes) as bytes from steadfold.blobs
where namespace = $1 and session = $2 and at <= now() - $3 * interval '1 ms' order by hash`

const DROP_BLOB = `delete from steadfold.blobs
where namespace = $1 and session = $2 and hash = $3 and at <= now() - $4 * interval '1 ms' returning hash`

const HALF = `select coalesce(sum(length(line)), 0) as bytes from steadfold.sessions s
left join steadfold.commits c on c.namespace = s.namespace and c.session = s.session
where s.namespace = $1 and s.session = $2 and s.updated_at <= now() - $3 * interval '1 ms' group by s.session`

const DROP_HALF = `${taking("updated_at <= now() - $3 * interval '1 ms'")} select session from gone`

const FORGET = `with gone as (
  delete from steadfold.archived where namespace = $1 and session = $2 returning parcel
) delete from steadfold.parcels p using gone where p.namespace = $1 and p.parcel = gone.parcel`

export interface Means {
  readonly database: Database
  readonly sha256: Host['sha256']
  readonly here: Here | undefined
}

export function tableAttic(means: Means): Attic {
  const ask = asking(means.database)
  const together = (task: (landing: Landing) => Promise<void>) =>
    askingOnce(means.database, 'cannot take in the session', (once) => task({ ...means, ask: once }))
  const log = new ArchivedLog(tableShelf(ask), means.sha256)
  return {
    log,
    restore: (archived, id) =>
      together(async (landing) => {
        await landSession(landing, id, unpacked(landing.ask, archived))
        await landing.ask(FORGET, archived)
      }),
    land: async (id, files) => {
      let beside: readonly string[] = []
      await together(async (landing) => {
        beside = await landSession(landing, id, files)
      })
      return beside
    },
    keep: async (id, file) => {
      if (means.here === undefined) throw new EngineError('STORE_UNAVAILABLE', 'no folder of this machine is known')
      return means.here.keep(id, file)
    },
    // A row is there or not.
    remains: async function* () {},
    leftovers: async (older) => (await ask(LEFT, older)).map((row) => leftover(`parcel/${String(row['parcel'])}`, row)),
    half: async (session, older) => (await ask(HALF, session, older)).map((row) => leftover(`half/${session}`, row)),
    blobs: async (session, older) =>
      (await ask(BLOBS, session, older)).map((row) => leftover(`blob/${session}/${String(row['hash'])}`, row)),
    waiting: async () => (await means.here?.waiting()) ?? { sessions: new Set(), unfinished: [] },
    strays: async () => (await means.here?.strays()) ?? [],
    remove: async ({ path }, older) => {
      const [kind, first = '', second = ''] = path.split('/')
      if (kind === 'parcel') return dropParcel(ask, first)
      if (kind === 'half') return (await ask(DROP_HALF, first, older)).length > 0
      return (await ask(DROP_BLOB, first, second, older)).length > 0
    },
  }
}

const leftover = (path: string, row: Row): Leftover => ({ path, bytes: Number(row['bytes']) })

function tableShelf(ask: Ask): Shelf {
  const text = 'select bytes from steadfold.parcels where namespace = $1 and parcel = $2 and part = $3'
  return {
    exists: async (session) => (await parcelOf(ask, session)) !== undefined,
    list: async function* () {
      const rows = await ask('select session from steadfold.archived where namespace = $1 order by session')
      for (const { session } of rows) yield String(session)
    },
    segments: (session) => segmentsOf(ask, session),
    part: async (session, kind, name) => {
      const rows = await ask(text, (await parcelOf(ask, session)) ?? '', `${kind}/${name}`)
      try {
        return rows.length === 0 ? undefined : gunzipSync(bytesOf(rows))
      } catch (error) {
        throw damaged(session, `${kind} ${name} is damaged: ${String(error)}`)
      }
    },
  }
}

async function segmentsOf(ask: Ask, session: string): Promise<readonly number[]> {
  const parts = await partsOf(ask, session)
  const firsts = parts.flatMap((part) => (part.startsWith('log/') ? [Number(part.slice(4))] : []))
  return firsts.sort((a, b) => a - b)
}

async function partsOf(ask: Ask, session: string): Promise<readonly string[]> {
  const parcel = await parcelOf(ask, session)
  if (parcel === undefined) throw notFound(session)
  const rows = await ask('select part from steadfold.parcels where namespace = $1 and parcel = $2', parcel)
  return rows.map((row) => String(row['part']))
}

/** Its files in the order in which they are landed. */
async function* unpacked(ask: Ask, archived: string): AsyncGenerator<Landed> {
  const shelf = tableShelf(ask)
  const blobs = (await partsOf(ask, archived)).filter((part) => part.startsWith('blob/'))
  const take = async (path: string, kind: 'log' | 'blob', name: string): Promise<Landed> => ({
    path,
    chunks: [(await shelf.part(archived, kind, name)) ?? Buffer.alloc(0)],
  })
  for (const first of await segmentsOf(ask, archived)) yield take(`log/${first}`, 'log', String(first))
  for (const part of blobs) yield take(`blobs/${part.slice(5)}`, 'blob', part.slice(5))
}
