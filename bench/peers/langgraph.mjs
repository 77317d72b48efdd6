import path from 'node:path'
import { tasks } from '../lib/fixtures.mjs'
import { onServer } from './postgres.mjs'

/** LangGraph's checkpointers: one `put` of a 2 KB checkpoint to one of 64 threads. */
export async function openLanggraphSqlite(dir) {
  const { SqliteSaver } = await import('@langchain/langgraph-checkpoint-sqlite')
  const saver = SqliteSaver.fromConnString(path.join(dir, 'langgraph.db'))
  saver.setup()
  // Its default is NORMAL, which acknowledges before the sync; we promise more, so it must too.
  saver.db.pragma('synchronous=FULL')
  return { put: await putter(saver), close: () => saver.db.close() }
}

export async function openLanggraphPostgres(url) {
  await onServer(url, ['drop schema if exists lg cascade', 'create schema lg'])
  const { PostgresSaver } = await import('@langchain/langgraph-checkpoint-postgres')
  const { default: pg } = await import('pg')
  const saver = new PostgresSaver(new pg.Pool({ connectionString: url, max: 16 }), undefined, { schema: 'lg' })
  await saver.setup()
  return { put: await putter(saver), close: () => saver.end() }
}

async function putter(saver) {
  const { uuid6 } = await import('@langchain/langgraph-checkpoint')
  const execution = { tasks: Object.fromEntries(tasks(4).map((task) => [task.id, task])) }
  const parents = new Map()
  let step = 0
  return async (thread) => {
    const i = step++
    execution.tasks[`t${i % 4}`].status = i % 2 === 0 ? 'pending' : 'completed'
    const checkpoint = {
      v: 4,
      id: uuid6(i),
      ts: new Date().toISOString(),
      channel_values: { execution },
      channel_versions: { execution: i + 1 },
      versions_seen: {},
    }
    const parent = parents.get(thread)
    const at = {
      thread_id: `t${thread}`,
      checkpoint_ns: '',
      ...(parent === undefined ? {} : { checkpoint_id: parent }),
    }
    await saver.put({ configurable: at }, checkpoint, { source: 'loop', step: i, parents: {} }, { execution: i + 1 })
    parents.set(thread, checkpoint.id)
  }
}
