import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { expect } from 'vitest'
import { remove } from '../remove.ts'

export const PROGRAM = path.join(import.meta.dirname, '..', '..', 'dist', 'steadfold.cjs')

export interface Done {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

export interface How {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** The caller's environment without anything that decides how the program behaves. */
export function plainEnv(env: How['env'] = {}): NodeJS.ProcessEnv {
  const steering =
    /^(STEADFOLD_|CODEX_|CLAUDE_CODE_)|^(CI|CLAUDECODE|(CLAUDE|GEMINI)_PROJECT_DIR|GEMINI_CLI|OPENCODE|NO_COLOR|FORCE_COLOR|NODE_EXTRA_CA_CERTS|NODE_OPTIONS)$/
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !steering.test(name))),
    USER: 'tester',
    ...env,
  }
}

/** A folder with a workspace, and the built program in it. */
export class Place {
  readonly dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'cli-')))

  constructor({ init = true }: { readonly init?: boolean } = {}) {
    // All that `init` makes, without a process.
    if (init) fs.mkdirSync(path.join(this.dir, '.steadfold'), { mode: 0o700 })
  }

  run(...args: readonly string[]): Done {
    return this.runWith({}, ...args)
  }

  /** A script whose arguments are the program. */
  shell(script: string): void {
    spawnSync('sh', ['-c', script, 'sh', process.execPath, PROGRAM], {
      cwd: this.dir,
      env: plainEnv(),
      timeout: 60_000,
    })
  }

  runWith({ input, env, cwd = this.dir }: How, ...args: readonly string[]): Done {
    const done = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd,
      env: plainEnv(env),
      input: input ?? '',
      encoding: 'utf8',
      timeout: 60_000,
    })
    return { status: done.status, out: done.stdout, err: done.stderr }
  }

  /** `data` of the JSON form; the command must have succeeded. */
  data<T = unknown>(...args: readonly string[]): T {
    const { status, out, err } = this.run(...args, '--json')
    expect(status, `${args.join(' ')}\n${out}\n${err}`).toBe(0)
    return (JSON.parse(out) as { readonly data: T }).data
  }

  start(...args: readonly string[]) {
    return this.startWith({}, ...args)
  }

  startWith({ env, cwd = this.dir }: Omit<How, 'input'>, ...args: readonly string[]) {
    return spawn(process.execPath, [PROGRAM, ...args], { cwd, env: plainEnv(env) })
  }

  file(name: string, text: string): string {
    const file = path.join(this.dir, name)
    fs.writeFileSync(file, text)
    return file
  }

  remove(): void {
    // A worker that a test left may still write its result.
    remove(this.dir)
  }
}
