/* git, as a process. What it says of its progress tells that a server is still there. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { promisify } from 'node:util'
import { Silence } from './patience.ts'

const run = promisify(execFile)
const MOST = 1024 * 1024 * 1024
const MOST_SAID = 64 * 1024

export interface GitOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** What it writes; throws what it says against it, as `stderr` of the error. */
export async function git(args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { stdout } = await run('git', args, { ...options, maxBuffer: MOST, encoding: 'buffer' })
  return stdout
}

/** It talks to a server; `silent` is thrown when that is not heard of for so long, in ms. */
export function gitOver(
  args: readonly string[],
  options: GitOptions,
  { patience, silent }: { readonly patience: number; readonly silent: () => Error },
): Promise<void> {
  const child = spawn('git', args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  return new Promise((resolve, reject) => {
    const silence = new Silence(patience, () => {
      child.stderr.destroy()
      reject(silent())
      void ended(child)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      silence.heard()
      stderr = (stderr + chunk.toString('utf8')).slice(-MOST_SAID)
    })
    child.on('error', (error) => {
      silence.over()
      reject(error)
    })
    child.on('close', (status) => {
      silence.over()
      if (status === 0) resolve()
      else reject(Object.assign(new Error(`git ended with ${String(status)}`), { stderr: spoken(stderr) }))
    })
  })
}

/** Without how far it got, and without whom it asked. */
const spoken = (text: string): string =>
  text
    .split(/[\r\n]+/)
    .filter(
      (line) =>
        !/\d+%|done\.\s*$|^(?:remote: )?Total \d|^(?:From|To|POST) |^(?:remote: )?\w+ \w+: \d+|^Delta |^remote:\W*$/.test(
          line,
        ),
    )
    .join('\n')

/** With what it has begun: an ssh waits on for a server that says nothing. */
async function ended(child: ChildProcess): Promise<void> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']).catch(() => ({ stdout: '' }))
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  const begun = [child.pid ?? 0]
  for (const pid of begun) begun.push(...pairs.flatMap(([own = 0, parent]) => (parent === pid ? [own] : [])))
  // git goes first: it begins another when one has ended.
  child.kill()
  for (const pid of begun.slice(1)) {
    try {
      process.kill(pid)
    } catch {
      // It has ended by itself.
    }
  }
}
