/*
 * Writes on time what time alone brings about: leases that end, messages that expire, turns that are over.
 *
 * T1. Nothing is written while nothing is due, and nothing is read while nothing was written.
 * T2. What is due but refused, as in a session at rest, is tried again when the session changes, or a little later.
 */
import { nextDue } from '../../kernel/due.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'

const ACTOR = 'tool:steadfold'
/** Clocks jump, and timers do not last for months: at least this often it is reckoned anew. */
const LONGEST_MS = 60_000
/** T2 */
const PATIENCE_MS = 5000

export class Alarm {
  readonly #kernel: Kernel
  readonly #session: Session
  readonly #changed: () => void
  readonly #unwatch: () => void
  #timer: NodeJS.Timeout | undefined
  /** Sequence number at which nothing came of being on time. */
  #idleAt = -1
  #seen = -1
  #busy = false
  #again = false
  #stopped = false

  /** `changed` is called when the session has grown. */
  constructor(kernel: Kernel, session: Session, changed: () => void) {
    this.#kernel = kernel
    this.#session = session
    this.#changed = changed
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
        await this.#session.refresh()
        await this.#tickIfDue()
      }
    } catch {
      // Archived, damaged or out of reach: whoever reads it is told; here it is tried again later.
      this.#set(LONGEST_MS)
    } finally {
      this.#busy = false
    }
  }

  async #tickIfDue(): Promise<void> {
    const session = this.#session
    if (session.seq !== this.#seen) {
      this.#seen = session.seq
      this.#changed()
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
