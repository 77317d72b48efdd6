import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { copyWith, filesBelow } from './rig/files.ts'
import { History } from './rig/history.ts'
import { type Entry, startInspector } from './rig/inspector.ts'
import { count, patience, scratch, subject } from './rig/plan.ts'
import { startWriter } from './rig/processes.ts'
import { bentClock, buildShim, type Clock } from './rig/shim.ts'

const shim = buildShim()
const HOUR = 3_600_000
const YEAR = 8766 * HOUR

interface Life {
  readonly dir: string
  readonly folder: string
  readonly log: readonly Entry[]
  readonly findings: readonly string[]
  /** Each checkpoint the store made on its way. */
  readonly checkpoints: readonly Buffer[]
}

/** A store whose clock is bent before each of its bursts of commits. */
async function bentLife(store: string, bends: readonly ((clock: Clock) => void)[], commits: number): Promise<Life> {
  const folder = scratch('clock')
  const dir = path.join(folder, 'store')
  mkdirSync(dir)
  const clock = bentClock(shim ?? '', folder)
  const history = new History()
  const checkpoints: Buffer[] = []
  for (const [burst, bend] of bends.entries()) {
    bend(clock)
    const env = { ...clock.env, COUNT: String(commits) }
    const { code, stderr } = await startWriter({ store, dir, id: `b${burst}`, history, env }).ended
    expect([code, stderr]).toEqual([0, ''])
    const file = path.join(dir, checkpointOf(dir))
    if (existsSync(file) && checkpointOf(dir) !== '') checkpoints.push(readFileSync(file))
  }
  const inspector = startInspector(store)
  const { log = [], ids = [] } = await inspector.ask({ dir })
  await inspector.stop()
  const refused = [...history.refused].map(([id, why]) => `${id} was refused: ${why}`)
  return { dir, folder, log, checkpoints, findings: [...history.judge(ids), ...refused.slice(0, 3), ...disorder(log)] }
}

const checkpointOf = (dir: string): string => filesBelow(dir).find((name) => name.endsWith('checkpoint.json')) ?? ''

function disorder(log: readonly Entry[]): readonly string[] {
  return log.flatMap(({ seq, at }, i) => {
    const before = log[i - 1]
    return [
      ...(seq === i + 1 ? [] : [`seq ${seq} stands at place ${i + 1}`]),
      ...(before !== undefined && at < before.at ? [`time goes back at seq ${seq}`] : []),
    ]
  })
}

const jumps: readonly ((clock: Clock) => void)[] = [
  (clock) => clock.jump(0),
  (clock) => clock.jump(-2 * HOUR),
  (clock) => clock.jump(10 * YEAR),
  (clock) => clock.jump(-2 * HOUR),
  (clock) => clock.jump(0),
]

test.skipIf(shim === undefined)(
  'L8 seq is strict and time never goes back, whatever the clock does (P9)',
  async () => {
    const life = await bentLife(subject, jumps, count(30, 300))
    expect(life.findings).toEqual([])
    expect(life.log.length).toBeGreaterThanOrEqual(count(150, 1500))
    // The ten years were seen: the clock of the store was really bent.
    expect((life.log.at(-1)?.at ?? 0) - (life.log[0]?.at ?? 0)).toBeGreaterThan(9 * YEAR)
    expect(await replays(life)).toEqual([])
  },
  patience(60, 300),
)

/** From every checkpoint and from the log alone, the same state. */
async function replays({ dir, folder, checkpoints }: Life): Promise<readonly string[]> {
  if (subject !== 'product') return []
  const inspector = startInspector(subject)
  const states = new Set<string>()
  expect(checkpoints.length).toBeGreaterThan(2)
  for (const bytes of [...checkpoints, Buffer.from('no checkpoint')]) {
    const copy = path.join(folder, 'copy')
    copyWith(dir, copy, checkpointOf(dir), bytes)
    states.add((await inspector.ask({ dir: copy, state: true })).state ?? 'none')
  }
  await inspector.stop()
  return states.size === 1 && !states.has('none') ? [] : [...states]
}

test.skipIf(shim === undefined)(
  'L8 five hundred commits in one millisecond keep their order (P9)',
  async () => {
    const now = Date.now()
    const { findings, log } = await bentLife(subject, [(clock) => clock.freeze(now)], 500)
    expect(findings).toEqual([])
    expect(new Set(log.map(({ at }) => at))).toEqual(new Set([now]))
  },
  patience(30, 60),
)

test.skipIf(shim === undefined)(
  'L8 a store that writes the time as the clock says is caught',
  async () => {
    const { findings } = await bentLife('wall-clock', jumps, 5)
    expect(findings.join()).toContain('time goes back')
  },
  patience(30, 30),
)
