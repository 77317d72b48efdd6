import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { filesBelow } from './rig/files.ts'
import { History } from './rig/history.ts'
import { count, has, isRoot, patience, scratch, soak, subject } from './rig/plan.ts'
import { dump, runProgram, startWriter, until, type Writer } from './rig/processes.ts'
import { buildShim, faultEnv } from './rig/shim.ts'

const shim = buildShim()

/** Processes of its own folder, killed at the end whatever happened. */
interface Scene {
  readonly store: string
  readonly dir: string
  readonly history: History
  readonly writers: Writer[]
}

function makeScene(store: string): Scene {
  const dir = path.join(scratch('stopped'), 'store')
  mkdirSync(dir)
  return { store, dir, history: new History(), writers: [] }
}

function start(
  { store, dir, history, writers }: Scene,
  id: string,
  more: Partial<Parameters<typeof startWriter>[0]> = {},
): Writer {
  const writer = startWriter({ store, dir, id, history, ...more })
  writers.push(writer)
  return writer
}

async function end({ store, dir, history, writers }: Scene): Promise<readonly string[]> {
  for (const writer of writers) writer.kill('SIGKILL')
  await Promise.all(writers.map((writer) => writer.ended))
  const { ids, failure } = dump(store, dir)
  const verified = runProgram('verify', store, { DIR: dir })
  return [
    ...(failure === '' ? history.judge(ids) : [failure]),
    ...(verified.status === 0 ? [] : [`verify ended with ${verified.status}: ${verified.stderr}`]),
    ...[...history.refused].map(([id, code]) => `${id} was refused: ${code}`).slice(0, 3),
  ]
}

const stopped = (pid: number): boolean => / T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
const holdsLock = (dir: string): boolean => filesBelow(dir).some((name) => /(^|\/)(turn|lock)$/.test(name))

/** Two writers at work, and a third that stops itself in the middle of its n-th write to the log. */
async function stopInWrite(scene: Scene, act: 'stop' | 'stop-after', at: number): Promise<Writer> {
  const others = ['a', 'b'].map((id) => start(scene, id))
  await until(() => others.every((writer) => writer.acks() > 20), 20_000, 'the others to begin')
  const env = faultEnv(shim ?? '', { path: '.jsonl', op: 'write', act, at })
  const victim = start(scene, 'victim', { env })
  await until(() => stopped(victim.pid), 20_000, 'the writer to stop')
  return victim
}

/** The longest time one of the others needed for its next commit, looked at for `ms`. */
async function longestStandstill(writers: readonly Writer[], ms: number): Promise<number> {
  const ends = performance.now() + ms
  const seen = writers.map((writer) => ({ acks: writer.acks(), at: performance.now(), longest: 0 }))
  while (performance.now() < ends) {
    await sleep(10)
    writers.forEach((writer, w) => {
      const last = seen[w]
      if (last === undefined) return
      last.longest = Math.max(last.longest, performance.now() - last.at)
      if (writer.acks() > last.acks) Object.assign(last, { acks: writer.acks(), at: performance.now() })
    })
  }
  return Math.max(...seen.map(({ longest }) => longest))
}

const ready = process.platform === 'linux' && shim !== undefined
const scenes = [
  { act: 'stop', at: 3 },
  { act: 'stop-after', at: 6 },
  ...(soak
    ? ([
        { act: 'stop', at: 6 },
        { act: 'stop-after', at: 3 },
      ] as const)
    : []),
] as const

test.skipIf(!ready)(
  'L6 others go on within a second while a writer is stopped with the lock in its hands, and it joins them later (P8)',
  async () => {
    let held = 0
    for (const { act, at } of scenes) {
      const scene = makeScene(subject)
      const victim = await stopInWrite(scene, act, at)
      held += holdsLock(scene.dir) ? 1 : 0
      const standstill = await longestStandstill(
        scene.writers.filter((writer) => writer !== victim),
        count(1200, 30_000),
      )
      const before = victim.acks()
      victim.kill('SIGCONT')
      await until(() => victim.acks() > before + 3, 20_000, 'the stopped writer to go on')
      expect(await end(scene)).toEqual([])
      expect(standstill).toBeLessThan(1000)
    }
    if (subject === 'product') expect(held).toBeGreaterThan(0)
  },
  patience(90, 300),
)

test.skipIf(!ready)(
  'L6 a store that waits for its lock for ever is caught',
  async () => {
    const scene = makeScene('strict-lock')
    const victim = await stopInWrite(scene, 'stop', 3)
    expect(holdsLock(scene.dir)).toBe(true)
    expect(
      await longestStandstill(
        scene.writers.filter((writer) => writer !== victim),
        1500,
      ),
    ).toBeGreaterThan(1000)
    await end(scene)
  },
  patience(30, 30),
)

const namespaces = process.platform === 'linux' && isRoot && has('unshare')
const apart = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']

/** Two writers who are both pid 1 in a world of their own, and one outside. */
async function raceApart(
  store: string,
  ms: number,
): Promise<{ readonly findings: readonly string[]; readonly acks: readonly number[] }> {
  const scene = makeScene(store)
  const writers = [start(scene, 'x', { wrap: apart }), start(scene, 'y', { wrap: apart }), start(scene, 'z')]
  await until(() => writers.every((writer) => writer.acks() > 5), 20_000, 'all to begin')
  await sleep(ms)
  expect(existsSync(scene.dir)).toBe(true)
  return { acks: writers.map((writer) => writer.acks()), findings: await end(scene) }
}

test.skipIf(!namespaces)(
  'L6 writers in different pid namespaces share one folder (P8)',
  async () => {
    const { findings, acks } = await raceApart(subject, count(1200, 30_000))
    expect(findings).toEqual([])
    expect(Math.min(...acks)).toBeGreaterThan(20)
  },
  patience(40, 120),
)

test.skipIf(!namespaces)(
  'L6 a store that trusts a pid in a lock file is caught',
  async () => {
    const { findings } = await raceApart('pid-lock', 1500)
    expect(findings.join()).toContain('acknowledged lost')
  },
  patience(30, 30),
)
