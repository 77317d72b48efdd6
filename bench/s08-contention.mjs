/*
 * S8: eight processes write one session at once, against eight that insert into one SQLite database. The same processes
 * do both, window after window, and the first windows do not count: agents live for hours, and a JavaScript engine is slow
 * at what it does for the first time.
 */
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { reports } from './lib/fixtures.mjs'
import { freshDir } from './lib/place.mjs'
import { answer, start } from './lib/processes.mjs'
import { freshSession, library, set } from './lib/product.mjs'
import { rate, row, time } from './lib/report.mjs'
import { ratio } from './lib/slices.mjs'
import { jain, median, spread } from './lib/stats.mjs'
import { openSqlite } from './peers/sqlite.mjs'

export const promises = ['S8']

const PROCESSES = 8
const STORES = ['ours', 'sqlite']
const self = fileURLToPath(import.meta.url)

export async function run({ quick, say }) {
  const { warm, rounds, ms } = quick ? { warm: 1, rounds: 2, ms: 1000 } : { warm: 4, rounds: 9, ms: 2000 }
  const dir = freshDir('s8')
  const { session, close } = await freshSession(dir)
  const { id, seq } = session
  await close()
  ;(await openSqlite(dir)).close()
  const children = await Promise.all(Array.from({ length: PROCESSES }, (_, i) => start(self, [dir, id, i])))
  const found = { ours: [], sqlite: [] }
  for (let round = -warm; round < rounds; round++) {
    for (const store of STORES) found[store].push(await race(children, store, ms))
    const [ours, theirs] = STORES.map((store) => found[store].at(-1))
    say(`round ${round + 1}: ${rate(ours.total)} fairness ${ours.fairness.toFixed(2)}, SQLite ${rate(theirs.total)}`)
  }
  for (const child of children) child.send('end')
  await check(dir, id, seq + found.ours.reduce((sum, { count }) => sum + count, 0))
  return rows({ ours: found.ours.slice(warm), sqlite: found.sqlite.slice(warm) })
}

async function race(children, store, ms) {
  const answers = children.map(answer)
  for (const child of children) child.send({ store, ms })
  const done = await Promise.all(answers)
  const counts = done.map((each) => each.count)
  const count = counts.reduce((sum, each) => sum + each, 0)
  return {
    count,
    total: count / (ms / 1000),
    fairness: jain(counts),
    longest: Math.max(...done.map((each) => each.longest)),
  }
}

/** What was acknowledged must be there, or the speed means nothing. */
async function check(dir, id, expected) {
  const { openWorkspace } = await library()
  const workspace = await openWorkspace({ dir })
  const session = await workspace.session(id)
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

/** Each has its own handles and one caller. */
async function openStores(dir, id, number) {
  const values = reports(256, { seed: 100 + number })
  let i = 0
  const { insert } = await openSqlite(dir)
  const { openWorkspace } = await library()
  const session = await (await openWorkspace({ dir })).session(id)
  return {
    ours: () => set(session, `$.data.w${number}.r${i & 255}`, values[i++ & 255]),
    sqlite: () => insert(values[i++ & 255]),
  }
}

async function work([dir, id, number]) {
  const stores = await openStores(dir, id, Number(number))
  process.send('ready')
  for (;;) {
    const [message] = await once(process, 'message')
    if (message === 'end') process.exit(0)
    process.send(await write(stores[message.store], message.ms))
  }
}

async function write(one, ms) {
  let [count, longest] = [0, 0]
  const end = performance.now() + ms
  for (let from = performance.now(); from < end;) {
    await Promise.resolve(one())
    const to = performance.now()
    // The last one may wait past the end: it counts as a wait, and as done only by its own time.
    longest = Math.max(longest, to - from)
    if (to <= end) count++
    from = to
    if (count % 64 === 0) await new Promise(setImmediate)
  }
  return { count, longest }
}

if (process.argv[1] === self) await work(process.argv.slice(2))
