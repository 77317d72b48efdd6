/** A workspace, the built daemon over it, and pages in the browser that all tests share. */
import type { ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { createInterface } from 'node:readline'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, inject } from 'vitest'
import { Place } from '../cli/binary.ts'
import { freePort } from '../servers/port.ts'

export const hasChromium = inject('chromium') !== ''

export const WIDE = { width: 1280, height: 800 }
export const NARROW = { width: 320, height: 700 }

export interface Visit {
  readonly page: Page
  /** Grows with every error that the page tells of. */
  readonly problems: readonly string[]
  readonly go: (address: string) => Promise<unknown>
}

/** Longer than anything takes on a machine that has other things to do. */
const PATIENCE_MS = 40_000

/** Keys of the place alone. */
export const homeOf = ({ dir }: Place): Readonly<Record<string, string>> => ({ STEADFOLD_HOME: path.join(dir, 'home') })

interface RigOptions {
  /** Begin with the sample. */
  readonly sample?: boolean
  /** Before the daemon starts. */
  readonly prepare?: (place: Place) => unknown
  /** Look at a file of the place instead of serving it: the words behind `ui --file`. */
  readonly file?: readonly string[]
}

export class Rig {
  readonly place: Place
  /** Id of the session of the sample. */
  readonly session = inject('sample').session
  #browser: Browser | undefined
  #daemon: ChildProcess | undefined
  #url = ''
  /** That it printed, once, where a file is looked at. */
  #printed: string | undefined

  private constructor(place: Place) {
    this.place = place
  }

  static async open({ sample = false, prepare, file }: RigOptions = {}): Promise<Rig> {
    const rig = new Rig(new Place({ init: !sample }))
    if (sample) fs.cpSync(inject('sample').dir, rig.place.dir, { recursive: true })
    await prepare?.(rig.place)
    const [browser] = await Promise.all([
      chromium.connect(inject('chromium')),
      // It may die, and come back there.
      file === undefined ? rig.serve(await freePort()) : rig.#show(file),
    ])
    rig.#browser = browser
    return rig
  }

  get url(): string {
    return this.#url
  }

  async serve(port: number): Promise<void> {
    this.#url = await this.#started('started', 'serve', '--json', '--port', String(port))
  }

  async #show(file: readonly string[]): Promise<void> {
    this.#printed = await this.#started('link', 'ui', '--no-open', '--json', '--file', ...file)
    this.#url = new URL(this.#printed).origin
  }

  /** Gives the address of the first message of that type. */
  async #started(type: string, ...args: readonly string[]): Promise<string> {
    const daemon = this.place.startWith({ env: homeOf(this.place) }, ...args)
    this.#daemon = daemon
    for await (const line of createInterface(daemon.stdout)) {
      const said = JSON.parse(line) as { readonly type: string; readonly url?: string }
      if (said.type === type) return said.url ?? ''
    }
    throw new Error('the daemon does not start')
  }

  /** As a machine does that loses its power. */
  async kill(): Promise<void> {
    const daemon = this.#daemon
    const gone = new Promise((resolve) => daemon?.once('close', resolve))
    daemon?.kill('SIGKILL')
    await gone
  }

  /** Until `resume` the daemon answers nothing, and keeps what is asked. */
  pause(): void {
    this.#daemon?.kill('SIGSTOP')
  }

  resume(): void {
    this.#daemon?.kill('SIGCONT')
  }

  /** In a browser of its own, let in by a link. */
  async visit(address = '/', options: BrowserContextOptions = {}): Promise<Visit> {
    const looks = { viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce', ...options } as const
    const context = await this.#browser?.newContext(looks)
    if (context === undefined) throw new Error('there is no browser')
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => (message.type() === 'error' ? problems.push(message.text()) : undefined))
    const link = new URL(await this.link())
    // Whoever goes on before the login is answered is not let in: the link is used up, and there is no cookie yet.
    await Promise.all([page.waitForResponse('**/v1/login'), page.goto(`${this.#url}${address}${link.hash}`)])
    return { page, problems, go: (to) => page.goto(`${this.#url}${to}`) }
  }

  /** What `steadfold ui` prints. */
  async link(): Promise<string> {
    if (this.#printed !== undefined) return this.#printed
    const { token } = this.#record()
    const headers = { Authorization: `Bearer ${token}` }
    const answer = await fetch(`${this.#url}/v1/links`, { method: 'POST', headers })
    return ((await answer.json()) as { readonly data: { readonly url: string } }).data.url
  }

  #record(): { readonly token: string } {
    return JSON.parse(fs.readFileSync(path.join(this.place.dir, '.steadfold', 'daemon.json'), 'utf8')) as never
  }

  async close(): Promise<void> {
    await this.#browser?.close()
    await this.kill()
    this.place.remove()
  }
}

/** Served for all tests of a file, and one who looks at it. */
export class Served {
  readonly #options: RigOptions
  readonly #browser: BrowserContextOptions
  #rig: Rig | undefined
  #visit: Visit | undefined

  constructor(options: RigOptions, browser: BrowserContextOptions) {
    this.#options = options
    this.#browser = browser
  }

  get rig(): Rig {
    if (this.#rig === undefined) throw new Error('no test is running')
    return this.#rig
  }

  get visit(): Visit {
    if (this.#visit === undefined) throw new Error('no test is running')
    return this.#visit
  }

  get session(): string {
    return this.rig.session
  }

  async begin(): Promise<void> {
    this.#rig = await Rig.open(this.#options)
    this.#visit = await this.#rig.visit('/', this.#browser)
  }

  async end(): Promise<void> {
    await this.#rig?.close()
  }
}

export function servedForAllTests(options: RigOptions, browser: BrowserContextOptions = {}): Served {
  const on = new Served(options, browser)
  beforeAll(async () => (hasChromium ? on.begin() : undefined))
  afterAll(() => on.end())
  return on
}

export const sampleForAllTests = (): Served => servedForAllTests({ sample: true })
