import { onServer } from './postgres.mjs'

/** What PostgreSQL takes when nobody asks for more than a row: one statement and one sync a row, ten connections. */
export async function openRawInserts(url) {
  await onServer(url, ['create table raw (id bigserial primary key, line bytea not null)'])
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  return {
    insert: (value) => pool.query({ name: 'raw', text: 'insert into raw (line) values ($1)', values: [value] }),
    close: () => pool.end(),
  }
}
