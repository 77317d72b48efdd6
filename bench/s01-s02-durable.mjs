/* S1, S2: durable commits of 300 bytes, one caller and 64, against better-sqlite3 (WAL, FULL). */
import { reports } from './lib/fixtures.mjs'
import { freshDir } from './lib/place.mjs'
import { freshSession, writer } from './lib/product.mjs'
import { note, rate, row } from './lib/report.mjs'
import { drive, interleave, ratio } from './lib/slices.mjs'
import { median } from './lib/stats.mjs'
import { openSqlite } from './peers/sqlite.mjs'

export const promises = ['S1', 'S2']

const values = reports(1024)
function inserter(insert) {
  let i = 0
  return () => insert(values[i++ & 1023])
}

export async function run({ quick }) {
  const one = await freshSession(freshDir('s1'))
  const many = await freshSession(freshDir('s2'))
  const [sqliteOne, sqliteMany] = [await openSqlite(freshDir('s1q')), await openSqlite(freshDir('s2q'))]
  const sqliteGroup = await openSqlite(freshDir('s2g'))
  const [ours1, ours64] = [writer(one.session, values), writer(many.session, values)]
  const [insertOne, insertMany] = [inserter(sqliteOne.insert), inserter(sqliteMany.insert)]
  const insertGroup = inserter(sqliteGroup.grouped)
  const figures = await interleave(
    {
      ours1: () => drive(ours1.write),
      sqlite1: () => drive(insertOne),
      ours64: () => drive(ours64.write, { callers: 64 }),
      sqlite64: () => drive(insertMany, { callers: 64 }),
      group64: () => drive(insertGroup, { callers: 64 }),
    },
    { rounds: quick ? 15 : 60 },
  )
  for (const written of [ours1, ours64]) written.check()
  for (const opened of [one, many, sqliteOne, sqliteMany, sqliteGroup]) await opened.close()
  return rows(figures)
}

function rows({ ours1, sqlite1, ours64, sqlite64, group64 }) {
  return [
    row({
      id: 'S1',
      work: 'durable commit, 1 caller, 300 B',
      ours: rate(median(ours1)),
      peer: `better-sqlite3 FULL ${rate(median(sqlite1))}`,
      ratio: ratio(ours1, sqlite1),
      target: '≥ 0.65 ×',
      limit: 0.65,
      atLeast: true,
    }),
    row({
      id: 'S2',
      work: 'durable commit, 64 callers',
      ours: rate(median(ours64)),
      peer: `better-sqlite3 FULL ${rate(median(sqlite64))}`,
      ratio: ratio(ours64, sqlite64),
      target: '≥ 8 ×',
      limit: 8,
      atLeast: true,
    }),
    note('S2', '  against SQLite with group commit by hand', rate(median(ours64)), {
      peer: rate(median(group64)),
      measured: ratio(ours64, group64),
      kind: 'ratio',
    }),
  ]
}
