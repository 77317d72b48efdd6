/*
 * A session's state in this process, and where in the log it stands.
 *
 *   checkpoint ──► state ◄── fold ── commits behind the position ◄── replay ── log
 */
import { EngineError } from '../error.ts'
import type { Kernel } from '../kernel.ts'
import { Chain, START } from '../log/chain.ts'
import { decodeFolded, type Folded, type Scanned } from '../log/decode.ts'
import { isReplaced } from '../log/replaced.ts'
import { corrupt, foreign, scanLog, tailLost } from '../log/replay.ts'
import type { Log, Position } from '../ports.ts'
import { replaying } from '../state/edit.ts'
import { fold } from '../state/fold.ts'
import type { Tree } from '../state/module.ts'
import { decodeCheckpoint, type Checkpoint } from './checkpoint.ts'

const NOTHING = Buffer.alloc(0)
/** While what others wrote is folded, they write on: to look again costs less than to decide on what is old. */
const LOOKS = 3

export class Replica {
  readonly session: string
  chain: Chain
  tree: Tree = {}
  #keys: Map<string, number> | undefined
  #known: Checkpoint['keys'] = () => new Map()
  /** Time of the last commit, ISO 8601 (L8). */
  at = ''
  /** Sequence number and size of the last checkpoint this process knows of, and the log since. */
  checkpointSeq = 0
  checkpointBytes = 0
  bytesSince = 0
  /** Where the one stands that could not be used, so that nobody waits for another because of it. */
  passedOver: number | undefined
  /** Grows when another log takes the place of this one. */
  lives = 0
  /** A change was taken back that had removed a member, which stands behind the others since (E1). */
  isReordered = false
  /** Somebody outside holds an object of the tree, and may write to it whatever he is told. */
  #isLent = false
  readonly #kernel: Kernel
  /** Why a commit could not be folded: the position is behind it, the state is not, so nothing may be decided here. */
  #broken: { readonly error: unknown } | undefined

  constructor(kernel: Kernel, session: string) {
    this.#kernel = kernel
    this.session = session
    this.chain = new Chain(START, kernel.host.sha256)
  }

  get seq(): number {
    return this.chain.position.seq
  }

  /** Idempotency key -> commit (L7). */
  get keys(): Map<string, number> {
    return (this.#keys ??= new Map(this.#known()))
  }

  /** The tree is what replay gives, to the order of members, and all that is known of the log. */
  get isAsReplayed(): boolean {
    return !this.isReordered && !this.#isLent && this.#broken === undefined && this.chain.damage === undefined
  }

  /** The tree, for those who may keep what they find in it. */
  lend(): Tree {
    this.#isLent = true
    return this.tree
  }

  /** From the checkpoint if it can be trusted, else from the log alone; then the rest of the log. */
  async open(): Promise<void> {
    const checkpoint = await this.#trusted()
    if (checkpoint !== undefined) this.#start(checkpoint)
    await this.catchUp()
    if (checkpoint === undefined || this.chain.damage !== undefined) return
    this.checkpointSeq = checkpoint.position.seq
    this.checkpointBytes = checkpoint.bytes
  }

  /** Reads and folds what others appended; a promise only where that takes time. `seen` is told of each commit, in order. */
  catchUp(seen?: (commit: Folded) => void): Promise<void> | undefined {
    // What is told of each commit must come through, whatever the next look finds.
    for (let looks = seen === undefined ? LOOKS : 1; looks > 0; looks--) {
      const before = this.chain.position
      const caught = this.#catchUp(seen)
      if (caught !== undefined || this.chain.position === before) return caught
    }
    return undefined
  }

  #catchUp(seen?: (commit: Folded) => void): Promise<void> | undefined {
    const peeked = this.#peek()
    return peeked instanceof Promise ? peeked.then((tail) => this.#take(tail, seen)) : this.#take(peeked, seen)
  }

  #peek(): ReturnType<Log['peek']> {
    try {
      const peeked = this.#kernel.log.peek(this.session, this.chain.position)
      return peeked instanceof Promise ? peeked.catch((error: unknown) => this.#anew(error)) : peeked
    } catch (error) {
      return this.#anew(error)
    }
  }

  /** Another log has taken the place of ours: it is read from its beginning. */
  async #anew(error: unknown): Promise<Buffer> {
    if (!isReplaced(error)) throw error
    await this.#reopen()
    return NOTHING
  }

