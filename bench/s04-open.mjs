/* S4: opening a session of 100,000 commits without a checkpoint, against reading the same file and JSON.parse of each line. */
import fs from 'node:fs'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { reports } from './lib/fixtures.mjs'
import { freshDir } from './lib/place.mjs'
import { node } from './lib/processes.mjs'
import { freshSession, library, many, set } from './lib/product.mjs'
import { note, row, time } from './lib/report.mjs'
import { interleave, ratio } from './lib/slices.mjs'
import { median } from './lib/stats.mjs'

export const promises = ['S4']

const settings = { checkpoints: false }
const self = fileURLToPath(import.meta.url)

async function makeLog(dir, commits) {
  const { session, close } = await freshSession(dir, { settings })
  const values = reports(1024)
  await many(commits, 512, (i) => set(session, `$.data.reports.r${i % 5000}`, values[i & 1023]))
  const { id } = session
  await close()
  return id
}

/** Milliseconds until the whole state is there. */
async function openOurs(dir, id, commits) {
  const { openWorkspace } = await library()
  const from = performance.now()
  const workspace = await openWorkspace({ dir, settings })
  const session = await workspace.session(id)
  const last = await session.get('$.data.reports.r1.id')
  const ms = performance.now() - from
  if (session.seq < commits || last === undefined) throw new Error(`opened at ${session.seq} of ${commits}`)
  await session.close()
  await workspace.close()
  return ms
}

const segments = (dir, id) => {
  const folder = path.join(dir, '.steadfold/sessions', id, 'log')
  return fs
    .readdirSync(folder)
    .sort()
    .map((name) => path.join(folder, name))
}

function parseLines(files, commits) {
  const from = performance.now()
  let parsed = 0
  for (const file of files) {
    for (const line of fs.readFileSync(file, 'utf8').split('\n')) if (line !== '') parsed += JSON.parse(line).v
  }
  const ms = performance.now() - from
  if (parsed < commits) throw new Error(`parsed ${parsed} of ${commits}`)
  return ms
}

export async function run({ quick }) {
  const commits = quick ? 20_000 : 100_000
  const dir = freshDir('s4')
  const id = await makeLog(dir, commits)
  const files = segments(dir, id)
  const bytes = files.reduce((sum, file) => sum + fs.statSync(file).size, 0)
  const settled = (measure) => async () => {
    globalThis.gc?.()
    return measure()
  }
  const warm = await interleave(
    {
      ours: settled(() => openOurs(dir, id, commits)),
      theirs: settled(() => parseLines(files, commits)),
    },
    { rounds: quick ? 5 : 15, warm: 2 },
  )
  const fresh = (what) => () => Number(node([self, what, dir, id, String(commits)]).stdout)
  const cold = await interleave({ ours: fresh('ours'), theirs: fresh('theirs') }, { rounds: quick ? 3 : 9, warm: 1 })
  return rows(commits, bytes, warm, cold)
}

function rows(commits, bytes, warm, cold) {
  const work = `open and fold ${commits.toLocaleString('en')} commits (${Math.round(bytes / 1e6)} MB), hashes checked`
  const ms = (figures) => time(median(figures) * 1000)
  // The figure is a ratio of speeds, so their time stands above ours.
  return [
    row({
      id: 'S4',
      work,
      ours: ms(warm.ours),
      peer: `read + JSON.parse ${ms(warm.theirs)}`,
      ratio: ratio(warm.theirs, warm.ours),
      target: '≥ 0.65 ×',
      limit: 0.65,
      atLeast: true,
    }),
    note('S4', '  the same, each in a fresh process', ms(cold.ours), {
      peer: ms(cold.theirs),
      measured: ratio(cold.theirs, cold.ours),
      kind: 'ratio',
    }),
  ]
}

if (process.argv[1] === self) {
  const [what, dir, id, commits] = process.argv.slice(2)
  const took =
    what === 'ours' ? await openOurs(dir, id, Number(commits)) : parseLines(segments(dir, id), Number(commits))
  console.log(took)
}
