/*
 * The only way to write.
 *
 *   request ─► catch up ─► expire ─► decide ─► evolve ─► encode ─► append ─► durable ─► answer
 *                ▲                     │ no: refusal        │
 *                └──────── conflict: take back, wait a little, decide again
 *
 * X1. Everything waiting is one group: one append, one sync (L5). Where it pays, half of it is decided during that sync.
 * X2. An answer leaves when its commit is durable; a refusal when everything it was decided on is.
 * X3. A request keeps its id over all attempts: meeting that id in the log means it was accepted.
 */
import { isError } from '../error.ts'
import type { Kernel } from '../kernel.ts'
import { Batch } from '../log/batch.ts'
import { isReplaced } from '../log/replaced.ts'
import type { Watched } from '../observer.ts'
import type { Appended, Turn } from '../ports.ts'
import type { Replica } from '../replica/replica.ts'
import type { Answer } from './answer.ts'
import { Durable } from './durable.ts'
import { contended, delay } from './losing.ts'
import { Overlap } from './overlap.ts'
import { readAnswers } from './repeat.ts'
import type { Request } from './request.ts'
import { Stage, type Outcome } from './stage.ts'

const MOST_ATTEMPTS = 200
const MOST_REQUESTS = 1024
/** Races lost at full speed; whoever loses so many has asked the others to wait, so that more of them are rare. */
const PATIENT = 10
const TAKEN: Turn = { release: () => undefined }

interface Waiting extends Request {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

export class Executor {
  readonly #kernel: Kernel
  readonly #replica: Replica
  readonly #batch: Batch
  #queue: Waiting[] = []
  #first: Waiting | undefined
  #visits: (() => Promise<void>)[] = []
  #draining: Promise<void> | undefined
  /** Taken for a visitor, and for what it prepares. */
  #turn: Turn | undefined
  readonly #durable: Durable
  readonly #overlap: Overlap
  /** Written to last, by its first sequence number. */
  #segment = 0
  /** Called after each append with the sequence number that is durable now. */
  onDurable: () => void = () => undefined

  constructor(kernel: Kernel, replica: Replica) {
    this.#kernel = kernel
    this.#replica = replica
    this.#batch = new Batch(kernel.host.sha256)
    this.#durable = new Durable(replica)
    // Who observes is told of a commit with the state that it led to.
    const isPossible = kernel.log.supports.overlaps === true && kernel.observer === undefined
    this.#overlap = new Overlap(kernel.host.clock, isPossible)
  }

  get session(): string {
    return this.#replica.session
  }

  /** `first`: what was prepared in quiet goes before everybody else. */
  submit({ id, operation, input, options }: Request, place?: 'first'): Promise<Answer> {
    return new Promise((resolve, reject) => {
      // Named one by one: a spread costs more here than everything else on the way in.
      const waiting: Waiting = { id, operation, input, options, resolve, reject }
      if (place === 'first') this.#first = waiting
      else this.#queue.push(waiting)
      this.#draining ??= this.#drain()
    })
  }

