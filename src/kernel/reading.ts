/*
 * What is read of a session that is open: its state now, or at a point in time. Others may have gone on: a point that lies
 * beyond what is folded here is looked for in the log before it is denied.
 *
 * Now is the state in memory, which later commits change in place: `get`, `query` and `nodes` without a point give what is in
 * it. What is asked for by its point is another's, as are the values of many paths and what an operation answers: later
 * commits do not reach it.
 */
import { assertFits, assertOptions, point, text, type Rule } from './arguments.ts'
import { beginningAt, findNodes, readAll, type Moment, type Source } from './document/document.ts'
import { valueHistory } from './history/blame.ts'
import { isFolded, momentAt, resolvePoint } from './history/history.ts'
import type { Kernel } from './kernel.ts'
import type { Landmarks } from './log/landmarks.ts'
import type { Range } from './log/latest.ts'
import { timeOf } from './log/time.ts'
import type { History, Operation } from './operation/operation.ts'
import { textsOf } from './operation/texts.ts'
import type { Replica } from './replica/replica.ts'
import { copyJson } from './state/edit.ts'

export interface At {
  /** A point in time: `@`, `@-3`, `17`, a mark, `2h`, an ISO time. */
  readonly at?: string | number | undefined
}

const NOW = '@'
const AT: Readonly<Record<keyof At, Rule>> = { at: point }
const texts: Rule = { fits: (value) => Array.isArray(value) && value.every(text.fits), must: 'must be a list of texts' }

export class Reading {
  readonly #kernel: Kernel
  readonly #replica: Replica
  readonly #landmarks: Landmarks
  readonly #refresh: () => Promise<void>

  constructor(kernel: Kernel, replica: Replica, landmarks: Landmarks, refresh: () => Promise<void>) {
    this.#kernel = kernel
    this.#replica = replica
    this.#landmarks = landmarks
    this.#refresh = refresh
  }

  get(path: string, options?: At): unknown {
    assertFits(path, text, 'session.get: the path', "session.get('$.data.topic')")
    // Now is read in so few steps that looking at no options would double them.
    if (options !== undefined) assertOptions('session.get', options, AT)
    const read = this.#kernel.places.reader(path)
    if (options?.at !== undefined) return this.bulk([path], options).then((found) => found[path])
    if (read === null) return this.#bulk([path], this.#now).then((found) => found[path])
    const { tree } = this.#replica
    const found = read(tree) ?? beginningAt(this.#kernel, tree, path)
    if (typeof found === 'object') this.#replica.lend()
    return found
  }

  async bulk(paths: readonly string[], options: At): Promise<Readonly<Record<string, unknown>>> {
    assertFits(paths, texts, 'session.bulk: the paths', "session.bulk(['$.data', '$.outputs'])")
    assertOptions('session.bulk', options, AT)
    const { at = NOW } = options
    return this.#bulk(paths, at === NOW ? this.#goingOn : await this.#fixed(at))
  }

  async #bulk(paths: readonly string[], moment: () => Moment): Promise<Readonly<Record<string, unknown>>> {
    return (await readAll(this.#kernel, this.#source, paths, moment)).values
  }

  async nodes(jsonpath: string, options: At) {
    assertFits(jsonpath, text, 'session.query: the query', "session.query('$.data.*')")
    assertOptions('session.query', options, AT)
    const { at } = options
    if (at === undefined) return this.#nodes(jsonpath, this.#now)
    return this.#nodes(jsonpath, at === NOW ? this.#goingOn : await this.#fixed(at))
  }

  #nodes(jsonpath: string, moment: () => Moment) {
    return findNodes(this.#kernel, this.#source, jsonpath, moment)
  }

  /** The moment of a point in time, which stays as it is. */
  async moment(at: string | number): Promise<Moment> {
    return this.#then(await this.resolve(at))
  }

  async #fixed(at: string | number): Promise<() => Moment> {
    const moment = await this.moment(at)
    return () => moment
  }

  /** What a read answers: its own, now or then. */
  async answer(operation: Operation, input: unknown, then: Moment | undefined): Promise<unknown> {
    if (operation.look !== undefined) return operation.look(this.history(then), input)
    const { host, settings } = this.#kernel
    if (then === undefined) return copyJson(operation.read(this.#replica.tree, input, { now: host.now(), settings }))
    // What was over then is judged by the clock of then.
    return operation.read(then.state, input, { now: timeOf(then.at), settings })
  }

  readonly #now = (): Moment => {
    const { seq, at } = this.#replica
    return { state: this.#replica.lend(), seq, at }
  }

  /** Of this one, copies are given away. */
  readonly #goingOn = (): Moment => {
    const { tree, seq, at } = this.#replica
    return { state: tree, seq, at, goesOn: true }
  }

  async #then(seq: number): Promise<Moment> {
    const { session, tree, at } = this.#replica
    if (seq === this.#replica.seq) return { seq, at, state: copyJson(tree) }
    return momentAt(this.#kernel, session, seq)
  }

  /** What an operation may look at, which has looked at the log before; `dry` keeps no texts. */
  history(then?: Moment, dry = false): History {
    const kernel = this.#kernel
    const replica = this.#replica
    const { session } = replica
    const { seq, state } = then ?? { seq: replica.seq, state: replica.lend() }
    const moment = then === undefined ? this.#goingOn : () => then
    return {
      seq,
      state,
      resolve: (text) => resolvePoint(kernel, text, { seq, state, commits: this.#commits }),
      stateAt: async (at) => (await this.#then(at)).state,
      bulk: (paths) => this.#bulk(paths, moment),
      nodes: (jsonpath) => this.#nodes(jsonpath, moment),
      values: (path) => valueHistory(kernel, session, path, seq),
      texts: textsOf(kernel, session, dry),
    }
  }

  async resolve(at: string | number): Promise<number> {
    assertFits(at, point, 'the point', "session.resolve('@-3')")
    if (!isFolded(this.#kernel, String(at), this.#now())) await this.#refresh()
    return resolvePoint(this.#kernel, String(at), { ...this.#now(), commits: this.#commits })
  }

  get #source(): Source {
    const { session, chain } = this.#replica
    return { session, commits: this.#commits, isDamaged: chain.damage !== undefined }
  }

  readonly #commits: Range = (after, until) => this.#landmarks.commits({ after, until }, this.#replica.chain.position)
}
