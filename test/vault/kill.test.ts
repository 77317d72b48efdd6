/* M1, M2: a move is killed at its n-th write, sync, rename or new file, on either side. */
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plainEnv, PROGRAM } from '../cli/binary.ts'
import { soak } from '../crash/rig/plan.ts'
import { buildShim, faultEnv, type Fault } from '../crash/rig/shim.ts'
import { scratch } from './rig.ts'

const shim = buildShim()
const root = scratch()
const template = path.join(root, 'template')

type Side = 'a' | 'b'

const run = (dir: string, side: Side, ...args: readonly string[]) => runIn({}, dir, side, ...args)

function runIn(more: Readonly<Record<string, string>>, dir: string, side: Side, ...args: readonly string[]) {
  const env = plainEnv({ STEADFOLD_HOME: path.join(dir, `home-${side}`), STEADFOLD_DEVICE: side, ...more })
  const done = spawnSync(process.execPath, [PROGRAM, ...args, '--dir', path.join(dir, side)], { env, encoding: 'utf8' })
  return { status: done.status ?? -1, text: `${args.join(' ')}: ${done.stdout}${done.stderr}`, out: done.stdout }
}

function well(dir: string, side: Side, ...args: readonly string[]): string {
  const { status, text, out } = run(dir, side, ...args)
  expect(status, text).toBe(0)
  return out
}

const send = (dir: string) => ['teleport', 'send', 'auth', '-r', 'b', '-o', path.join(dir, 'bundle')]
const receive = (dir: string) => ['teleport', 'receive', path.join(dir, 'bundle')]

beforeAll(() => {
  for (const side of ['a', 'b'] as const) {
    fs.mkdirSync(path.join(template, side), { recursive: true })
    well(template, side, 'init')
    well(template, side, 'key', 'create', side)
  }
  for (const [side, other] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const)
    well(
      template,
      side,
      'key',
      'trust',
      well(template, other, 'key', 'list')
        .replace(/^own */, '')
        .trim(),
    )
  well(template, 'a', 'session', 'create', 'auth')
  well(template, 'a', 'state', 'set', 'data.x', '1')
})

afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

function copied(name: string): string {
  const dir = path.join(root, name)
  fs.cpSync(template, dir, { recursive: true })
  return dir
}

/** Stops at the fault and is killed there; false when it ended before it got so far. */
async function killed(dir: string, side: Side, args: readonly string[], fault: Fault): Promise<boolean> {
  const env = plainEnv({ STEADFOLD_HOME: path.join(dir, `home-${side}`), ...faultEnv(shim ?? '', fault) })
  const child = spawn(process.execPath, [PROGRAM, ...args, '--dir', path.join(dir, side)], { env, stdio: 'ignore' })
  let isOver = false
  const over = new Promise<void>((resolve) =>
    child.on('exit', () => {
      isOver = true
      resolve()
    }),
  )
  while (!isOver && !isStopped(child.pid ?? 0)) await sleep(5)
  const wasStopped = !isOver
  child.kill('SIGKILL')
  await over
  return wasStopped
}

function isStopped(pid: number): boolean {
  try {
    return /\) T /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Who would be allowed to write. */
const owners = (dir: string): readonly Side[] =>
  (['a', 'b'] as const).filter((side) => run(dir, side, 'state', 'set', 'data.w', '1', '-n', '-s', 'auth').status === 0)

type Place = Pick<Fault, 'op' | 'act' | 'at'>

const ops = ['write', 'sync', 'rename', 'make'] as const
const some: readonly Place[] = [
  { op: 'write', act: 'stop', at: 2 },
  { op: 'sync', act: 'stop-after', at: 3 },
  { op: 'rename', act: 'stop', at: 1 },
  { op: 'rename', act: 'stop-after', at: 1 },
]
const ways = ops.flatMap((op) => (['stop', 'stop-after'] as const).map((act) => ({ op, act })))

/** In the soak every place there is: on and on until the command ends before it gets there. Answers how many were met. */
async function everyPlace(visit: (place: Place, name: string) => Promise<boolean>): Promise<number> {
  let met = 0
  if (!soak) for (const place of some) met += (await visit(place, `${place.op}-${place.act}`)) ? 1 : 0
  else
    for (const { op, act } of ways.filter((way) => way.op !== 'make' || way.act !== 'stop'))
      for (let at = 1; await visit({ op, act, at }, `${op}-${act}-${at}`); at += 1) met += 1
  if (soak) process.stderr.write(`killed at ${met} places\n`)
  return met
}

test.skipIf(shim === undefined)(
  'M1 a sender that is killed anywhere leaves one owner or a departed session, and sends when asked again',
  async () => {
    const met = await everyPlace(async (place, name) => {
      const dir = copied(`send-${name}`)
      const isMet = await killed(dir, 'a', send(dir), { ...place, path: dir })
      expect([place, ['a', ''].includes(owners(dir).join())]).toEqual([place, true])
      well(dir, 'a', ...send(dir), '--force')
      expect(owners(dir)).toEqual([])
      well(dir, 'b', ...receive(dir))
      expect(owners(dir)).toEqual(['b'])
      fs.rmSync(dir, { recursive: true })
      return isMet
    })
    expect(met).toBeGreaterThan(soak ? 10 : 1)
  },
  soak ? 1_800_000 : 120_000,
)

test.skipIf(shim === undefined)(
  'M4 a sender whose disk fills up has departed, says so, and comes back or goes on',
  () => {
    const dir = copied('full')
    const full = faultEnv(shim ?? '', { path: '.bundle.', op: 'write', act: 'ENOSPC' })
    const { status, text } = runIn(full, dir, 'a', ...send(dir))
    expect([status, text]).toEqual([
      8,
      expect.stringMatching(/cannot write .*bundle: ENOSPC; session auth has departed/),
    ])
    expect(text).toMatch(/--force, or take it back: steadfold teleport cancel --dir \S+ auth/)
    expect([owners(dir), fs.readdirSync(dir).filter((name) => name.includes('bundle'))]).toEqual([[], []])
    well(dir, 'a', 'teleport', 'cancel', 'auth')
    expect(owners(dir)).toEqual(['a'])
    runIn(full, dir, 'a', ...send(dir))
    well(dir, 'a', ...send(dir), '--force')
    well(dir, 'b', ...receive(dir))
    expect(owners(dir)).toEqual(['b'])
  },
)

test.skipIf(shim === undefined)(
  'M2 a receiver that is killed anywhere leaves nobody or itself as the owner, and receives when asked again',
  async () => {
    const sent = copied('sent')
    well(sent, 'a', ...send(sent))
    const met = await everyPlace(async (place, name) => {
      const dir = path.join(root, `receive-${name}`)
      fs.cpSync(sent, dir, { recursive: true })
      const isMet = await killed(dir, 'b', receive(dir), { ...place, path: `${dir}/b` })
      const after = owners(dir)
      expect([place, ['b', ''].includes(after.join())]).toEqual([place, true])
      const again = run(dir, 'b', ...receive(dir))
      expect([place, again.status, again.text]).toEqual([place, after.length === 1 ? 6 : 0, again.text])
      expect(owners(dir)).toEqual(['b'])
      well(dir, 'b', 'verify')
      fs.rmSync(dir, { recursive: true })
      return isMet
    })
    expect(met).toBeGreaterThan(soak ? 10 : 1)
  },
  soak ? 1_800_000 : 120_000,
)
