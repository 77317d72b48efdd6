import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { openRunner, openWorkspace, type OpenSession } from '../../src/compose.ts'
import type { RunEvent, Runner, RunResult, RunWorkflow } from '../../src/kernel/work/runner.ts'
import { remove } from '../remove.ts'
import { until } from '../until.ts'

/** Delays between attempts, of breakers and before SIGKILL are a hundredth of what they are for users. */
const SCALE = '0.01'

/** A fresh folder with a workspace for each test, and a runner in it. */
export class Project {
  #dir = ''
  #workspace: Awaited<ReturnType<typeof openWorkspace>> | undefined
  #runner: Runner | undefined
  /** What the runs of this test told. */
  events: RunEvent[] = []

  get runner(): Runner {
    if (this.#runner === undefined) throw new Error('no test is running')
    return this.#runner
  }

  get workspace() {
    if (this.#workspace === undefined) throw new Error('no test is running')
    return this.#workspace
  }

  readonly run = (definition: unknown, more: Partial<RunWorkflow> = {}): Promise<RunResult> =>
    this.runner.runWorkflow({ definition, onEvent: (event) => this.events.push(event), ...more })

  readonly told = (type: RunEvent['type']): readonly RunEvent[] => this.events.filter((event) => event.type === type)

  /** Waits until a run has told of it so often. */
  async heard(type: RunEvent['type'], times = 1): Promise<void> {
    await until(() => this.told(type).length >= times)
  }

  /** Waits until steps have left so many lines: a step that is told to have started may still be on its way to its command. */
  async left(lines: number): Promise<void> {
    await until(() => existsSync(this.file('effects')) && this.effects().length >= lines)
  }

  /** Lets commands go on that are `held`. */
  release(): void {
    this.write('go', '')
  }

  session(name: string): Promise<OpenSession> {
    return this.workspace.session(name)
  }

  file(name: string): string {
    return path.join(this.#dir, name)
  }

  write(name: string, text: string): string {
    writeFileSync(this.file(name), text)
    return this.file(name)
  }

  /** Lines that steps have left in the file `effects`. */
  effects(): readonly string[] {
    return readFileSync(this.file('effects'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  }

  async begin(): Promise<void> {
    process.env['STEADFOLD_RETRY_SCALE'] = SCALE
    this.#dir = mkdtempSync(path.join(tmpdir(), 'steadfold-runner-'))
    this.#workspace = await openWorkspace({ dir: this.#dir, settings: { checkpoints: false } })
    this.#runner = await openRunner(this.#workspace)
    this.events = []
  }

  async end(): Promise<void> {
    await this.#workspace?.close()
    // A worker that a test left may still write its result.
    remove(this.#dir)
  }
}

export function projectForEachTest(): Project {
  const project = new Project()
  beforeEach(() => project.begin())
  afterEach(() => project.end())
  return project
}

/** The beginning of a command that goes on when the test does `release()`: how long that takes is for nobody to guess. */
export const held = 'until [ -e go ]; do sleep 0.05; done; '

/** A command that leaves a line in the file `effects`. */
export const effect = (name: string): string => `echo ${name} >> effects`