  async #reopen(): Promise<void> {
    this.#broken = undefined
    this.lives++
    this.#start({ position: START, state: {}, keys: () => new Map(), at: '' })
    this.checkpointSeq = 0
    this.checkpointBytes = 0
    this.bytesSince = 0
    await this.open()
  }

  /** Damage ends a log: where a commit stands behind the last good one now, somebody has repaired it. */
  async #readAgain(): Promise<void> {
    const { log, host } = this.#kernel
    const chain = new Chain(this.chain.position, host.sha256)
    let goesOn = false
    for await (const { runs } of scanLog(log, this.session, chain)) goesOn ||= runs.length > 0
    if (!goesOn) return
    // A look at what is open would see the damaged one.
    await log.release?.(this.session)
    await this.#reopen()
  }

  /** `tail`: what stands behind the position; undefined when that is to be read. */
  #take(tail: Buffer | undefined, seen?: (commit: Folded) => void): Promise<void> | undefined {
    if (this.#broken !== undefined) throw this.#broken.error
    if (tail?.length === 0) return undefined
    if (this.chain.damage !== undefined) return this.#readAgain()
    const before = this.chain.position
    const { rivals } = this.chain
    if (tail !== undefined) {
      const chunk = { bytes: tail, segment: before.segment, offset: before.offset }
      this.#foldAll({ bytes: tail, runs: this.chain.scan(chunk) }, before.seq + 1, seen)
    }
    if (tail === undefined || this.chain.position.segment !== before.segment) return this.#read(before, rivals, seen)
    this.#count(before)
    return this.chain.rivals > rivals ? this.#readAltered(before) : undefined
  }

  /**
   * Whoever writes in the place of a commit that was read here has lost a race, or found that one altered, as a torn end: then all
   * others go on behind theirs. Asked with a position of its own, of which nothing is remembered.
   */
  async #readAltered(position: Position): Promise<void> {
    if (position.seq > 0 && (await this.#kernel.log.stands(this.session, { ...position })) === 'no')
      await this.#reopen()
  }

  async #read(before: Position, rivals: number, seen?: (commit: Folded) => void): Promise<void> {
    let next = this.seq + 1
    for await (const scanned of scanLog(this.#kernel.log, this.session, this.chain)) {
      this.#foldAll(scanned, next, seen)
      next = this.seq + 1
    }
    this.#count(before)
    if (this.chain.rivals > rivals) await this.#readAltered(before)
    if (this.#kernel.isBrief !== true) this.#kernel.log.learn?.(this.session, this.chain.position)
  }

  /** Throws when the log is damaged: such a session takes no writes. */
  assertSound(): void {
    if (this.chain.damage !== undefined) throw corrupt(this.session, this.chain.damage)
  }

  #foldAll(scanned: Scanned, first: number, seen?: (commit: Folded) => void): void {
    let next = first
    try {
      for (const commits of decodeFolded(scanned, first))
        for (const commit of commits) {
          this.#fold(commit, seen)
          next = commit.seq + 1
        }
    } catch (cause) {
      const isNewer = cause instanceof EngineError && cause.code === 'VERSION_UNKNOWN'
      const error = isNewer ? cause : foreign(this.session, next, cause)
      this.#broken = { error }
      throw error
    }
  }

  #fold(commit: Folded, seen?: (commit: Folded) => void): void {
    fold(this.#kernel.folder, this.tree, commit, replaying)
    const { key } = commit
    if (key !== undefined) this.keys.set(key, commit.seq)
    this.at = commit.at
    seen?.(commit)
  }

  #count({ segment, offset }: Position): void {
    const now = this.chain.position
    this.bytesSince += now.segment === segment ? now.offset - offset : now.offset
  }

  #start(checkpoint: Pick<Checkpoint, 'position' | 'state' | 'keys' | 'at'>): void {
    this.chain = new Chain(checkpoint.position, this.#kernel.host.sha256)
    this.tree = checkpoint.state
    this.isReordered = false
    this.#isLent = false
    this.#known = checkpoint.keys
    this.#keys = undefined
    this.at = checkpoint.at
  }

  async #trusted(): Promise<Checkpoint | undefined> {
    const { log, host, warn, isBrief = false } = this.#kernel
    const bytes = await log.checkpoints?.get(this.session)
    if (bytes === undefined) return undefined
    const checkpoint = decodeCheckpoint(bytes, host, { inParts: isBrief })
    const why = checkpoint === undefined ? 'it is damaged' : await this.#doubt(checkpoint)
    if (why === undefined && checkpoint?.shape === this.#kernel.shape) return checkpoint
    this.passedOver = log.checkpoints?.latest?.(this.session)?.seq
    // K4: another shape is no fault of anybody.
    if (why !== undefined && this.chain.damage === undefined)
      warn(`session ${this.session}: checkpoint ignored: ${why}; state is rebuilt from the log`)
    return undefined
  }

  /** Why a whole checkpoint does not belong to this log; undefined when it does. K3: one ahead of its log is damage. */
  async #doubt(checkpoint: Checkpoint): Promise<string | undefined> {
    const { log } = this.#kernel
    const { position } = checkpoint
    if (position.seq === 0) return undefined
    if ((await log.stands(this.session, position)) === 'yes') return undefined
    // Read what is there; where that ends before, stop taking writes.
    await this.catchUp()
    if (this.seq >= position.seq) return 'it belongs to another log'
    const { segment, offset } = this.chain.position
    const reason = tailLost(position.seq, this.seq)
    this.chain.damage ??= { seq: this.seq + 1, segment, offset, bytes: 0, reason }
    return reason
  }
}
