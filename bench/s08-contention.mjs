/* S8: eight processes write one session at once, against eight that insert into one SQLite database. */
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { openSqlite } from './peers/sqlite.mjs'
import { reports } from './lib/fixtures.mjs'
import { freshDir } from './lib/place.mjs'
import { answer, start } from './lib/processes.mjs'
import { freshSession, library, set } from './lib/product.mjs'
import { rate, row, time } from './lib/report.mjs'
import { ratio } from './lib/slices.mjs'
import { jain, median, spread } from './lib/stats.mjs'

export const promises = ['S8']

const PROCESSES = 8
const self = fileURLToPath(import.meta.url)

export async function run({ quick, say }) {
  const [rounds, ms] = quick ? [2, 1000] : [9, 2000]
  const found = { ours: [], sqlite: [] }
  for (let round = 0; round < rounds; round++) {
    for (const store of ['ours', 'sqlite']) found[store].push(await race(store, ms))
    say(
      `round ${round + 1}: ${rate(found.ours[round].total)} fairness ${found.ours[round].fairness.toFixed(2)}, SQLite ${rate(found.sqlite[round].total)}`,
    )
  }
  return rows(found)
}

/** All processes are ready before the first writes; each has its own handle and one caller. */
async function race(store, ms) {
  const dir = freshDir(`s8-${store}`)
  let id = ''
  let before = 0
  if (store === 'ours') {
    const opened = await freshSession(dir)
    ;[id, before] = [opened.session.id, opened.session.seq]
    await opened.close()
  } else (await openSqlite(dir)).close()
  const children = await Promise.all(Array.from({ length: PROCESSES }, (_, i) => start(self, [store, dir, id, i, ms])))
  const answers = children.map(answer)
  for (const child of children) child.send('go')
  const done = await Promise.all(answers)
  const counts = done.map((each) => each.count)
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (store === 'ours') await check(dir, id, before + total)
  return { total: total / (ms / 1000), fairness: jain(counts), longest: Math.max(...done.map((each) => each.longest)) }
}

/** What was acknowledged must be there, or the speed means nothing. */
async function check(dir, id, expected) {
  const { openWorkspace } = await library()
  const workspace = await openWorkspace({ dir })
  const session = await workspace.session(id)
  await session.get('$.data')
  const { seq } = session
  await session.close()
  await workspace.close()
  if (seq < expected) throw new Error(`${expected} acknowledged, ${seq} in the log`)
}

function rows({ ours, sqlite }) {
  const of = (list, key) => list.map((each) => each[key])
  const [total, theirs] = [of(ours, 'total'), of(sqlite, 'total')]
  const longest = spread(of(ours, 'longest'))
  return [
    row({
      id: 'S8',
      work: '8 processes on one session, durable, total',
      ours: rate(median(total)),
      peer: `SQLite FULL ${rate(median(theirs))}`,
      ratio: ratio(total, theirs),
      target: '≥ 0.8 ×',
      limit: 0.8,
      atLeast: true,
    }),
    row({
      id: 'S8',
      work: '  fairness among them (Jain)',
      ours: '',
      peer: `SQLite ${median(of(sqlite, 'fairness')).toFixed(2)}`,
      figure: spread(of(ours, 'fairness')),
      target: '≥ 0.95',
      limit: 0.95,
      atLeast: true,
    }),
    row({
      id: 'S8',
      work: '  longest wait of one commit',
      ours: time(longest.median * 1000),
      peer: `SQLite ${time(median(of(sqlite, 'longest')) * 1000)}`,
      figure: longest,
      unit: ' ms',
      target: '≤ 250 ms',
      limit: 250,
    }),
  ]
}

async function openStore(store, dir, id, number) {
  const values = reports(256, { seed: 100 + number })
  let i = 0
  if (store === 'sqlite') {
    const { insert } = await openSqlite(dir)
    return () => insert(values[i++ & 255])
  }
  const { openWorkspace } = await library()
  const workspace = await openWorkspace({ dir })
  const session = await workspace.session(id)
  return () => set(session, `$.data.w${number}.r${i & 255}`, values[i++ & 255])
}

async function work([store, dir, id, number, ms]) {
  const write = await openStore(store, dir, id, Number(number))
  process.send('ready')
  await new Promise((resolve) => {
    process.once('message', resolve)
  })
  let [count, longest] = [0, 0]
  const end = performance.now() + Number(ms)
  for (let from = performance.now(); from < end;) {
    await Promise.resolve(write())
    const to = performance.now()
    // The last one may wait past the end: it counts as a wait, and as done only by its own time.
    longest = Math.max(longest, to - from)
    if (to <= end) count++
    from = to
    if (count % 64 === 0) await new Promise(setImmediate)
  }
  process.send({ count, longest }, () => process.exit(0))
}

if (process.argv[1] === self) await work(process.argv.slice(2))
