import { assertOptions } from './arguments.ts'
import { asRefusal } from './decision.ts'
import { asError, closed, EngineError } from './error.ts'
import { asAsked } from './json/as-asked.ts'
import type { Kernel } from './kernel.ts'
import type { Bell } from './log/bell.ts'
import type { Damage } from './log/chain.ts'
import type { Commit } from './log/commit.ts'
import { COMMITS, commitsOf, type CommitsOptions } from './log/commits.ts'
import { Landmarks } from './log/landmarks.ts'
import { observed } from './observer.ts'
import type { Answer, RunOptions } from './operation/answer.ts'
import { Executor } from './operation/execute.ts'
import { parseInput, type Parsed } from './operation/input.ts'
import { submitMade } from './operation/made.ts'
import type { Operation, Texts } from './operation/operation.ts'
import { intoThePast, keyed, stale, wrongOptions } from './operation/run-options.ts'
import { textsOf } from './operation/texts.ts'
import { getAt } from './path/path.ts'
import type { Position } from './ports.ts'
import { Reading, type At } from './reading.ts'
import { Checkpointing } from './replica/checkpointing.ts'
import { Replica } from './replica/replica.ts'
import type { Tree } from './state/module.ts'

const RENAME = 'session.rename'
const NO_OPTIONS: RunOptions = {}

/** One session, open in this process. Other processes may write to it at the same time. */
export class Session {
  readonly id: string
  readonly #kernel: Kernel
  readonly #replica: Replica
  readonly #executor: Executor
  readonly #reading: Reading
  readonly #checkpointing: Checkpointing
  readonly #landmarks: Landmarks
  readonly #bells = new Set<Bell>()
  #closed = false
  /** Asked for before it was closed, and not yet with the executor. */
  readonly #preparing = new Set<Promise<unknown>>()
  /** @internal What works in it lets go before it closes. */
  readonly leaving = new Set<() => Promise<void>>()
  /** @internal Called when it is closed. */
  onClosed: () => Promise<void> | undefined = () => undefined
  /** @internal Called around every change of its name; throws where another has that name. */
  onRenaming: (name: string, rename: (name: string) => Promise<Answer>) => Promise<Answer> = (name, rename) =>
    rename(name)

  /** @internal Sessions come from a workspace. */
  constructor(kernel: Kernel, id: string) {
    this.id = id
    this.#kernel = kernel
    this.#replica = new Replica(kernel, id)
    this.#executor = new Executor(kernel, this.#replica)
    this.#landmarks = new Landmarks(kernel, id)
    this.#reading = new Reading(kernel, this.#replica, this.#landmarks, () => this.refresh())
    this.#checkpointing = new Checkpointing(kernel, this.#replica, (task) => this.#executor.quiet(task))
    this.#executor.onDurable = () => this.#checkpointing.wrote()
  }

  /** @internal Milliseconds since 1970, by the clock that leases are measured by. */
  readonly now = (): number => this.#kernel.host.now()

  /** @internal Id of this workspace; undefined where sessions are only looked at. */
  readonly here = (): string | undefined => this.#kernel.here?.()

  /** @internal */
  async open(): Promise<this> {
    await this.#replica.open()
    this.#checkpointing.opened()
    return this
  }

  /** Sequence number of the last commit this process has folded. */
  get seq(): number {
    return this.#replica.seq
  }

  /** Where the log is damaged, if it is; such a session is read-only. */
  get damage(): Damage | undefined {
    return this.#replica.chain.damage
  }

  /** @internal Grows when another log takes the place of this one: a repair, or what came from elsewhere. */
  get lives(): number {
    return this.#replica.lives
  }

  /** @internal Behind the last commit that is folded. */
  get position(): Position {
    return this.#replica.chain.position
  }

  /** How the state was rebuilt: from which checkpoint, and the commits folded behind it. */
  get opened(): { readonly checkpoint: number | null; readonly commits: number } {
    const { checkpointSeq, seq } = this.#replica
    return { checkpoint: checkpointSeq === 0 ? null : checkpointSeq, commits: seq - checkpointSeq }
  }

