/* S12: from the call of `run` to a subscriber in another process holding the commit, against the durable append itself. */
import { fileURLToPath } from 'node:url'
import { reports } from './lib/fixtures.mjs'
import { freshDir } from './lib/place.mjs'
import { start } from './lib/processes.mjs'
import { freshSession, library, set } from './lib/product.mjs'
import { row, time } from './lib/report.mjs'
import { ratio } from './lib/slices.mjs'
import { median, quantile } from './lib/stats.mjs'

export const promises = ['S12']

const self = fileURLToPath(import.meta.url)
/** Microseconds on a clock that all processes of the machine share. */
const clock = () => Number(process.hrtime.bigint()) / 1000

export async function run({ quick }) {
  const dir = freshDir('s12')
  const { session, close } = await freshSession(dir)
  const child = await start(self, [dir, session.id, session.seq])
  const seen = new Map()
  let wake
  child.on('message', ({ seq, at }) => {
    seen.set(seq, at)
    wake?.()
  })
  const arrival = async (seq) => {
    while (!seen.has(seq))
      await new Promise((resolve) => {
        wake = resolve
      })
    return seen.get(seq)
  }
  const rounds = await measure(session, arrival, quick ? 10 : 40)
  child.kill()
  await close()
  return rows(rounds)
}

async function measure(session, arrival, count) {
  const values = reports(256)
  const found = { append: [], delivery: [] }
  for (let round = -2; round < count; round++) {
    const [append, delivery] = [[], []]
    for (let i = 0; i < 100; i++) {
      const from = clock()
      const { seq } = await set(session, `$.data.reports.r${i}`, values[i])
      append.push(clock() - from)
      delivery.push((await arrival(seq)) - from)
    }
    if (round < 0) continue
    found.append.push(quantile(append, 0.5))
    found.delivery.push(quantile(delivery, 0.5))
  }
  return found
}

function rows({ append, delivery }) {
  return [
    row({
      id: 'S12',
      work: 'commit to a subscriber in another process, p50',
      ours: time(median(delivery)),
      peer: `durable append ${time(median(append))}`,
      ratio: ratio(delivery, append),
      target: '≤ 1.5 ×',
      limit: 1.5,
    }),
  ]
}

async function subscribe([dir, id, after]) {
  const { openWorkspace } = await library()
  const workspace = await openWorkspace({ dir })
  const session = await workspace.session(id)
  setTimeout(() => process.send('ready'), 200)
  for await (const commit of session.commits({ after: Number(after), live: true }))
    process.send({ seq: commit.seq, at: clock() })
}

if (process.argv[1] === self) await subscribe(process.argv.slice(2))
