import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { History } from './rig/history.ts'
import { startInspector } from './rig/inspector.ts'
import { count, patience, scratch, soak, subject } from './rig/plan.ts'
import { startWriter } from './rig/processes.ts'
import { buildShim, faultEnv } from './rig/shim.ts'

const WRITERS = 8
const shim = buildShim()
const sizes = [
  { size: 100, commits: count(20, 250) },
  { size: 4096, commits: count(12, 250) },
  { size: 65_536, commits: count(6, 250) },
  { size: 1_048_576, commits: count(2, 250) },
]

interface Race {
  readonly size: number
  readonly commits: number
  /** Every fifth write of each process writes half of its bytes. */
  readonly cutShort: boolean
}

/** Eight processes append to one session at once; answers what is wrong with what they left. */
async function race(store: string, { size, commits, cutShort }: Race): Promise<readonly string[]> {
  const dir = path.join(scratch('writers'), 'store')
  mkdirSync(dir)
  const history = new History()
  const part = store === 'product' ? '.steadfold' : '/crash/'
  const fault = cutShort && shim !== undefined ? faultEnv(shim, { path: part, op: 'write', act: 'half', every: 5 }) : {}
  const env = { COUNT: String(commits), SIZE: String(size), CRASH_SLOTS: '1', ...fault }
  const writers = Array.from({ length: WRITERS }, (_, w) => startWriter({ store, dir, id: `w${w}`, history, env }))
  const ends = await Promise.all(writers.map((writer) => writer.ended))
  const inspector = startInspector(store)
  const { log = [], ids = [], code } = await inspector.ask({ dir })
  await inspector.stop()
  const failed = ends
    .filter((end) => end.code !== 0)
    .map((end) => `a writer ended with ${end.code}: ${end.stderr.slice(0, 300)}`)
  return [
    ...failed,
    ...(code === undefined ? [] : [`the store does not open: ${code}`]),
    ...[...history.refused].map(([id, why]) => `${id} was refused: ${why}`).slice(0, 3),
    ...history.judge(ids),
    ...(history.acked.size === WRITERS * commits ? [] : [`${history.acked.size} of ${WRITERS * commits} acknowledged`]),
    ...(log.every((entry, at) => entry.seq === at + 1) ? [] : ['seq has holes']),
  ]
}

const forms = sizes.flatMap((size) => [
  { ...size, cutShort: false },
  { ...size, cutShort: true },
])
/** The smallest and the largest, and one size of which half a write is more than a block. */
const short = forms.filter(({ size, cutShort }) => size === 100 || size === (cutShort ? 65_536 : 1_048_576))

test.each(soak ? forms : short)(
  'L4 eight processes × $commits commits of $size bytes are all there once, in order (P6, cut short: $cutShort)',
  async (form) => {
    expect(await race(subject, form)).toEqual([])
  },
  patience(60, 1200),
)

test(
  'L5 a store that does not read back, and one that trusts the count of a write, are caught',
  // Whether writers meet is chance.
  { retry: 4, timeout: patience(60, 60) },
  async () => {
    const lost = await race('no-read-back', { size: 100, commits: 15, cutShort: false })
    expect(lost.join()).toContain('acknowledged lost')
    if (shim === undefined) return
    const torn = await race('trusts-counts', { size: 100, commits: 15, cutShort: true })
    expect(torn.join()).toContain('acknowledged lost')
  },
)