  /** Runs `task` while no write is under way; after so many losses, other processes are asked to let it pass, too. */
  quiet<T>(task: () => T | Promise<T>, losses = 0): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#visits.push(async () => {
        try {
          if (losses >= PATIENT) this.#turn = await this.#kernel.log.turn(this.#replica.session, losses)
          resolve(await task())
        } catch (error) {
          reject(error)
        }
      })
      this.#draining ??= this.#drain()
    })
  }

  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining
    await this.#durable.settled()
  }

  async #drain(): Promise<void> {
    // Between groups visitors get their turn, so that they wait for one group, not for the end of all writing.
    while (this.#queue.length > 0 || this.#visits.length > 0) {
      if (this.#visits.length > 0 || !this.#overlap.pays) await this.#durable.settled()
      for (const visit of this.#visits.splice(0)) {
        await visit()
        // What it prepared holds for now only.
        if (this.#first !== undefined) await this.#settle([this.#first])
        this.#first = undefined
        this.#turn?.release()
        this.#turn = undefined
      }
      if (this.#queue.length === 0) continue
      // Whoever is about to ask, among them those whom the last answers just woke, joins the group.
      await new Promise<void>((resolve) => this.#kernel.host.defer(resolve))
      const share = this.#overlap.share(this.#queue.length, this.#durable.isUnderWay)
      await this.#settle(this.#queue.splice(0, Math.min(share, MOST_REQUESTS)))
    }
    this.#draining = undefined
    this.#overlap.rest()
  }

  async #settle(group: readonly Waiting[]): Promise<void> {
    const { host } = this.#kernel
    let open = group
    let tried: ReadonlySet<string> | undefined
    try {
      for (let losses = 0; ;) {
        if (losses === MOST_ATTEMPTS) throw contended(this.session, MOST_ATTEMPTS)
        if (losses >= PATIENT) await host.sleep(delay(losses - PATIENT, host.random()))
        const rest = await this.#attempt(open, losses, tried)
        if (rest.length === 0) return
        losses = rest.length < open.length ? 0 : losses + 1
        open = rest
        tried = new Set(open.map(({ id }) => id))
      }
    } catch (error) {
      for (const request of open) request.reject(error)
    }
  }

  /** Answers what it can; gives back what must be decided again, or did not fit. */
  async #attempt(
    group: readonly Waiting[],
    losses: number,
    tried: ReadonlySet<string> | undefined,
  ): Promise<readonly Waiting[]> {
    const { log } = this.#kernel
    const replica = this.#replica
    // Where a store answers at once, nothing is awaited: each time costs, and there are many on this way.
    const asked = this.#turn === undefined ? log.turn(replica.session, losses) : TAKEN
    const turn = asked instanceof Promise ? await asked : asked
    const later: Waiting[] = []
    let stage: Stage<Waiting> | undefined
    let appended: Appended | undefined
    try {
      const caught = this.#catchUp(group, tried)
      const open = caught instanceof Promise ? await caught : caught
      replica.assertSound()
      // A segment is durable before the next one is written to, whoever has ended it.
      if (replica.chain.position.segment !== this.#segment) await this.#durable.settled()
      this.#kernel.observer?.deciding(this.#watched)
      stage = new Stage(this.#kernel, replica, this.#batch)
      this.#overlap.begin(open.length)
      for (const request of open) {
        if (stage.isFull) later.push(request)
        else stage.add(request)
      }
      const appending = this.#append(stage)
      appended = appending instanceof Promise ? await appending : appending
    } catch (error) {
      stage?.rollback()
      throw error
    } finally {
      turn.release()
    }
    const rest =
      appended === undefined ? await this.#answerUnwritten(stage.outcomes) : await this.#finish(stage, appended)
    return later.length === 0 ? rest : [...rest, ...later]
  }

  /** Undefined when nothing is to be written. */
  #append(stage: Stage<Waiting>): Appended | undefined | Promise<Appended> {
    this.#overlap.decided()
    if (this.#batch.lines.length === 0) return undefined
    stage.sealIfFull()
    const options = { durability: stage.durability, isFollowed: this.#isFollowed }
    return this.#kernel.log.append(this.#replica.session, this.#batch, this.#replica.chain.position, options)
  }

  /** Who waits is decided while the group is on its way. */
  get #isFollowed(): boolean {
    return this.#overlap.pays && this.#queue.length > 0
  }

  get #watched(): Watched {
    return { id: this.#replica.session, state: this.#replica.tree }
  }

  async #finish(stage: Stage<Waiting>, appended: Appended): Promise<readonly Waiting[]> {
    const { observer } = this.#kernel
    if (appended.kind === 'conflict') {
      stage.rollback()
      observer?.conflicted(this.#watched)
      return stage.outcomes.map(({ request }) => request)
    }
    const { position, durable } = appended
    const { lives, chain } = this.#replica
    const before = chain.position
    const [kept, rest] = stage.keep(position)
    const landed = () => {
      if (stage.durability === 'durable') this.#durable.note(position.seq, lives)
      observer?.committed(
        this.#watched,
        stage.drafts.filter((draft) => draft.seq <= position.seq),
      )
      this.#answerAll(kept)
      this.onDurable()
      this.#overlap.landed(this.#draining === undefined)
    }
    if (durable === undefined && !this.#durable.isUnderWay) landed()
    else
      this.#durable.follow(durable, landed, (error) => {
        for (const { request } of kept) request.reject(error)
      })
    this.#segment = before.segment
    if (this.#isFollowed || (this.#overlap.pays && this.#durable.isUnderWay)) return rest
    if (this.#durable.isUnderWay) await this.#durable.settled()
    this.#overlap.waited()
    return rest
  }

  /** X2: a no, and a yes with nothing to do, rest on commits of others, which may not be synced yet. */
  async #answerUnwritten(outcomes: readonly Outcome<Waiting>[]): Promise<readonly Waiting[]> {
    if (outcomes.some(({ request }) => request.options.dryRun !== true)) await this.#vouch()
    this.#answerAll(outcomes)
    return []
  }

  /** Makes durable what was read. */
  async #vouch(): Promise<void> {
    await this.#durable.settled()
    if (this.#durable.isAll) return
    const { seq, session, lives } = this.#replica
    await this.#kernel.log.sync(session)
    this.#durable.note(seq, lives)
  }

  #catchUp(group: readonly Waiting[], tried: ReadonlySet<string> | undefined) {
    const replica = this.#replica
    const met = new Map<string, number>()
    const caught = replica.catchUp(
      tried &&
        ((commit) => {
          if (tried.has(commit.id)) met.set(commit.id, commit.seq)
        }),
    )
    return caught instanceof Promise ? caught.then(() => this.#fresh(group, met)) : this.#fresh(group, met)
  }

  /** X3 and L7: what others, or an attempt believed lost, have already brought into the log is answered from there. */
  #fresh(
    group: readonly Waiting[],
    met: ReadonlyMap<string, number>,
  ): readonly Waiting[] | Promise<readonly Waiting[]> {
    const repeated = new Map<Waiting, number>()
    for (const request of group) {
      const { key } = request.options
      const seq =
        (met.size === 0 ? undefined : met.get(request.id)) ??
        (key === undefined ? undefined : this.#replica.keys.get(key))
      if (seq !== undefined) repeated.set(request, seq)
    }
    if (repeated.size === 0) return group
    return this.#repeat(repeated).then(() => group.filter((request) => !repeated.has(request)))
  }

  /** Fails alone: the others of the group have nothing to do with it. */
  async #repeat(seqs: ReadonlyMap<Waiting, number>): Promise<void> {
    try {
      const answers = await readAnswers(this.#kernel, this.#replica.session, seqs)
      // The first answer may have been given up on before it was durable.
      await this.#vouch()
      for (const [request, answer] of answers) request.resolve(answer)
    } catch (error) {
      // What is open would go on to be read.
      if (isReplaced(error)) await this.#kernel.log.release?.(this.#replica.session)
      for (const request of seqs.keys()) request.reject(error)
    }
  }

  #answerAll(outcomes: readonly Outcome<Waiting>[]): void {
    this.#kernel.host.answered()
    for (const { request, result } of outcomes) {
      if (isError(result)) request.reject(result)
      else request.resolve(result)
    }
  }
}
