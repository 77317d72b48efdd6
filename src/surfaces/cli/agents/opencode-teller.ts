/*
 * What the hooks of one opencode process tell, one program after the other.
 *
 * O1. It never rejects: what cannot be told is not told.
 */
import { spawn } from 'node:child_process'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { throughNode } from './through-node.ts'

const HERE = path.dirname(fileURLToPath(import.meta.url))
const PROGRAM = path.join(HERE, 'steadfold.cjs')
const SCRIPT = path.join(HERE, 'hook.sh')
const LONGEST_MS = 10_000
const BLOCK = 2

/** What the file of the plugin says. */
export interface Options {
  readonly gate: boolean
  /** The folder of the Node that installed it; earlier versions do not say. */
  readonly node?: string
}

export const program = (node: Options['node']): readonly string[] =>
  node === undefined ? ['node', PROGRAM] : throughNode(PROGRAM, node)

export type Members = Readonly<Record<string, unknown>>

export class Teller {
  readonly #cwd: string
  readonly #program: readonly string[]
  readonly #parents = new Map<string, string>()
  readonly #begun = new Set<string>()
  /** Their context was cut. */
  readonly #stale = new Set<string>()
  readonly #failing = new Set<string>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(cwd: string, node: Options['node']) {
    this.#cwd = cwd
    this.#program = program(node)
  }

  tell(name: string, session: string, more: Members = {}): Promise<Done> {
    return this.#call(['sh', SCRIPT, 'opencode'], name, session, more)
  }

  async created(session: string, parent: unknown): Promise<void> {
    if (typeof parent !== 'string' || this.#parents.has(session)) return
    this.#parents.set(session, parent)
    await this.tell('subagent.created', session)
  }

  async idle(session: string): Promise<void> {
    const isChild = this.#parents.has(session)
    // What went wrong stays what is known of it.
    if (!this.#failing.delete(session)) await this.tell(isChild ? 'subagent.idle' : 'session.idle', session)
  }

  async failed(session: string, error: string): Promise<void> {
    if (!this.#parents.has(session)) await this.tell('session.error', session, { error })
  }

  /** Version 1 says of one that failed that it is idle, too. */
  isIdleNext(session: string): void {
    if (!this.#parents.has(session)) this.#failing.add(session)
  }

  async cut(session: string): Promise<void> {
    this.#stale.add(session)
    await this.tell('session.compacted', session)
  }

  /** Answers with where the agent stands, when it has to be told. */
  async prompted(session: string, prompt: string): Promise<string> {
    if (this.#parents.has(session)) return ''
    this.#failing.delete(session)
    if (this.#stale.delete(session)) return contextIn(await this.#ask('chat.message', session, { prompt }))
    const isNew = !this.#begun.has(session)
    this.#begun.add(session)
    const context = isNew ? contextIn(await this.#ask('session.started', session, {})) : ''
    await this.tell('chat.message', session, { prompt })
    return context
  }

  /** Answers with why it must not run. */
  async gate(name: string, session: string, more: Members): Promise<string | undefined> {
    const { code, err } = await this.#ask(name, session, more, '--gate')
    return code === BLOCK ? err.trim() : undefined
  }

  async ended(): Promise<void> {
    for (const session of this.#begun) void this.tell('dispose', session)
    await this.#last
  }

  #ask(name: string, session: string, more: Members, ...flags: readonly string[]): Promise<Done> {
    return this.#call([...this.#program, 'hook', 'opencode', ...flags], name, session, more)
  }

  /** O2, O3 */
  #call(command: readonly string[], name: string, session: string, more: Members): Promise<Done> {
    const payload = JSON.stringify({
      session_id: this.#rootOf(session),
      hook_event_name: name,
      cwd: this.#cwd,
      ...more,
    })
    // What fails once must not be what all that come behind it wait for.
    const called = this.#last.then(() => run(command, payload, this.#cwd)).catch(() => UNTOLD)
    this.#last = called
    return called
  }

  #rootOf(session: string): string {
    const parent = this.#parents.get(session)
    return parent === undefined ? session : this.#rootOf(parent)
  }
}

interface Done {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const UNTOLD: Done = { code: null, out: '', err: '' }

/** Rejects where no file can be opened any more: such a program has no streams. */
function run([program = '', ...words]: readonly string[], input: string, cwd: string): Promise<Done> {
  return new Promise((resolve) => {
    const said = { out: '', err: '' }
    const child = spawn(program, words, { cwd, stdio: ['pipe', 'pipe', 'pipe'] })
    const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS)
    const done = (code: number | null) => {
      clearTimeout(timer)
      resolve({ code, ...said })
    }
    child.on('error', () => done(null)).on('close', done)
    for (const [stream, name] of [
      [child.stdout, 'out'],
      [child.stderr, 'err'],
    ] as const)
      stream.setEncoding('utf8').on('data', (text) => (said[name] += text))
    child.stdin.on('error', () => undefined).end(input)
  })
}

function contextIn({ out }: Done): string {
  try {
    const { hookSpecificOutput } = membersOf(JSON.parse(out))
    return textOf(membersOf(hookSpecificOutput)['additionalContext'])
  } catch {
    return ''
  }
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const membersOf = (value: unknown): Members =>
  // What is no object has no members; arrays and objects may be asked for any.
  typeof value === 'object' && value !== null ? (value as Members) : {}
