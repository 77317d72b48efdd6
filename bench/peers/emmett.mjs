import { onServer } from './postgres.mjs'

/** emmett on PostgreSQL: one event appended to one of 64 streams. */
export async function openEmmett(url) {
  await onServer(url, ['drop schema public cascade', 'create schema public'])
  const { getPostgreSQLEventStore } = await import('@event-driven-io/emmett-postgresql')
  const store = getPostgreSQLEventStore(url)
  await store.schema.migrate()
  return {
    async append(value, stream) {
      // Of two that begin a stream at once it refuses one, though neither expects a version.
      for (;;) {
        try {
          return await store.appendToStream(`s-${stream}`, [{ type: value.type, data: value }])
        } catch (error) {
          if (!error.message.startsWith('Expected version')) throw error
        }
      }
    },
    close: () => store.close(),
  }
}
