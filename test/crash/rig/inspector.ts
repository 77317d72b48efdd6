import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { count, program, programEnv } from './plan.ts'

export interface Question {
  readonly dir: string
  /** Ids to append, the store opened anew before each. */
  readonly append?: readonly string[]
  readonly verify?: boolean
  /** Asks for a hash of the whole state. */
  readonly state?: boolean
}

export interface Entry {
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** Missing where the store made the commit for itself. */
  readonly id?: string
  readonly sum: string
}

export interface Answer {
  readonly log?: readonly Entry[]
  readonly ids?: readonly string[]
  readonly after?: readonly string[]
  readonly state?: string
  readonly code?: string
  readonly message?: string
  readonly verified?: { readonly ok: boolean; readonly message: string }
}

/** The largest logs of the soak have two gigabytes. */
const PATIENCE_MS = count(90_000, 300_000)

export interface Inspector {
  ask(question: Question): Promise<Answer>
  stop(): Promise<void>
}

/** One process that opens hundreds of folders, one after the other; a question it does not answer in time kills it. */
export function startInspector(store: string, env: Readonly<Record<string, string>> = {}): Inspector {
  const child = spawn(process.execPath, [program('inspect')], {
    env: programEnv(store, env),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting: ((line: string | undefined) => void)[] = []
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(line))
  const gone = new Promise<void>((settle) =>
    child.on('close', () => settle(waiting.forEach((tell) => tell(undefined)))),
  )
  return {
    ask: async (question) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
      const line = await new Promise<string | undefined>((settle) => {
        waiting.push(settle)
        child.stdin.write(`${JSON.stringify(question)}\n`)
      })
      clearTimeout(timer)
      // inspect.mjs writes this shape.
      return line === undefined ? { code: 'INSPECTOR_GONE' } : (JSON.parse(line) as Answer)
    },
    stop: async () => {
      child.stdin.end()
      await gone
    },
  }
}
