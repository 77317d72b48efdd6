/* S6: whole processes of the command line, each paired with `node -e 0`. */
import { reports } from './lib/fixtures.mjs'
import { freshDir } from './lib/place.mjs'
import { node } from './lib/processes.mjs'
import { CLI, freshSession, many, set } from './lib/product.mjs'
import { note, row, time } from './lib/report.mjs'
import { interleave, ratio } from './lib/slices.mjs'
import { median } from './lib/stats.mjs'

export const promises = ['S6']

const COMMITS = 1000

export async function run({ quick }) {
  const dir = freshDir('s6')
  const { session, close } = await freshSession(dir)
  const values = reports(COMMITS)
  await many(COMMITS, 16, (i) => set(session, `$.data.reports.r${i}`, values[i]))
  const at = ['--dir', dir, '--session', session.id]
  await close()
  let i = 0
  const get = () => {
    const done = node([CLI, 'state', 'get', '$.data.reports.r500.id', ...at])
    if (!done.stdout.includes(values[500].id)) throw new Error(`state get said ${done.stdout}`)
    return done.ms
  }
  const put = () => node([CLI, 'state', 'set', '$.data.topic', `"auth ${i++}"`, ...at]).ms
  // What a team of agents asks all day: no promise, but it should not drift away.
  const add = () => node([CLI, 'task', 'add', `task ${i++}`, ...at]).ms
  const lock = () => node([CLI, 'lock', 'acquire', `file ${i++}`, ...at]).ms
  const figures = await interleave(
    { empty: () => node(['-e', '0']).ms, get, put, add, lock },
    { rounds: quick ? 12 : 60, warm: 3 },
  )
  return [
    cliRow('CLI `state get`', figures.get, figures.empty, 1.4),
    cliRow('CLI `state set`, durable', figures.put, figures.empty, 1.6),
    noted('  CLI `task add`, durable', figures.add, figures.empty),
    noted('  CLI `lock acquire`, durable', figures.lock, figures.empty),
  ]
}

const noted = (work, ours, empty) =>
  note('S6', work, time(median(ours) * 1000), { measured: ratio(ours, empty), kind: 'ratio' })

function cliRow(work, ours, empty, limit) {
  return row({
    id: 'S6',
    work: `${work}, ${COMMITS.toLocaleString('en')} commits`,
    ours: time(median(ours) * 1000),
    peer: `node -e 0 ${time(median(empty) * 1000)}`,
    ratio: ratio(ours, empty),
    target: `≤ ${limit} ×`,
    limit,
  })
}
