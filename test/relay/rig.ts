/** Relays as processes, and stores that exchange conversations with them. */
import { spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { createInterface } from 'node:readline'
import { makeWorkspace, memoryKernel } from '../../src/compose.ts'
import { operations } from '../../src/compose/operations.ts'
import { conversationOperations } from '../../src/domain/conversation/operations.ts'
import { host } from '../../src/drivers/host/host.ts'
import { makeKey, openSigner } from '../../src/drivers/nostr/signer.ts'
import { verify } from '../../src/drivers/nostr/verify.ts'
import type { ChatStore } from '../../src/drivers/relay/exchange.ts'
import { storeOf } from '../../src/drivers/relay/relays.ts'
import { syncLive, syncOnce, type SyncOptions } from '../../src/drivers/relay/sync.ts'
import { catalogue } from '../../src/kernel/operation/catalogue.ts'
import type { Session } from '../../src/kernel/session.ts'
import { temporaryFolder } from '../conformance/kit.ts'
import { freePort } from '../servers/port.ts'

const PROGRAM = path.join(import.meta.dirname, 'server.mjs')

export class Relay {
  readonly file = path.join(temporaryFolder(), 'events.ndjson')
  url = ''
  #port: number | undefined
  #process: ChildProcess | undefined

  /** Again at the same place, where it was killed. */
  async start(...switches: readonly string[]): Promise<this> {
    this.#port ??= await freePort()
    const child = spawn(process.execPath, [PROGRAM, this.file, String(this.#port), ...switches], {
      // With its input it ends, too, where a test fails before it kills it.
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#process = child
    for await (const line of createInterface({ input: child.stdout })) {
      this.url = line
      break
    }
    return this
  }

  /** kill -9, and gone. */
  async kill(): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  /** What it has under that id. */
  event(id: string): { readonly pubkey: string; readonly tags: readonly (readonly string[])[] } | undefined {
    const line = fs
      .readFileSync(this.file, 'utf8')
      .split('\n')
      .find((each) => each.startsWith(`{"id":"${id}"`))
    return line === undefined ? undefined : (JSON.parse(line) as ReturnType<Relay['event']>)
  }

  /** Ids of what it has, in the order in which it came. */
  get ids(): readonly string[] {
    const lines = fs.readFileSync(this.file, 'utf8').split('\n')
    return lines.flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { readonly id: string }).id]))
  }
}

/** One machine: a session, a key and a clock of its own. */
export class Machine {
  readonly session: Session
  readonly store: ChatStore
  readonly #signer: () => ReturnType<typeof openSigner>
  readonly #stop = new AbortController()
  readonly #live: Promise<void>[] = []

  private constructor(session: Session, signer: () => ReturnType<typeof openSigner>) {
    this.session = session
    this.store = storeOf(session)
    this.#signer = signer
  }

  /** `shift`: what its clock is off by, in seconds. */
  static async start(clock: { shift: number } = { shift: 0 }): Promise<Machine> {
    const key = path.join(temporaryFolder(), 'key')
    makeKey(key)
    const signer = () => openSigner(key)
    const now = () => Date.now() + clock.shift * 1000
    const own = catalogue({ chat: async () => conversationOperations({ sha256: host.sha256, now, verify, signer }) })
    const kernel = {
      ...memoryKernel({ checkpoints: false }),
      operations: { ...operations, get: (name: string) => (name.startsWith('chat.') ? own : operations).get(name) },
    }
    return new Machine(await makeWorkspace(kernel).createSession({ name: 'test' }), signer)
  }

  async run(name: string, input: object): Promise<unknown> {
    const answer = await this.session.run(`chat.${name}`, input)
    if (answer.kind === 'refused') throw new Error(`${answer.code} ${answer.message}`)
    return answer.value
  }

  async open(): Promise<string> {
    const opened = (await this.run('open', { title: 'Login', signed: true })) as { readonly conversation: string }
    return opened.conversation
  }

  say = (conversation: string, text: string) => this.run('post', { conversation, text, signed: true })

  sync(relay: Relay, more: Partial<SyncOptions> = {}, store = this.store) {
    return syncOnce(relay.url, store, { ...this.#options, ...more })
  }

  live(relay: Relay, join: readonly string[] = []): void {
    this.#live.push(syncLive(relay.url, this.store, { ...this.#options, join, tell: () => undefined, random: () => 0 }))
  }

  async hash(conversation: string): Promise<string | undefined> {
    const rows = (await this.run('list', {})) as readonly { readonly id: string }[]
    if (!rows.some(({ id }) => id === conversation)) return undefined
    return ((await this.run('hash', { conversation })) as { readonly hash: string }).hash
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#live)
    await this.session.close()
  }

  get #options(): SyncOptions {
    return { signal: this.#stop.signal, signer: this.#signer, patience: 60_000, join: [], overlap: 3600 }
  }
}

/** Resolves when `holds`, asked again at every commit of either. */
export async function eventually(machines: readonly Machine[], holds: () => Promise<boolean>): Promise<void> {
  const enough = new AbortController()
  const watch = async ({ session }: Machine) => {
    const after = session.seq
    if (await holds()) return
    for await (const _ of session.commits({ after, live: true, signal: enough.signal })) if (await holds()) return
  }
  await Promise.race(machines.map(watch))
  enough.abort()
}
