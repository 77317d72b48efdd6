/*
 * When a session writes a checkpoint.
 *
 * N1. The log since the last one is at least `checkpointBytes`, and half of what the last one weighed: the cost per commit
 *     does not grow with the state.
 * N2. While the session is in use, making them takes half of the time at most, and they are `checkpointMs` apart, however
 *     many processes write: the one that another has made, or has begun, serves all. A longer rest would never end: what
 *     is written meanwhile is folded for the next one, faster than it is written, but not five times as fast.
 *     One that could not be used serves nobody: that of another build would leave every command to fold the whole log.
 * N3. A session that is closed leaves one behind when an eighth of that has grown, so that whoever opens it next starts
 *     near the end. While it is small, it is made on the spot, which costs less than starting a thread; and four times as
 *     often, since folding a hundred commits costs a short command as much.
 * N4. What asks for one gets one, whatever has grown.
 *     So does a session that begins to end, also when its time was over and another commit told that.
 * N5. It weighs the state, so it is when somebody is warned that a limit of the workspace comes near; once.
 */
import type { Kernel } from '../kernel.ts'
import { nearLimits } from './limits.ts'
import { peekAt } from './parts.ts'
import type { Replica } from './replica.ts'
import { takenOf, type Taken } from './taken.ts'

const STATUS = ['session', 'lifecycle', 'status']
const SHARE_ON_CLOSING = 1 / 8
/** While it is small. */
export const LEAST_SHARE = 1 / 32
const SMALL = 1024 * 1024
/** What seems to have taken longer was a clock that jumped. */
const LONGEST_MS = 60_000

type Quiet = <Value>(task: () => Promise<Value>) => Promise<Value>

export class Checkpointing {
  readonly #kernel: Kernel
  readonly #replica: Replica
  readonly #quiet: Quiet
  #running: Promise<void> | undefined
  #asked: Promise<void> | undefined
  #warned = false
  #ended = 0
  #pause = 0
  #wrote = false
  #wasEnding = false
  #madeAt = 0

  /** `quiet` runs a task while no write is under way. */
  constructor(kernel: Kernel, replica: Replica, quiet: Quiet) {
    this.#kernel = kernel
    this.#replica = replica
    this.#quiet = quiet
  }

  /** After each durable commit. */
  wrote(): void {
    this.#wrote = true
    if (this.#beginsToEnd()) this.#asked = this.now()
    else if (this.#running === undefined && this.#isDue(1) && this.#isRested() && !this.#isServed())
      void this.#make('aside')
  }

  /** Before the first commit. */
  opened(): void {
    this.#beginsToEnd()
  }

  #beginsToEnd(): boolean {
    const was = this.#wasEnding
    this.#wasEnding = peekAt(this.#replica.tree, STATUS) === 'terminating'
    return this.#wasEnding && !was
  }

  /** N4 */
  async now(): Promise<void> {
    await this.#running
    if (this.#kernel.settings.checkpoints && this.#madeAt < this.#replica.seq) void this.#makeWhereCheap()
    await this.#running
  }

  /** N3; waits for what is under way. */
  async finish(): Promise<void> {
    await this.#asked
    await this.#running
    if (this.#wrote && this.#isDue(this.#isSmall ? LEAST_SHARE : SHARE_ON_CLOSING)) await this.#makeWhereCheap()
  }

  get #isSmall(): boolean {
    const { bytesSince, checkpointBytes } = this.#replica
    return bytesSince + checkpointBytes < SMALL
  }

  async #makeWhereCheap(): Promise<void> {
    await this.#make(this.#isSmall ? 'here' : 'aside')
  }

  #isDue(share: number): boolean {
    const { checkpoints, checkpointBytes } = this.#kernel.settings
    const { bytesSince, checkpointBytes: last } = this.#replica
    return checkpoints && bytesSince >= share * Math.max(checkpointBytes, last / 2)
  }

  /** N2; a clock that went back tells nothing. */
  #isRested(): boolean {
    const now = this.#kernel.host.now()
    return now < this.#ended || now >= this.#ended + this.#pause
  }

  /** N2: by what another process has made meanwhile. */
  #isServed(): boolean {
    const { host, log, settings } = this.#kernel
    const replica = this.#replica
    const latest = log.checkpoints?.latest?.(replica.session)
    if (latest === undefined) return false
    if (latest.seq > replica.checkpointSeq && latest.seq !== replica.passedOver) {
      replica.checkpointSeq = latest.seq
      replica.bytesSince = 0
    }
    // One from the future was put before the clock was set back, nobody knows when.
    const left = latest.age < 0 ? 0 : settings.checkpointMs - latest.age
    if (left > 0) [this.#ended, this.#pause] = [host.now(), left]
    return left > 0 || replica.bytesSince === 0
  }

  #make(where: 'here' | 'aside'): Promise<void> {
    const { host, log, settings } = this.#kernel
    const began = host.now()
    if (where === 'aside') log.checkpoints?.begin?.(this.#replica.session)
    this.#replica.bytesSince = 0
    this.#madeAt = this.#replica.seq
    this.#running = this.#made(where).then((bytes) => {
      this.#replica.checkpointBytes = bytes
      this.#warn(bytes)
      this.#running = undefined
      this.#ended = host.now()
      this.#pause = Math.max(settings.checkpointMs, Math.min(LONGEST_MS, Math.max(0, this.#ended - began)))
    })
    return this.#running
  }

  async #made(where: 'here' | 'aside'): Promise<number> {
    const { session } = this.#replica
    return this.#kernel.checkpoint(session, where, where === 'aside' ? await this.#taken() : undefined)
  }

  /**
   * Not of a state whose parts are parsed when they are looked at: a text would be the first look at all of them. Nor beside an
   * observer, who is shown the state. Where it cannot be taken, the session is recovered.
   */
  async #taken(): Promise<Taken | undefined> {
    const { isBrief = false, observer, shape } = this.#kernel
    if (isBrief || observer !== undefined) return undefined
    const take = async () => {
      // Whoever is told to close may have been idle while others wrote.
      await this.#replica.catchUp()
      return takenOf(this.#replica, shape)
    }
    return this.#quiet(take).catch(() => undefined)
  }

  /** N5 */
  #warn(state: number): void {
    const { session, seq: commits } = this.#replica
    const [near] = this.#warned ? [] : nearLimits(this.#kernel.settings, { state, commits, blob: 0 })
    if (near === undefined) return
    this.#warned = true
    this.#kernel.warn(
      `session ${session} ${near.used > near.most ? 'is over' : 'comes near'} a limit: ${near.limit} ${near.used} of ${near.most}; steadfold gc says what can go`,
    )
  }
}
