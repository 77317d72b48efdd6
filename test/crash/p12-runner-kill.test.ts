/*
 * The runner is killed with SIGKILL over and over while steps that must not run twice have their effect.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openWorkspace } from '../../src/compose.ts'
import { count, patience, program, programEnv, scratch, seeded, soak } from './rig/plan.ts'

const random = seeded(12)
const MOST_RUNS = 60
const examples = path.resolve(import.meta.dirname, '../../examples')

/** Some are over before the next runner looks, some it finds alive. */
const step = (name: string, seconds: number, needs: readonly string[] = []) =>
  [
    `      ${name}:`,
    `        run: sleep ${seconds}; echo ${name} >> effects; sleep ${seconds}; echo made=${name} >> "$STEADFOLD_OUTPUT"`,
    `        needs: [${needs.join(', ')}]`,
  ].join('\n')

/** No step may run again when its outcome is unknown. */
const WORKFLOW = `name: kill
states:
  research:
    max_parallel: 3
    steps:
${[step('r1', 0.03), step('r2', 0.6), step('r3', 0.02), step('r4', 0.04)].join('\n')}
  implement:
    mode: waves
    steps:
${[step('i1', 0.02), step('i2', 0.5, ['i1']), step('i3', 0.02, ['i1']), step('i4', 0.02, ['i2', 'i3'])].join('\n')}
  test:
    mode: stages
    steps:
${[step('t1', 0.02), step('t2', 0.3, ['t1'])].join('\n')}
  complete: {}
`
const NAMES = ['i1', 'i2', 'i3', 'i4', 'r1', 'r2', 'r3', 'r4', 't1', 't2']

/** What is run through kills. */
interface Subject {
  readonly file: string
  /** Name of the session it makes. */
  readonly session: string
  readonly steps: number
  readonly env: Readonly<Record<string, string>>
  /** What is wrong with what the steps did. */
  readonly effects: (dir: string) => readonly string[]
}

interface Ran {
  readonly killed: boolean
  readonly last: string
  readonly stderr: string
}

/** Kills the runner some time after its n-th event; n may be one that never comes. */
function runOnce(dir: string, { file, env }: Subject): Promise<Ran> {
  const child = spawn(process.execPath, [program('runner')], {
    env: programEnv('product', { DIR: dir, WORKFLOW: file, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const at = Math.floor(random() * 40)
  const delay = random() < 0.5 ? 0 : random() * 60
  let seen = 0
  let last = ''
  let stderr = ''
  const kill = () => void child.kill('SIGKILL')
  if (at === 0) setTimeout(kill, random() * 400)
  createInterface({ input: child.stdout }).on('line', (line) => {
    last = line
    seen += 1
    if (seen === at) setTimeout(kill, delay)
  })
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()))
  return new Promise((settle) =>
    child.on('close', (_code, signal) => settle({ killed: signal === 'SIGKILL', last, stderr })),
  )
}

/** Runs a workflow to its end through any number of kills; how many there were, and what is wrong. */
async function runThroughKills(
  dir: string,
  subject: Subject,
): Promise<{ readonly kills: number; readonly findings: readonly string[] }> {
  mkdirSync(dir, { recursive: true })
  let kills = 0
  for (let run = 0; run < MOST_RUNS; run += 1) {
    const ran = await runOnce(dir, subject)
    if (ran.killed) {
      kills += 1
      continue
    }
    const ended = ran.last.startsWith('{"type":"result"') ? ran.last : `ended with ${ran.stderr}`
    const completed = /"status":"([\w-]+)"/.exec(ended)?.[1] === 'completed'
    const findings = completed ? [] : [`the last run: ${ended.slice(0, 400)}`]
    return {
      kills,
      findings: [...findings, ...subject.effects(dir), ...(await judgeLog(dir, subject)), ...(await orphans(dir))],
    }
  }
  return { kills, findings: [`not completed after ${MOST_RUNS} runs`] }
}

/** From the log: a key that finished is finished once, and never started after. */
async function judgeLog(dir: string, subject: Subject): Promise<readonly string[]> {
  const workspace = await openWorkspace({ dir })
  const session = await workspace.session(subject.session)
  const findings: string[] = []
  const finished = new Set<string>()
  let token = 0
  for await (const commit of session.commits()) {
    for (const { type, data } of commit.events) {
      const { key = '', token: at = 0 } = data as { readonly key?: string; readonly token?: number }
      if ((type === 'step.started' || type === 'step.finished') && finished.has(key))
        findings.push(`${type} after its end, at ${commit.seq}`)
      if (type === 'step.finished') finished.add(key)
      if (type !== 'step.started') continue
      if (at <= token || at !== commit.seq) findings.push(`token ${at} at ${commit.seq}`)
      token = at
    }
  }
  if (finished.size !== subject.steps) findings.push(`${finished.size} steps finished`)
  const left = readdirSync(path.join(dir, '.steadfold/sessions', session.id, 'work'))
  if (left.length > 0) findings.push(`folders of attempts left: ${left.join(' ')}`)
  await workspace.close()
  return findings
}

/** Processes that still work for this folder, a moment after the end. */
async function orphans(dir: string): Promise<readonly string[]> {
  const look = () =>
    readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environment(pid).includes(`STEADFOLD_DIR=${dir}`))
  for (let i = 0; i < 400 && look().length > 0; i += 1) await sleep(25)
  return look().map((pid) => `process ${pid} is left`)
}

function environment(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}

async function killUntil(root: string, kills: number, subject: Subject): Promise<void> {
  let killed = 0
  for (let round = 0; killed < kills; round += 1) {
    const ended = await runThroughKills(path.join(root, `round-${round}`), subject)
    expect(ended.findings, `round ${round}`).toEqual([])
    killed += ended.kills
  }
}

function effectsOnce(dir: string): readonly string[] {
  const effects = readFileSync(path.join(dir, 'effects'), 'utf8').trim().split('\n').toSorted()
  return effects.join() === NAMES.join() ? [] : [`effects: ${effects.join(' ')}`]
}

test(
  'R2 R3 a runner killed at any moment loses no result and has no effect twice (P12)',
  async () => {
    const root = scratch('runner-kill')
    const file = path.join(root, 'kill.workflow.yaml')
    writeFileSync(file, WORKFLOW)
    await killUntil(root, count(6, 100), { file, session: 'kill', steps: NAMES.length, env: {}, effects: effectsOnce })
  },
  patience(60, 1800),
)

test.runIf(soak)(
  'R2 R3 the review survives a runner killed at random moments (P12)',
  async () => {
    const file = path.join(examples, 'review.workflow.yaml')
    const steps = readFileSync(file, 'utf8').match(/^ {8}run:/gm)?.length ?? 0
    const effects = (dir: string) => (existsSync(path.join(dir, 'REVIEW.md')) ? [] : ['no REVIEW.md'])
    const env = { REVIEW_INPUT: path.join(examples, 'review') }
    await killUntil(scratch('review-kill'), 100, { file, session: 'review', steps, env, effects })
  },
  patience(60, 1800),
)
