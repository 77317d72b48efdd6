/* S11: a session of 1,000,000 commits: how long `verify` takes, how much memory, how soon `state get` answers. */
import { performance } from 'node:perf_hooks'
import { diskUse, freshDir } from './lib/place.mjs'
import { node, nodeWithPeak } from './lib/processes.mjs'
import { CLI, freshSession, library, many, set } from './lib/product.mjs'
import { note, rate, row, time } from './lib/report.mjs'
import { spread } from './lib/stats.mjs'

export const promises = ['S11']

const BEHIND = 1000
const KEYS = 10_000
const value = (i) => ({
  status: i % 2 === 0 ? 'in_progress' : 'completed',
  agent: `agent-${i % 97}`,
  attempt: i,
  tokens: i * 3,
})

/** A checkpoint at `commits - 1000`, and 1,000 commits that it does not know. */
async function make(dir, commits) {
  const from = performance.now()
  const { session, close } = await freshSession(dir)
  const write = (target) => (i) => set(target, `$.data.tasks.t${i % KEYS}`, value(i))
  await many(commits - BEHIND, 1024, write(session))
  const perSecond = (commits - BEHIND) / ((performance.now() - from) / 1000)
  const { id } = session
  await close()
  const { openWorkspace } = await library()
  const workspace = await openWorkspace({ dir, settings: { checkpoints: false } })
  const again = await workspace.session(id)
  await many(BEHIND, 64, write(again))
  await again.close()
  await workspace.close()
  return { id, perSecond, peak_mb: process.resourceUsage().maxRSS / 1024 }
}

export async function run({ quick, say }) {
  const commits = quick ? 100_000 : 1_000_000
  const dir = freshDir('s11')
  const made = await make(dir, commits)
  const size = diskUse(dir).bytes
  say(`${commits} commits made at ${rate(made.perSecond)}, ${Math.round(size / 1e6)} MB`)
  const at = ['--dir', dir, '--session', made.id]
  const found = { verify: [], open: [], verifyPeak: [], openPeak: [] }
  for (let round = 0; round < (quick ? 2 : 5); round++) {
    found.verify.push(verify(at, node).ms / 1000)
    found.open.push(open(at, node).ms)
    found.verifyPeak.push(verify(at, nodeWithPeak).peak_mb)
    found.openPeak.push(open(at, nodeWithPeak).peak_mb)
  }
  return rows(commits, size, made, found)

  function open(where, start) {
    const done = start([CLI, 'state', 'get', '$.data.tasks.t1.attempt', ...where])
    if (!/\d/u.test(done.stdout)) throw new Error(`state get said ${done.stdout}`)
    return done
  }

  function verify(where, start) {
    const done = start([CLI, 'verify', '--json', ...where])
    const [session] = JSON.parse(done.stdout).data
    if (session.ok !== true || session.seq < commits) throw new Error(`verify said ${done.stdout}`)
    return done
  }
}

function rows(commits, size, made, found) {
  const name = `${commits.toLocaleString('en')} commits (${Math.round(size / 1e6)} MB)`
  const [verify, open] = [spread(found.verify), spread(found.open)]
  const peaks = found.verifyPeak.map((peak, round) => Math.max(peak, found.openPeak[round]))
  return [
    row({
      id: 'S11',
      work: `verify ${name}, process included`,
      ours: rate(commits / verify.median),
      figure: verify,
      unit: ' s',
      target: '≤ 10 s',
      limit: 10,
    }),
    row({
      id: 'S11',
      work: '  most memory: verify, and open',
      ours: `open ${Math.round(spread(found.openPeak).median)} MB`,
      figure: spread(peaks),
      unit: ' MB',
      target: '≤ 512 MB',
      limit: 512,
    }),
    row({
      id: 'S11',
      work: `  \`state get\`: checkpoint and ${BEHIND.toLocaleString('en')} behind it, process included`,
      ours: time(open.median * 1000),
      figure: open,
      unit: ' ms',
      target: '≤ 400 ms',
      limit: 400,
    }),
    note('S11', '  writing it, 1,024 callers, durable', rate(made.perSecond), {
      detail: { peak_mb: Math.round(made.peak_mb) },
    }),
  ]
}
