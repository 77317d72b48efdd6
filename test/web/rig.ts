/** A workspace with the sample in it, the built daemon over it, and pages in the browser that all tests share. */
import type { ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { createInterface } from 'node:readline'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { filesKernel, makeWorkspace } from '../../src/compose.ts'
import { host } from '../../src/drivers/host/host.ts'
import { sample } from '../../web/src/sample/sample.ts'
import type { Scene } from '../../web/src/sample/play.ts'
import { Place } from '../cli/binary.ts'

/** How long ago the sample begins: it takes about half of that, by its own clock. */
const AGO_MS = 45 * 60_000

export const hasChromium = inject('chromium') !== ''

export class Rig {
  readonly place = new Place()
  #browser: Browser | undefined
  #daemon: ChildProcess | undefined
  #url = ''

  static async open(fill?: (rig: Rig) => Promise<unknown>): Promise<Rig> {
    const rig = new Rig()
    await fill?.(rig)
    await rig.serve()
    rig.#browser = await chromium.connect(inject('chromium'))
    return rig
  }

  get url(): string {
    return this.#url
  }

  /** Performs the sample with a clock that runs behind; gives the id of its session. */
  async fill(name = 'build-auth'): Promise<string> {
    let now = Date.now() - AGO_MS
    const later = (ms: number) => {
      now = Math.min(now + ms, Date.now())
    }
    const kernel = filesKernel(path.join(this.place.dir, '.steadfold'))
    const workspace = makeWorkspace({ ...kernel, host: { ...host, now: () => now } })
    const open = async (title: string, goal: string): Promise<Scene> => {
      const session = await workspace.createSession({ name: title, goal, actor: 'human:sam' })
      const as = async <Value>(actor: string, operation: string, input: object = {}) => {
        const answer = await session.run(operation, input, { actor })
        if (answer.kind === 'refused') throw new Error(`${operation}: ${answer.message}`)
        // The sample knows what each of its operations answers.
        return answer.value as Value
      }
      const fork = (other: string, at: string) => workspace.fork(session, other, at, { actor: 'human:sam' })
      return { id: session.id, as, later, fork }
    }
    const id = await sample({ open, later }, name)
    await workspace.close()
    return id
  }

  async serve(port = 0): Promise<void> {
    const daemon = this.place.start('serve', '--json', '--port', String(port))
    this.#daemon = daemon
    for await (const line of createInterface(daemon.stdout)) {
      const event = JSON.parse(line) as { readonly type: string; readonly url?: string }
      this.#url = event.url ?? ''
      break
    }
    expect(this.#url).not.toBe('')
  }

  /** As a machine does that loses its power. */
  async kill(): Promise<void> {
    const daemon = this.#daemon
    const gone = new Promise((resolve) => daemon?.once('close', resolve))
    daemon?.kill('SIGKILL')
    await gone
  }

  /** A browser of its own, let in by a link; `problems` grows with every error that the page tells of. */
  async visit(address = '/', options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await this.#browser?.newContext({
      viewport: WIDE,
      colorScheme: 'light',
      reducedMotion: 'reduce',
      ...options,
    })
    if (context === undefined) throw new Error('there is no browser')
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => (message.type() === 'error' ? problems.push(message.text()) : undefined))
    const link = new URL(this.place.data<{ readonly url: string }>('ui', '--no-open').url)
    await page.goto(`${this.#url}${address}${link.hash}`)
    return { page, problems, go: (to) => page.goto(`${this.#url}${to}`) }
  }

  async close(): Promise<void> {
    await this.#browser?.close()
    await this.kill()
    this.place.remove()
  }

  read<Data>(file: string): Data {
    return JSON.parse(fs.readFileSync(path.join(this.place.dir, file), 'utf8')) as Data
  }
}

export const WIDE = { width: 1280, height: 800 }
export const NARROW = { width: 320, height: 700 }

export interface Visit {
  readonly page: Page
  readonly problems: readonly string[]
  readonly go: (address: string) => Promise<unknown>
}
