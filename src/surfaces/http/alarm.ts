/*
 * Writes on time what time alone brings about: leases that end, messages that expire, turns that are over. It looks whenever
 * a log may have changed, so it also tells of one that cannot be read any more, or can be again.
 *
 * T1. Nothing is written while nothing is due, and nothing is read while nothing was written.
 * T2. What is due but refused, as in a session at rest, is tried again when the session changes, or a little later.
 */
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'
import { nextDue } from '../../kernel/state/due.ts'

const ACTOR = 'tool:steadfold'
/** Clocks jump, and timers do not last for months: at least this often it is reckoned anew. */
const LONGEST_MS = 60_000
/** T2 */
const PATIENCE_MS = 5000

interface Told {
  /** The session has grown. */
  readonly grown: () => void
  /** It was damaged or cannot be read, or it is whole again. */
  readonly turned: () => void
}

export class Alarm {
  readonly #kernel: Kernel
  readonly #session: Session
  readonly #told: Told
  readonly #unwatch: () => void
  #timer: NodeJS.Timeout | undefined
  /** Sequence number at which nothing came of being on time. */
  #idleAt = -1
  #seen = -1
  #busy = false
  #again = false
  #stopped = false
  #isSound: boolean

  constructor(kernel: Kernel, session: Session, told: Told) {
    this.#kernel = kernel
    this.#session = session
    this.#told = told
    this.#isSound = session.damage === undefined
    this.#unwatch = kernel.log.watch(session.id, () => this.#wake())
    this.#wake()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
    this.#unwatch()
  }

  #wake(): void {
    this.#again = true
    if (!this.#busy && !this.#stopped) void this.#work()
  }

  async #work(): Promise<void> {
    this.#busy = true
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false
        await this.#refresh()
        await this.#tickIfDue()
      }
    } catch {
      // Archived, damaged or out of reach: whoever reads it is told; here it is tried again later.
      this.#set(LONGEST_MS)
    } finally {
      this.#busy = false
    }
  }

  async #refresh(): Promise<void> {
    try {
      await this.#session.refresh()
      this.#judge(this.#session.damage === undefined)
    } catch (error) {
      this.#judge(false)
      throw error
    }
  }

  #judge(isSound: boolean): void {
    if (isSound === this.#isSound || this.#stopped) return
    this.#isSound = isSound
    this.#told.turned()
  }

  async #tickIfDue(): Promise<void> {
    const session = this.#session
    if (session.seq !== this.#seen) {
      this.#seen = session.seq
      this.#told.grown()
    }
    const now = this.#kernel.host.now()
    const due = session.damage === undefined ? nextDue(this.#kernel.modules, session.stored, now) : undefined
    if (this.#stopped || due === undefined) return clearTimeout(this.#timer)
    if (due >= now) return this.#set(due - now + 1)
    if (this.#idleAt === session.seq) return this.#set(PATIENCE_MS)
    const before = session.seq
    await session.run('session.tick', {}, { actor: ACTOR })
    if (session.seq === before) this.#idleAt = before
    this.#again = true
  }

  #set(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#stopped) return
    this.#timer = setTimeout(() => this.#ring(), Math.min(ms, LONGEST_MS))
    this.#timer.unref()
  }

  #ring(): void {
    if (this.#idleAt === this.#session.seq) this.#idleAt = -1
    this.#wake()
  }
}