  /** @internal A text that is kept must be named by a commit, or `gc` takes it away. */
  get texts(): Texts {
    return textsOf(this.#kernel, this.id, false)
  }

  /** Time of the last commit, ISO 8601. */
  get updatedAt(): string {
    return this.#replica.at
  }

  /** Runs an operation. Rejects on failures; a rule's no is an answer. */
  run(name: string, input: unknown = {}, options: RunOptions = NO_OPTIONS): Promise<Answer> {
    if (this.#closed) return Promise.reject(closed(`session ${this.id}`))
    if (this.#kernel.observer === undefined) return this.#run(name, input, options)
    return this.#observed(name, options, () => this.#run(name, input, options))
  }

  #observed(operation: string, options: RunOptions | undefined, run: () => Promise<Answer>): Promise<Answer> {
    const { observer } = this.#kernel
    if (observer === undefined) return run()
    return observed(observer, { id: this.id, state: this.#replica.tree }, { operation, actor: options?.actor }, run)
  }

  /** @internal The same, with an input that is made in its turn: what it is made of holds when it is decided. */
  runMade(name: string, make: () => Promise<unknown>, options: RunOptions): Promise<Answer> {
    if (this.#closed) return Promise.reject(closed(`session ${this.id}`))
    const made = (operation: Operation) => this.#prepared({ ...operation, prepare: make }, {}, options)
    return this.#observed(name, options, () => this.#prepare(this.#operation(name).then(made)))
  }

  #run(name: string, given: unknown, wanted: RunOptions): Promise<Answer> {
    const [input, options] = [asAsked(given), wanted === NO_OPTIONS ? wanted : asAsked(wanted)]
    const known = this.#kernel.operations.get(name)
    // Nothing is awaited that is at hand: every promise on this way costs a tenth of a commit in a large group.
    return known === undefined || known instanceof Promise
      ? this.#prepare(this.#operation(name).then((operation) => this.#perform(operation, input, options)))
      : this.#perform(known, input, options)
  }

  #perform(operation: Operation, input: unknown, options: RunOptions): Promise<Answer> {
    let parsed: Parsed
    try {
      parsed = parseInput(operation, input)
    } catch (error) {
      return Promise.reject(asError(error))
    }
    if (!parsed.ok) return Promise.resolve(parsed.refusal)
    const wrong = options === NO_OPTIONS ? undefined : wrongOptions(operation.name, options)
    if (wrong !== undefined) return Promise.resolve(wrong)
    if (operation.kind === 'read') return this.#read(operation, parsed.input, options)
    if (options.at !== undefined) return Promise.resolve(intoThePast(operation.name))
    const answer =
      operation.name === RENAME
        ? this.#prepare(this.#rename(operation, parsed.input, options))
        : operation.prepare === undefined
          ? this.#submit(operation, parsed.input, options)
          : this.#prepare(this.#prepared(operation, parsed.input, options).catch(asRefusal))
    return operation.checkpoint ? this.#checkpointed(answer, options) : answer
  }

  /** U5 of names.ts */
  async #rename(operation: Operation, input: unknown, options: RunOptions): Promise<Answer> {
    if (options.key !== undefined) await this.refresh()
    if (this.#isAnswered(options)) return this.#submit(operation, input, options)
    const asked = String(getAt(input, ['name']))
    // Back to what it was is another wish, without the key of this one.
    const how = (name: string) => (name === asked ? options : { actor: options.actor })
    return this.onRenaming(asked, (name) => this.#submit(operation, { name }, how(name))).catch(asRefusal)
  }

  async #checkpointed(answered: Promise<Answer>, { dryRun = false }: RunOptions): Promise<Answer> {
    const answer = await answered
    if (answer.kind === 'accepted' && answer.events.length > 0 && !dryRun) await this.#checkpointing.now()
    return answer
  }

  /** What is stored: the whole state, without what is derived when it is read. Read-only. */
  get stored(): Readonly<Tree> {
    return this.#replica.lend()
  }

  /**
   * The value at a path, from memory; undefined where there is none. A promise of it with `at`, and where it is derived:
   * without a path, which is the whole document. Read-only; without `at` it changes with the session, so copy what you keep.
   */
  get(): Promise<Readonly<Tree>>
  get(path: string, options: { readonly at: string | number }): Promise<unknown>
  get(path: string, options?: At): unknown
  get(path = '$', options?: At): unknown {
    return this.#reading.get(path, options)
  }

  /** What is at each path of the document, all at the same commit: copies. A query answers with the list of what it finds. */
  bulk(paths: readonly string[], options: At = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.#reading.bulk(paths, options)
  }

  /** The values an RFC 9535 JSONPath finds. Read-only; without `at` they change with the session, so copy what you keep. */
  async query(jsonpath: string, options: At = {}): Promise<readonly unknown[]> {
    const nodes = await this.nodes(jsonpath, options)
    return nodes.map(({ value }) => value)
  }

  /** The same, each with its place. */
  nodes(jsonpath: string, options: At = {}) {
    return this.#reading.nodes(jsonpath, options)
  }

  /** The whole state, now or then. Read-only; without `at` it changes with the session. */
  async stateAt(at?: string | number): Promise<Readonly<Tree>> {
    return at === undefined ? this.#replica.lend() : (await this.#reading.moment(at)).state
  }

  /** A point in time as a sequence number. One that is not folded yet is looked for in the log. */
  resolve(at: string | number): Promise<number> {
    return this.#reading.resolve(at)
  }

  /** Commits in order. */
  commits(options: CommitsOptions = {}): AsyncGenerator<Commit, void, undefined> {
    assertOptions('session.commits', options, COMMITS)
    const end = this.position
    const position = () => this.#landmarks.behind(options.after ?? 0, end)
    return commitsOf(this.#kernel, this.id, options, { position, bells: this.#bells, isOpen: () => !this.#closed })
  }

  /** Folds what others have appended. */
  async refresh(): Promise<void> {
    await this.#executor.quiet(() => this.#replica.catchUp())
  }

  /** Ends live readers; waits for writes and a checkpoint under way. Then it takes no operations; what was read can be read. */
  async close(): Promise<void> {
    if (this.leaving.size > 0) await Promise.all([...this.leaving].map((leave) => leave()))
    this.#closed = true
    for (const bell of this.#bells) bell.end()
    while (this.#preparing.size > 0) await Promise.allSettled(this.#preparing)
    await this.#executor.idle()
    await this.#checkpointing.finish()
    await this.onClosed()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #operation(name: string): Promise<Operation> {
    const operation = await this.#kernel.operations.get(name)
    if (operation !== undefined) return operation
    throw new EngineError('OPERATION_UNKNOWN', `no operation "${String(name)}"`, {
      hint: 'steadfold schema lists the operations',
    })
  }

  #submit(operation: Operation, input: unknown, options: RunOptions, place?: 'first'): Promise<Answer> {
    return this.#executor.submit(
      { id: this.#kernel.host.newId(), operation, input, options: keyed(options, this.#kernel) },
      place,
    )
  }

  /** L7: the log has the answer, whatever became since of what it was made of. */
  #isAnswered(options: RunOptions): boolean {
    const { key } = keyed(options, this.#kernel)
    return key !== undefined && this.#replica.keys.has(key)
  }

  /** Closing waits for it. */
  #prepare(answer: Promise<Answer>): Promise<Answer> {
    this.#preparing.add(answer)
    const done = () => this.#preparing.delete(answer)
    answer.then(done, done)
    return answer
  }

  #prepared(operation: Operation, input: unknown, options: RunOptions): Promise<Answer> {
    const make = async () => {
      await this.#replica.catchUp()
      const history = this.#reading.history(undefined, options.dryRun)
      const made = this.#isAnswered(options) ? input : await operation.prepare?.(history, input)
      return { seq: history.seq, input: made }
    }
    const submit = (made: unknown, then: RunOptions, place?: 'first') => this.#submit(operation, made, then, place)
    return submitMade(this.#executor, options, { make, submit, lasts: operation.lasts(input) })
  }

  async #read(operation: Operation, input: unknown, { at, ifSeq }: RunOptions): Promise<Answer> {
    await this.refresh()
    try {
      const then = at === undefined ? undefined : await this.#reading.moment(at)
      const from = then?.seq ?? this.seq
      if (ifSeq !== undefined && ifSeq !== from) return stale(ifSeq, from)
      const value = await this.#reading.answer(operation, input, then)
      return { kind: 'accepted', seq: then?.seq ?? this.seq, events: [], value }
    } catch (error) {
      return asRefusal(error)
    }
  }
}
