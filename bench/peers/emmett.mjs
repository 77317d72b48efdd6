import { onServer } from './postgres.mjs'

/** emmett on PostgreSQL: one event appended to one of 64 streams. */
export async function openEmmett(url) {
  await onServer(url, ['drop schema public cascade', 'create schema public'])
  const { getPostgreSQLEventStore } = await import('@event-driven-io/emmett-postgresql')
  const store = getPostgreSQLEventStore(url)
  await store.schema.migrate()
  return {
    append: (value, stream) => store.appendToStream(`s-${stream}`, [{ type: value.type, data: value }]),
    close: () => store.close(),
  }
}
