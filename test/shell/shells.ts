import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { shellLibraryPath } from '../../src/surfaces/shell/shell.ts'
import { remove } from '../remove.ts'

export interface Shell {
  readonly name: string
  readonly argv: readonly [string, ...string[]]
}

const SHELLS: readonly Shell[] = [
  { name: 'bash', argv: ['bash'] },
  { name: 'bash --posix', argv: ['bash', '--posix'] },
  { name: 'sh', argv: ['sh'] },
  { name: 'dash', argv: ['dash'] },
  { name: 'busybox sh', argv: ['busybox', 'sh'] },
  { name: 'mksh', argv: ['mksh'] },
  { name: 'zsh', argv: ['zsh'] },
]
const REQUIRED = new Set(['bash', 'sh', ...(process.env['CI'] === undefined ? [] : ['zsh'])])

/** `sh` is often one of the others. */
const fileOf = (program: string) => {
  const folder = (process.env['PATH'] ?? '').split(':').find((each) => fs.existsSync(path.join(each, program)))
  return folder === undefined ? program : fs.realpathSync(path.join(folder, program))
}

const isThere = ({ argv: [program, ...rest] }: Shell) => spawnSync(program, [...rest, '-c', ':']).status === 0

/** The shells of this machine; says which are missing. bash and sh may not be, in CI zsh neither. */
export const shells: readonly Shell[] = SHELLS.filter((shell) => {
  if (shell.name === 'dash' && fileOf('sh') === fileOf('dash')) return false
  if (isThere(shell)) return true
  if (REQUIRED.has(shell.name)) throw new Error(`${shell.name} is needed to test the shell library`)
  process.stderr.write(`SKIPPED: ${shell.name} is not installed, the shell library is not tested in it\n`)
  return false
})

export interface Done {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

/** A project folder with an empty spool, and scripts run in it with the library sourced. */
export class Place {
  readonly dir = fs.mkdtempSync(path.join(os.tmpdir(), 'shell-'))
  readonly root = path.join(this.dir, '.steadfold')

  constructor() {
    fs.mkdirSync(path.join(this.root, 'spool'), { recursive: true, mode: 0o700 })
  }

  file(name: string): string {
    return path.join(this.dir, name)
  }

  /** The caller's environment without anything of ours. */
  run({ argv: [program, ...rest] }: Shell, script: string, env: Readonly<Record<string, string>> = {}): Done {
    const clean = Object.entries(process.env).filter(
      ([name]) => !name.startsWith('STEADFOLD_') && name !== 'STATE_FILE',
    )
    const done = spawnSync(program, [...rest, '-c', `. '${shellLibraryPath()}'\n${script}`], {
      cwd: this.dir,
      env: { ...Object.fromEntries(clean), ...env },
      encoding: 'utf8',
    })
    return { status: done.status, out: done.stdout, err: done.stderr }
  }

  remove(): void {
    // A worker that a test left may still write its result.
    remove(this.dir)
  }
}
