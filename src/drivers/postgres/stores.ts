import { EngineError } from '../../kernel/error.ts'
import type { BlobStore, CheckpointStore, Host, NameStore } from '../../kernel/ports.ts'
import { asking, type Ask, type Database } from './database.ts'

const CLAIM_FIRST = `insert into steadfold.names (namespace, name, id, generation) values ($1, $2, $3, 1)
on conflict do nothing returning generation`
const CLAIM_NEXT = `update steadfold.names set id = $3, generation = generation + 1
where namespace = $1 and name = $2 and generation = $4 returning generation`

export function checkpoints(database: Database): CheckpointStore {
  const ask = asking(database)
  return {
    get: async (session) => {
      const text = 'select bytes from steadfold.checkpoints where namespace = $1 and session = $2'
      return bytesOf((await ask(text, session))[0]?.['bytes'])
    },
    put: async (session, bytes) => {
      const text = `insert into steadfold.checkpoints (namespace, session, bytes) values ($1, $2, $3)
on conflict (namespace, session) do update set bytes = excluded.bytes, at = now()`
      await ask(text, session, Buffer.concat(bytes))
    },
    delete: async (session) =>
      void (await ask('delete from steadfold.checkpoints where namespace = $1 and session = $2', session)),
  }
}

export function blobs(ask: Ask, sha256: Host['sha256']): BlobStore {
  return {
    put: async (session, bytes) => {
      const hash = sha256(bytes)
      // Who asks for it anew makes it young: gc takes away what is old.
      const text = `insert into steadfold.blobs (namespace, session, hash, bytes) values ($1, $2, $3, $4)
on conflict (namespace, session, hash) do update set at = now()`
      await ask(text, session, hash, bytes)
      return hash
    },
    get: async (session, hash) => {
      const text = 'select bytes from steadfold.blobs where namespace = $1 and session = $2 and hash = $3'
      const bytes = bytesOf((await ask(text, session, hash))[0]?.['bytes'])
      if (bytes === undefined || sha256(bytes) === hash) return bytes
      throw new EngineError('BLOB_CORRUPT', `blob ${hash} of session ${session} is damaged`, {
        hint: 'bring the table steadfold.blobs back from a backup',
      })
    },
  }
}

export function names(database: Database): NameStore {
  const ask = asking(database)
  return {
    isWhole: true,
    holder: async (name) => {
      const text = 'select id, generation from steadfold.names where namespace = $1 and name = $2'
      const [row] = await ask(text, name)
      return row === undefined ? undefined : { id: String(row['id']), generation: Number(row['generation']) }
    },
    claim: async (name, id, after) => {
      const won = after === 0 ? await ask(CLAIM_FIRST, name, id) : await ask(CLAIM_NEXT, name, id, after)
      return won.length > 0
    },
  }
}

const bytesOf = (value: unknown): Buffer | undefined => (value instanceof Uint8Array ? Buffer.from(value) : undefined)
