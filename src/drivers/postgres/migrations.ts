/*
 * The tables, as a list of steps that only grows.
 *
 * M1. A step that was released never changes: its hash is kept in the database, and compared.
 * M2. Two programs that migrate at the same time take turns.
 * M3. A database that is further than this program is left alone.
 */
import { createHash } from 'node:crypto'
import { EngineError } from '../../kernel/error.ts'
import type { Database, Row } from './database.ts'

export const STEPS: readonly string[] = [
  `create table steadfold.sessions (
  namespace text collate "C" not null,
  session text collate "C" not null,
  seq bigint not null default 0,
  hash text collate "C" not null default repeat('0', 64),
  segment bigint not null default 1,
  ends bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (namespace, session)
) with (fillfactor = 50);
create table steadfold.commits (
  namespace text collate "C" not null,
  session text collate "C" not null,
  seq bigint not null,
  segment bigint not null,
  starts bigint not null,
  line bytea not null,
  primary key (namespace, session, seq)
);
create table steadfold.checkpoints (
  namespace text collate "C" not null,
  session text collate "C" not null,
  bytes bytea not null,
  at timestamptz not null default now(),
  primary key (namespace, session)
);
create table steadfold.blobs (
  namespace text collate "C" not null,
  session text collate "C" not null,
  hash text collate "C" not null,
  bytes bytea not null,
  at timestamptz not null default now(),
  primary key (namespace, session, hash)
);
create table steadfold.names (
  namespace text collate "C" not null,
  name text collate "C" not null,
  id text collate "C" not null,
  generation bigint not null,
  primary key (namespace, name)
);`,
  `create table steadfold.archived (
  namespace text collate "C" not null,
  session text collate "C" not null,
  parcel text collate "C" not null,
  at timestamptz not null default now(),
  primary key (namespace, session)
);
create table steadfold.parcels (
  namespace text collate "C" not null,
  parcel text collate "C" not null,
  part text collate "C" not null,
  bytes bytea not null,
  at timestamptz not null default now(),
  primary key (namespace, parcel, part)
);`,
]

const LOCK = 0x5ead401d
const hashOf = (step: string): string => createHash('sha256').update(step).digest('hex')

/** Brings the tables up to date. Needs the right to make them; see docs/how-to/postgres.md. */
export async function migrate(database: Database): Promise<void> {
  await database.together(async (run) => {
    await run(`select pg_advisory_xact_lock(${LOCK})`)
    const [there] = await run(`select to_regclass('steadfold.migrations') is not null as there`)
    if (there?.['there'] !== true) {
      await run('create schema if not exists steadfold')
      await run(
        'create table steadfold.migrations (step int primary key, hash text not null, at timestamptz not null default now())',
      )
    }
    const done = checked(await run('select step, hash from steadfold.migrations order by step'))
    for (const [i, step] of STEPS.entries()) {
      if (i < done) continue
      await run(step)
      await run('insert into steadfold.migrations (step, hash) values ($1, $2)', [i + 1, hashOf(step)])
    }
  })
}

/** How many steps are done here; throws where they are others than ours. */
function checked(rows: readonly Row[]): number {
  if (rows.length > STEPS.length)
    throw new EngineError(
      'VERSION_UNKNOWN',
      `the tables are at step ${rows.length}, this program knows ${STEPS.length}`,
      {
        hint: 'install a newer steadfold',
      },
    )
  for (const [i, row] of rows.entries())
    if (row['hash'] !== hashOf(STEPS[i] ?? ''))
      throw new EngineError('VERSION_UNKNOWN', `step ${i + 1} of the tables is not the one of this program`, {
        hint: 'open it with the steadfold that made it',
      })
  return rows.length
}

export const isCurrent = (rows: readonly Row[]): boolean => checked(rows) === STEPS.length
