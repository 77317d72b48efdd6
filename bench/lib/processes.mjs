/* Whole processes: how long they take, how much memory they need, and talking to the ones we keep. */
import { fork, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

const PEAK = path.join(path.dirname(fileURLToPath(import.meta.url)), 'peak.cjs')

/**
 * Extra certificates cost every Node start 37 ms here, and proxies nothing that is measured; what is set for a workspace of
 * the one who measures would lead into it.
 */
function cleanEnv(extra = {}) {
  const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...env } = process.env
  const foreign = Object.entries(env).filter(([name]) => !name.startsWith('STEADFOLD_'))
  return { ...Object.fromEntries(foreign), ...extra }
}

/**
 * Milliseconds from start to end of one process, and what it said; a failure ends the bench. Its stdin is no socket unless there
 * is something on it: behind one, bash takes itself for a remote shell, and reads ~/.bashrc first.
 */
export function run(command, args, { env, cwd, input } = {}) {
  const from = performance.now()
  const done = spawnSync(command, args, {
    env: cleanEnv(env),
    cwd,
    input,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const ms = performance.now() - from
  if (done.status !== 0) {
    throw new Error(
      `${command} ${args.join(' ')}: exit ${done.status ?? done.signal}\n${done.stdout.slice(0, 500)}${done.stderr}`,
    )
  }
  return { ms, stdout: done.stdout }
}

export const node = (args, options) => run(process.execPath, args, options)

/** The same with the most memory it held, in MB. The probe costs about a millisecond. */
export function nodeWithPeak(args, options = {}) {
  const report = path.join(os.tmpdir(), `steadfold-peak-${process.pid}-${Date.now()}`)
  const done = node(['--require', PEAK, ...args], { ...options, env: { ...options.env, BENCH_PEAK: report } })
  const peak_mb = Number(fs.readFileSync(report, 'utf8')) / 1024
  fs.rmSync(report)
  return { ...done, peak_mb }
}

/** Starts a script of this folder as a child that talks by messages; answers it once it said `ready`. */
export function start(script, args = [], options = {}) {
  return new Promise((resolve, reject) => {
    const child = fork(script, args.map(String), { env: cleanEnv(options.env), ...options.fork })
    child.once('message', (message) => {
      if (message === 'ready') resolve(child)
      else reject(new Error(`${script}: expected ready, got ${JSON.stringify(message)}`))
    })
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code} before it was ready`)))
  })
}

/** Next message of a child; its end is an error. */
export function answer(child) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`child ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message)
    })
  })
}
