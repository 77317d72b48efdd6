import path from 'node:path'

/** better-sqlite3, WAL and synchronous=FULL: every insert is a transaction of its own, synced when it answers. */
export async function openSqlite(dir, { name = 'events.db' } = {}) {
  const { default: Database } = await import('better-sqlite3')
  // Eight processes take turns on one lock; SQLite's own answer to that is to wait.
  const db = new Database(path.join(dir, name), { timeout: 20_000 })
  db.pragma('journal_mode=WAL')
  db.pragma('synchronous=FULL')
  db.exec('create table if not exists events(seq integer primary key, type text not null, data text not null)')
  const insert = db.prepare('insert into events(type, data) values(?, ?)')
  const all = db.transaction((values) => {
    for (const value of values) insert.run(value.type, JSON.stringify(value))
  })
  return {
    insert: (value) => {
      insert.run(value.type, JSON.stringify(value))
    },
    grouped: grouped(all),
    finish: () => db.pragma('wal_checkpoint(TRUNCATE)'),
    close: () => db.close(),
  }
}

/** Group commit by hand: what a careful application would write around SQLite. */
function grouped(all) {
  let waiting = []
  const flush = () => {
    const group = waiting
    waiting = []
    all(group.map(([value]) => value))
    for (const [, resolve] of group) resolve()
  }
  return (value) =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push([value, resolve])
    })
}
