/*
 * A transition whose program is killed with -9: at every byte of what it writes, and at every call that writes it.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openWorkspace } from '../../src/compose.ts'
import { steadfold } from './rig/cli.ts'
import { cli, count, patience, scratch } from './rig/plan.ts'
import { until } from './rig/processes.ts'
import { buildShim, faultEnv } from './rig/shim.ts'

const BEFORE = 'initialize'
const INTENT = 'initialize, on the way to research'
const OUTCOME = 'research'
const TRANSITION = ['workflow', 'transition', 'research']
/** With a command between its two phases, and without. */
const WAYS: readonly (readonly [way: string, words: readonly string[], leaves: readonly string[]])[] = [
  ['at once', TRANSITION, [BEFORE, OUTCOME]],
  ['with a command', [...TRANSITION, '--', 'true'], [BEFORE, INTENT, OUTCOME]],
  ['by its intent', [...TRANSITION, '--begin'], [BEFORE, INTENT]],
]

interface Ground {
  readonly dir: string
  readonly log: string
}

function begin(name: string): Ground {
  const dir = scratch(name)
  expect(steadfold(dir, ['init']).status).toBe(0)
  expect(steadfold(dir, ['session', 'create', 'kill']).status).toBe(0)
  const sessions = path.join(dir, '.steadfold/sessions')
  const [id = ''] = readdirSync(sessions)
  return { dir, log: path.join(sessions, id, 'log/00000000000000000001.jsonl') }
}

async function opened<T>(dir: string, look: (session: Session) => Promise<T> | T): Promise<T> {
  const workspace = await openWorkspace({ dir, settings: { checkpoints: false } })
  const session = await workspace.session('kill')
  try {
    return await look(session)
  } finally {
    await session.close()
    await workspace.close()
  }
}
type Session = Awaited<ReturnType<Awaited<ReturnType<typeof openWorkspace>>['session']>>

/** Where the work stands, as the log alone says. */
function standing(session: Session): string {
  const current = (session.get('$.workflow.current') as string | undefined) ?? BEFORE
  const to = session.get('$.workflow.intent.to') as string | undefined
  return to === undefined ? current : `${current}, on the way to ${to}`
}

/** Both ways on from an intent end it; without one, the transition is made as if nothing had been. */
async function goesOn({ dir, log }: Ground, bytes: Buffer): Promise<void> {
  const ways = [{ resume: true }, { abandon: true }]
  for (const way of ways) {
    writeFileSync(log, bytes)
    await opened(dir, async (session) => {
      const before = standing(session)
      const input = before === INTENT ? way : { to: 'research' }
      expect(await session.run('workflow.transition', input)).toMatchObject({ kind: 'accepted' })
      expect(standing(session)).toBe(before === INTENT && 'abandon' in way ? BEFORE : OUTCOME)
    })
  }
}

test.each(WAYS)(
  'W2 a transition %s leaves one of its phases, whichever byte of the log is the last',
  async (_way, words, leaves) => {
    const ground = begin('transition')
    const { dir, log } = ground
    const start = readFileSync(log).length
    expect(steadfold(dir, words).status).toBe(0)
    const whole = readFileSync(log)
    const ends = [start, ...[...whole.keys()].filter((at) => at >= start && whole[at] === 10).map((at) => at + 1)]
    const found: string[] = []
    for (let at = start; at <= whole.length; at += count(17, 1)) {
      const near = ends.flatMap((end) => [end - 1, end, end + 1]).filter((end) => end >= at && end < at + count(17, 1))
      for (const cut of new Set([at, ...near])) {
        if (cut < start || cut > whole.length) continue
        writeFileSync(log, whole.subarray(0, cut))
        found.push(await opened(dir, standing))
      }
    }
    expect([...new Set(found)]).toEqual(leaves)
    for (const end of ends)
      for (const cut of [end, Math.min(end + 40, whole.length)]) await goesOn(ground, whole.subarray(0, cut))
  },
  patience(60, 600),
)

const shim = buildShim()

/** Stops at its n-th write to the log, and is killed there; true when it came to its end before. */
async function killAt({ dir }: Ground, words: readonly string[], { at, act }: Stop): Promise<boolean> {
  const { NODE_EXTRA_CA_CERTS: _, STEADFOLD_SESSION: __, STEADFOLD_DIR: ___, ...env } = process.env
  const fault = faultEnv(shim ?? '', { path: '/log/', op: 'write', act, at })
  const child = spawn(process.execPath, [cli, ...words, '--dir', dir], { cwd: dir, env: { ...env, ...fault } })
  let over = false
  const closed = new Promise<void>((settle) => child.on('close', () => settle()))
  void closed.then(() => (over = true))
  const stopped = () => / T /.test(readFileSync(`/proc/${child.pid ?? 0}/stat`, 'latin1'))
  await until(() => over || stopped(), 60_000, 'the program to stop or to end')
  const ended = over
  child.kill('SIGKILL')
  await closed
  return ended
}
interface Stop {
  readonly at: number
  readonly act: 'stop' | 'stop-after'
}

const CALLS = WAYS.flatMap(([way, words, leaves]) =>
  (['stop', 'stop-after'] as const).map((act) => ({ way, words, leaves, act })),
)

test.skipIf(shim === undefined).each(CALLS)(
  'W2 a transition $way, killed at every write it makes ($act), leaves one of its phases and is shown by status',
  async ({ words, leaves, act }) => {
    const ground = begin('transition-call')
    const { dir, log } = ground
    const first = readFileSync(log)
    const found: string[] = []
    for (let at = 1, ended = false; !ended; at += 1) {
      writeFileSync(log, first)
      rmSync(path.join(path.dirname(path.dirname(log)), 'work'), { recursive: true, force: true })
      ended = await killAt(ground, words, { at, act })
      const bytes = readFileSync(log)
      const stands = await opened(dir, standing)
      found.push(stands)
      const { needs_you } = steadfold(dir, ['status']).data as { readonly needs_you: readonly { kind: string }[] }
      expect(needs_you.some(({ kind }) => kind === 'UNFINISHED')).toBe(stands === INTENT)
      await goesOn(ground, bytes)
    }
    expect(new Set(found)).toEqual(new Set(act === 'stop' ? leaves : leaves.filter((each) => each !== BEFORE)))
  },
  patience(90, 120),
)
