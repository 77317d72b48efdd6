/* S13: bytes on disk for a value of 300 bytes: log, checkpoint and everything else, after the session was closed. */
import { reports } from './lib/fixtures.mjs'
import { diskUse, freshDir } from './lib/place.mjs'
import { freshSession, many, set } from './lib/product.mjs'
import { note, row } from './lib/report.mjs'
import { spread } from './lib/stats.mjs'
import { openSqlite } from './peers/sqlite.mjs'

export const promises = ['S13']

const BYTES = 300

async function perValue(commits, keys) {
  const dir = freshDir('s13')
  const { session, close } = await freshSession(dir)
  const values = reports(1024, { bytes: BYTES })
  await many(commits, 64, (i) => set(session, `$.data.reports.r${i % keys}`, values[i & 1023]))
  await close()
  const { bytes, allocated } = diskUse(dir)
  return { bytes: bytes / commits, allocated: allocated / commits }
}

async function perRow(rows) {
  const dir = freshDir('s13q')
  const { insert, finish, close } = await openSqlite(dir)
  const values = reports(1024, { bytes: BYTES })
  for (let i = 0; i < rows; i++) insert(values[i & 1023])
  finish()
  close()
  return diskUse(dir).bytes / rows
}

export async function run({ quick }) {
  const commits = quick ? 5_000 : 20_000
  const sqlite = await perRow(commits)
  const rewritten = await perValue(commits, 1000)
  const kept = await perValue(commits, commits)
  const peer = `SQLite ${(sqlite / BYTES).toFixed(2)} ×`
  const one = (bytes) => spread([bytes / BYTES])
  return [
    row({
      id: 'S13',
      work: `bytes on disk for a ${BYTES} B value, ${commits.toLocaleString('en')} of them over 1,000 keys`,
      ours: `${Math.round(rewritten.bytes)} B`,
      peer,
      figure: one(rewritten.bytes),
      unit: ' ×',
      target: '≤ 2.5 ×',
      limit: 2.5,
    }),
    note('S13', '  in allocated blocks', `${Math.round(rewritten.allocated)} B`, {
      measured: one(rewritten.allocated),
      kind: 'ratio',
    }),
    note('S13', '  every value under a key of its own', `${Math.round(kept.bytes)} B`, {
      peer,
      measured: one(kept.bytes),
      kind: 'ratio',
    }),
  ]
}
