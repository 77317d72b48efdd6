import { spawnSync } from 'node:child_process'
import { cli } from './plan.ts'

export interface Command {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
  /** Of the error object on stdout; empty when there is none. */
  readonly code: string
  /** Of the answer object on stdout. */
  readonly data: unknown
}

/** Runs the command line on the workspace in `dir`, with `--json`. */
export function steadfold(dir: string, args: readonly string[], input: string | Buffer = ''): Command {
  const { NODE_EXTRA_CA_CERTS: _, STEADFOLD_SESSION: __, STEADFOLD_DIR: ___, ...env } = process.env
  const run = spawnSync(process.execPath, [cli, ...args, '--json', '--dir', dir], {
    cwd: dir,
    env,
    input,
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 1 << 28,
  })
  const { error, data } = parse(run.stdout)
  return { status: run.status, stdout: run.stdout, stderr: run.stderr, code: error?.code ?? '', data }
}

interface Envelope {
  readonly error?: { readonly code?: string }
  readonly data?: unknown
}

function parse(text: string): Envelope {
  try {
    // The envelope of every answer.
    return JSON.parse(text) as Envelope
  } catch {
    return {}
  }
}
