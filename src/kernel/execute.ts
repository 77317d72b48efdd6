/*
 * The only way to write.
 *
 *   request ─► catch up ─► expire ─► decide ─► evolve ─► encode ─► append ─► durable ─► answer
 *                ▲                     │ no: refusal        │
 *                └──────── conflict: take back, wait a little, decide again
 *
 * X1. Everything waiting is one group: one append, one sync (L5).
 * X2. An answer leaves when its commit is durable; a refusal when everything it was decided on is.
 * X3. A request keeps its id over all attempts: meeting that id in the log means it was accepted.
 */
import type { Answer } from './answer.ts'
import { EngineError } from './error.ts'
import type { Kernel } from './kernel.ts'
import type { Appended } from './ports.ts'
import type { Replica } from './replica.ts'
import { readAnswer } from './repeat.ts'
import { Stage, type Outcome, type Request } from './stage.ts'

const MOST_ATTEMPTS = 200
const MOST_REQUESTS = 1024
/** Races lost at full speed; whoever loses so many has asked the others to wait, so that more of them are rare. */
const PATIENT = 10

export interface Waiting extends Request {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

export class Executor {
  readonly #kernel: Kernel
  readonly #replica: Replica
  #queue: Waiting[] = []
  #draining: Promise<void> | undefined
  /** Called after each append with the sequence number that is durable now. */
  onDurable: () => void = () => undefined

  constructor(kernel: Kernel, replica: Replica) {
    this.#kernel = kernel
    this.#replica = replica
  }

  submit({ id, operation, input, options }: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      // Named one by one: a spread costs more here than everything else on the way in.
      this.#queue.push({ id, operation, input, options, resolve, reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Runs `task` while no write is under way. */
  async quiet<T>(task: () => Promise<T>): Promise<T> {
    while (this.#draining !== undefined) await this.#draining
    let done: () => void = () => undefined
    this.#draining = new Promise((resolve) => (done = resolve))
    try {
      return await task()
    } finally {
      done()
      this.#draining = this.#queue.length > 0 ? this.#drain() : undefined
    }
  }

  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining
  }

  async #drain(): Promise<void> {
    await new Promise<void>((resolve) => this.#kernel.host.defer(resolve))
    while (this.#queue.length > 0) {
      await this.#settle(this.#queue.splice(0, MOST_REQUESTS))
      // What the answers just woke asks again before the next group is cut.
      await new Promise<void>((resolve) => this.#kernel.host.defer(resolve))
    }
    this.#draining = undefined
  }

  async #settle(group: readonly Waiting[]): Promise<void> {
    const { host } = this.#kernel
    let open = group
    try {
      for (let attempt = 0; open.length > 0; attempt++) {
        if (attempt === MOST_ATTEMPTS) throw contended(this.#replica.session)
        if (attempt >= PATIENT) await host.sleep(delay(attempt - PATIENT, host.random()))
        open = await this.#attempt(open, attempt)
      }
    } catch (error) {
      for (const request of open) request.reject(error)
    }
  }

  /** Answers what it can; gives back what must be decided again. */
  async #attempt(group: readonly Waiting[], losses: number): Promise<readonly Waiting[]> {
    const { log } = this.#kernel
    const replica = this.#replica
    const turn = await log.turn(replica.session, losses)
    let stage: Stage<Waiting>
    let appended: Appended | undefined
    try {
      const open = await this.#catchUp(group)
      replica.assertSound()
      stage = new Stage(this.#kernel, replica)
      for (const request of open) stage.add(request)
      if (stage.lines.length > 0) appended = await this.#append(stage)
    } finally {
      turn.release()
    }
    return appended === undefined ? this.#answerAll(stage.outcomes) : this.#finish(stage, appended)
  }

  async #append(stage: Stage<Waiting>): Promise<Appended> {
    const { log } = this.#kernel
    stage.sealIfFull()
    try {
      return await log.append(this.#replica.session, stage.lines, this.#replica.chain.position, { durability: stage.durability })
    } catch (error) {
      stage.rollback()
      throw error
    }
  }

  async #finish(stage: Stage<Waiting>, appended: Appended): Promise<readonly Waiting[]> {
    if (appended.kind === 'conflict') {
      stage.rollback()
      return stage.outcomes.map(({ request }) => request)
    }
    const [kept, rest] = stage.keep(appended.position)
    try {
      await appended.durable
    } catch (error) {
      for (const { request } of kept) request.reject(error)
      return rest
    }
    await this.#answerAll(kept)
    this.onDurable()
    return rest
  }

  /** X3 and L7: what others, or an attempt believed lost, have already brought into the log is answered from there. */
  async #catchUp(group: readonly Waiting[]): Promise<readonly Waiting[]> {
    const replica = this.#replica
    const met = new Map<string, number>()
    const ids = new Set(group.map(({ id }) => id))
    await replica.catchUp((commit) => {
      if (ids.has(commit.id)) met.set(commit.id, commit.seq)
    })
    const open: Waiting[] = []
    for (const request of group) {
      const seq = met.get(request.id)
      const { key } = request.options
      if (seq !== undefined) await this.#repeat(request, seq)
      else if (key !== undefined && replica.keys.has(key)) await this.#repeat(request, replica.keys.get(key) ?? 0)
      else open.push(request)
    }
    return open
  }

  async #repeat(request: Waiting, seq: number): Promise<void> {
    const { log } = this.#kernel
    const answer = await readAnswer(this.#kernel, this.#replica.session, seq, request)
    // The first answer may have been given up on before it was durable.
    await log.sync(this.#replica.session)
    request.resolve(answer)
  }

  #answerAll(outcomes: readonly Outcome<Waiting>[]): Promise<readonly Waiting[]> {
    for (const { request, result } of outcomes) {
      if (result instanceof Error) request.reject(result)
      else request.resolve(result)
    }
    return Promise.resolve([])
  }
}

/** Full jitter, 1 ms doubling to 64. */
export function delay(attempt: number, random: number): number {
  return Math.min(2 ** attempt, 64) * random
}

function contended(session: string): EngineError {
  return new EngineError('CONTENDED', `session ${session}: ${MOST_ATTEMPTS} attempts lost against other writers; nothing was written`, {
    hint: 'try again',
  })
}
