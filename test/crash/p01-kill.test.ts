import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { redoFilesBelow } from './rig/files.ts'
import { History } from './rig/history.ts'
import { count, longSegments, patience, program, programEnv, scratch, seeded, subject } from './rig/plan.ts'
import { dump, startWriter, until, type Writer } from './rig/processes.ts'

const random = seeded(1)
const WRITERS = 4

interface Outcome {
  readonly findings: readonly string[]
  readonly history: History
  readonly dumps: readonly number[]
  /** Redo files that were left. */
  readonly copies: number
}

/** Rounds of writers killed at random moments, some in their first append; the store is read after each round. */
async function killLoop(store: string, dir: string, rounds: number): Promise<Outcome> {
  mkdirSync(dir, { recursive: true })
  const history = new History()
  const findings: string[] = []
  const dumps: number[] = []
  let before: readonly string[] = []
  let copies = 0
  for (let round = 0; round < rounds && findings.length === 0; round += 1) {
    findings.push(...(await killRound(store, dir, round, history)))
    const now = dump(store, dir)
    findings.push(...(now.failure === '' ? history.judge(now.ids, before) : [now.failure]))
    dumps.push(now.ms)
    before = now.ids
    copies = Math.max(copies, redoFilesBelow(dir).length)
  }
  return { findings, history, dumps, copies }
}

async function killRound(store: string, dir: string, round: number, history: History): Promise<readonly string[]> {
  // In every other round commits follow each other long enough to be copied to redo files.
  const inRow = round % 2 === 1
  const writers = Array.from({ length: WRITERS }, (_, w) => {
    // Otherwise half of them write from many callers at once: one group is decided while another is on its way.
    const env = inRow ? longSegments : { CALLERS: w % 2 === 0 ? '1' : '40' }
    return startWriter({ store, dir, id: `r${round}w${w}`, history, env })
  })
  const least = () => (inRow ? 40 : 0) + Math.floor(random() * 8)
  return (await Promise.all(writers.map((writer, w) => killOne(writer, `r${round}w${w}`, history, least())))).flat()
}

async function killOne(writer: Writer, id: string, history: History, least: number): Promise<readonly string[]> {
  const trying = (): boolean => history.tried.has(`${id}-0`) || history.tried.has(`${id}c0-0`)
  await until(() => (trying() && writer.acks() >= least) || writer.hasEnded(), 60_000, `${id} to begin`)
  await sleep(random() * 50)
  writer.kill('SIGKILL')
  const { signal, code, stderr } = await writer.ended
  return signal === 'SIGKILL' ? [] : [`writer ended by itself with ${code}: ${stderr.slice(0, 500)}`]
}

test(
  'L5 nothing acknowledged is lost, doubled or moved when four writers are killed over and over (P1)',
  async () => {
    const outcome = await killLoop(subject, path.join(scratch('kill'), 'store'), count(12, 250))
    expect(outcome.findings).toEqual([])
    expect(outcome.history.acked.size).toBeGreaterThan(count(40, 2500))
    expect([...outcome.history.refused.values()]).toEqual([])
    if (subject === 'product') expect(outcome.copies).toBeGreaterThan(0)
  },
  patience(60, 1800),
)

test(
  'S2 a program that ends without closing leaves no copy of what it wrote: only one that was killed does (P1)',
  async () => {
    for (const [last, left] of [
      ['process.exit(3)', 0],
      ['undefined', 0],
      ['process.kill(process.pid, "SIGKILL")', 1],
    ] as const) {
      const dir = scratch('exit')
      const script = `import fs from 'node:fs'
        import { open } from ${JSON.stringify(program('product'))}
        const store = await open(${JSON.stringify(dir)})
        const isCopied = () => fs.readdirSync(${JSON.stringify(dir)}, { recursive: true }).some((name) => name.endsWith('.redo'))
        let n = 0
        for (; n < 5000 && (n % 50 !== 0 || !isCopied()); n += 1) await store.append('n' + n, 'x')
        fs.writeSync(1, String(n))
        ${last}`
      const env = programEnv('product')
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' })
      expect([last, redoFilesBelow(dir).length]).toEqual([last, left])
      expect([Number(stdout) < 5000, dump('product', dir).ids.length]).toEqual([true, Number(stdout)])
    }
  },
  patience(60, 60),
)

test(
  'L5 a store that answers before it writes is caught by the kill loop',
  async () => {
    const { findings } = await killLoop('early-answer', path.join(scratch('kill-bad'), 'store'), 6)
    expect(findings.join()).toContain('acknowledged lost')
  },
  patience(60, 60),
)
