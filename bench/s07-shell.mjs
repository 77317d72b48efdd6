/* S7: the shell library: values in one bash, and a transition as a process, against plain bash, jq and files. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freshDir } from './lib/place.mjs'
import { run as process_ } from './lib/processes.mjs'
import { CLI } from './lib/product.mjs'
import { row, time } from './lib/report.mjs'
import { interleave, ratio } from './lib/slices.mjs'
import { median, spread } from './lib/stats.mjs'

export const promises = ['S7']

const here = path.dirname(fileURLToPath(import.meta.url))
const PLAIN = path.join(here, 'peers/plain-workflow.sh')
const ROUNDS = path.join(here, 's07-rounds.sh')
const LIBRARY = path.join(path.dirname(CLI), 'steadfold.sh')
const CALLS = 200

/** A workspace with one session whose workflow stands in the state `test`. */
function workspace() {
  const dir = freshDir('s7')
  const env = { STEADFOLD_BIN: CLI }
  process_('bash', ['-c', '"$STEADFOLD_BIN" init', 'bash'], { env, cwd: dir })
  const begin = `. '${LIBRARY}'; init_workflow_state bench; sm_init 'Implement authentication' coordinate`
  process_('bash', ['-ec', `${begin}; for state in implement test; do sm_transition $state; done`], { env, cwd: dir })
  return { dir, env: { ...env, STEADFOLD_DIR: dir, STEADFOLD_SESSION: 'bench' } }
}

export async function run({ quick }) {
  const ours = workspace()
  const plain = freshDir('s7-plain')
  const rounds = quick ? 6 : 30
  const { stdout } = process_('bash', [ROUNDS, LIBRARY, PLAIN, plain, rounds, CALLS].map(String), { env: ours.env })
  // The first round warms up.
  const lines = stdout.trim().split('\n').slice(1)
  const found = lines.map((line) =>
    line
      .trim()
      .split(/\s+/u)
      .map((total) => Number(total) / CALLS),
  )
  const column = (index) => found.map((figures) => figures[index])
  return [
    shellRow('shell: append in the same bash', column(0), column(1), 200),
    shellRow('shell: read in the same bash', column(2), column(3), 100),
    await transitions(ours, plain, quick),
  ]
}

function shellRow(work, ours, plain, limit) {
  const inMilliseconds = spread(ours.map((us) => us / 1000))
  return row({
    id: 'S7',
    work,
    ours: time(median(ours)),
    peer: `unsafe echo and source ${time(median(plain))}`,
    figure: inMilliseconds,
    unit: ' ms',
    target: `≤ ${limit / 1000} ms`,
    limit: limit / 1000,
  })
}

/** Back and forth between two states that allow it; each transition is a bash of its own, as agents run them. */
async function transitions({ dir, env }, plain, quick) {
  const turns = { ours: 0, plain: 0 }
  const next = (who) => (turns[who]++ % 2 === 0 ? 'debug' : 'test')
  const script = `. '${LIBRARY}'; sm_transition "$1"`
  const figures = await interleave(
    {
      ours: () => process_('bash', ['-c', script, 'bash', next('ours')], { env, cwd: dir }).ms,
      plain: () => process_('bash', [PLAIN, plain, next('plain')]).ms,
    },
    { rounds: quick ? 8 : 40, warm: 2 },
  )
  return row({
    id: 'S7',
    work: '`sm_transition` as a process, durable',
    ours: time(median(figures.ours) * 1000),
    peer: `bash and jq, not synced ${time(median(figures.plain) * 1000)}`,
    ratio: ratio(figures.ours, figures.plain),
    target: '≤ 0.6 ×',
    limit: 0.6,
  })
}
