/*
 * A group of requests on its way into the log: decided one after the other, each on the state the ones before it left.
 *
 * G1. Until the lines stand in the log every change can be taken back.
 * G2. A refusal takes back what had expired before it, too: the next accepted operation tells it.
 * G3. A group ends with the commit that makes it longer than one may be, so that large ones fit in memory and in one write.
 * G4. No line holds what the redactor finds: such a request is taken back, cleaned, and decided again. So is one that its
 *     operation answers with a no: what it was compared with is clean. (A thrown no, such as that of a test, stands: two
 *     secrets are alike once they are taken out.)
 */
import { refusalOf, type Decision, type Refusal } from '../decision.ts'
import { EngineError } from '../error.ts'
import { ownJson } from '../json/json.ts'
import type { Kernel } from '../kernel.ts'
import { Batch } from '../log/batch.ts'
import { SEAL_EVENT, SEAL_OP, type Draft, type Event } from '../log/commit.ts'
import { lineText, wordsOf, type Words } from '../log/line.ts'
import { timeOf, timeText } from '../log/time.ts'
import type { Encoded, Position } from '../ports.ts'
import { sum, type Found } from '../redact/redact.ts'
import type { Replica } from '../replica/replica.ts'
import { Journal } from '../state/edit.ts'
import { fold } from '../state/fold.ts'
import type { Accepted, Answer } from './answer.ts'
import { cleaned, cleanedNo, cleanEvents, redactedEvents } from './clean.ts'
import type { Context } from './operation.ts'
import { repeated } from './repeat.ts'
import type { Request } from './request.ts'
import { rulesOf, type Rules } from './rules.ts'
import { stale } from './run-options.ts'

export interface Outcome<R extends Request> {
  readonly request: R
  readonly result: Answer | EngineError
  /** Where the journal and the lines stood behind this request. */
  readonly mark: number
  readonly seq: number
}

const DEFAULT_ACTOR = 'human:local'
const SYSTEM_ACTOR = 'tool:steadfold'
const NOTHING: readonly Event[] = []

export class Stage<R extends Request> {
  readonly outcomes: Outcome<R>[] = []
  /** Only while somebody observes the kernel. */
  readonly drafts: Draft[] = []
  durability: 'durable' | 'relaxed' = 'relaxed'
  readonly #kernel: Kernel
  readonly #replica: Replica
  readonly #batch: Batch
  readonly #rules: Rules
  readonly #journal = new Journal()
  readonly #keys = new Map<string, { readonly operation: string; readonly answer: Accepted }>()
  readonly #now: number
  readonly #at: string
  #untold: Found | undefined
  #hash: string
  #seq: number

  constructor(kernel: Kernel, replica: Replica, batch: Batch) {
    this.#kernel = kernel
    this.#replica = replica
    this.#batch = batch
    this.#rules = rulesOf(kernel.modules)
    batch.clear()
    this.#hash = replica.chain.position.hash
    this.#seq = replica.seq
    this.#now = Math.max(kernel.host.now(), timeOf(replica.at))
    this.#at = timeText(this.#now)
  }

  /** G3 */
  get isFull(): boolean {
    return this.#bytes >= this.#kernel.settings.commitBytes
  }

  add(request: R): void {
    // Also one that writes nothing: what it is answered rests on the others of the group.
    if (request.options.durability !== 'relaxed' && request.options.dryRun !== true) this.durability = 'durable'
    const mark = this.#journal.mark
    let result: Answer | EngineError
    try {
      result = this.#decide(request)
    } catch (error) {
      this.#takeBack(mark)
      result = asResult(error)
    }
    this.outcomes.push({ request, result, mark: this.#journal.mark, seq: this.#seq })
  }

  /** The last commit of a segment that has grown enough. */
  sealIfFull(): void {
    const { offset } = this.#replica.chain.position
    if (offset + this.#bytes < this.#kernel.settings.segmentBytes) return
    const id = this.#kernel.host.newId()
    const events = [{ type: SEAL_EVENT, data: {} }]
    const draft = { seq: this.#seq + 1, at: this.#at, id, actor: SYSTEM_ACTOR, op: SEAL_OP, cause: null, events }
    this.#write(draft, wordsOf(draft))
  }

  /** Takes everything back. */
  rollback(): void {
    this.#takeBack()
  }

  /** The log kept the lines up to `position`: answers what stands, and what must be decided again. */
  keep(position: Position): readonly [kept: readonly Outcome<R>[], rest: readonly R[]] {
    const replica = this.#replica
    const first = this.outcomes.findIndex(({ seq }) => seq > position.seq)
    const cut = first < 0 ? this.outcomes.length : first
    const kept = this.outcomes.slice(0, cut)
    this.#takeBack(kept.at(-1)?.mark ?? 0)
    this.#journal.clear()
    for (const [key, { answer }] of this.#keys) if (answer.seq <= position.seq) replica.keys.set(key, answer.seq)
    if (this.#untold !== undefined) this.#kernel.redactor?.told(replica.session, this.#untold)
    replica.at = this.#at
    replica.bytesSince += this.#bytes
    replica.chain.position = position
    return [kept, this.outcomes.slice(cut).map(({ request }) => request)]
  }

  #takeBack(mark?: number): void {
    this.#journal.rollback(mark)
    this.#replica.isReordered ||= this.#journal.isReordered
  }

  #decide(request: R): Answer {
    const { operation, options, input } = request
    const again = options.key === undefined ? undefined : this.#keys.get(options.key)
    if (again !== undefined) return repeated(again.answer, again.operation, request)
    if (options.ifSeq !== undefined && options.ifSeq !== this.#seq) return stale(options.ifSeq, this.#seq)
    const actor = options.actor ?? DEFAULT_ACTOR
    const mark = this.#journal.mark
    const expired = this.#tell('expire', request)
    const context = this.#context(actor)
    const guarded = this.#guard(operation.name, actor)
    const decision = 'kind' in guarded ? guarded : operation.decide(this.#replica.tree, input, context)
    const idle =
      decision.kind === 'accepted' && decision.events.length === 0 && !(operation.tells && expired.length > 0)
    if (decision.kind === 'refused' || idle) {
      this.#takeBack(mark)
      return decision.kind === 'refused'
        ? this.#refuse(request, decision)
        : { kind: 'accepted', seq: this.#seq, events: [], value: decision.value ?? operation.answer([]) }
    }
    const before = 'kind' in guarded ? expired : both(expired, guarded)
    return this.#accept(request, decision, before, mark)
  }

  /** G4 */
  #refuse(request: R, refusal: Refusal): Answer {
    const clean = cleanedNo(request, this.#kernel.redactor)
    return clean === undefined ? refusal : this.#decide(clean)
  }

  #context(actor: string): Context {
    const { session: log } = this.#replica
    return { now: this.#now, at: this.#at, actor, seq: this.#seq + 1, log, newId: this.#kernel.host.newId }
  }

  #accept(request: R, decision: Decision & { kind: 'accepted' }, before: readonly Event[], mark: number): Answer {
    const { operation, options } = request
    const { redactor } = this.#kernel
    const { events: decided, found } = cleanEvents(decision.events, request, redactor)
    const events = decided.map(({ type, data }) => ({ type, data: ownJson(data) }))
    const actor = options.actor ?? DEFAULT_ACTOR
    const seq = this.#seq + 1
    const told = operation.tells ? [...before, ...events] : events
    const answer: Accepted = { kind: 'accepted', seq, events: told, value: operation.answer(told) }
    this.#fold(events, actor)
    const after = this.#after(found, request)
    const lone = before.length === 0 && after.length === 0
    const all = lone ? events : [...before, ...events, ...after]
    const end = before.length + events.length
    const draft = this.#draft(request, all, told.length === all.length ? undefined : [end - told.length, end])
    const words = wordsOf(draft)
    const clean = cleaned(request, draft, { words, redactor })
    if (clean !== undefined) {
      this.#takeBack(mark)
      return this.#decide(clean)
    }
    if (options.dryRun === true) {
      this.#encode(draft, words, new Batch(this.#kernel.host.sha256))
      this.#takeBack(mark)
      return answer
    }
    this.#write(draft, words)
    this.#untold ??= redactor?.untold(this.#replica.session)
    const { key } = options
    if (key !== undefined) this.#keys.set(key, { operation: operation.name, answer })
    return answer
  }

  #draft({ id, operation, options }: R, events: readonly Event[], own?: Draft['own']): Draft {
    const { actor = DEFAULT_ACTOR, cause = null, key, reason } = options
    return {
      seq: this.#seq + 1,
      at: this.#at,
      id,
      actor,
      op: operation.name,
      cause,
      events,
      ...(key === undefined ? {} : { key }),
      ...(reason === undefined ? {} : { reason }),
      ...(own === undefined ? {} : { own }),
    }
  }

  /** What follows from the commit itself, and what was taken out of it. */
  #after(found: Found, request: R): readonly Event[] {
    const follows = this.#tell('follow', request)
    // One commit of the group tells it.
    const untold = this.#untold === undefined ? this.#kernel.redactor?.untold(this.#replica.session) : undefined
    const redacted = redactedEvents(untold === undefined ? found : sum(found, untold))
    if (redacted.length === 0) return follows
    this.#fold(redacted, request.options.actor ?? DEFAULT_ACTOR)
    return [...follows, ...redacted]
  }

  get #bytes(): number {
    return this.#batch.lines.at(-1)?.end ?? 0
  }

  #write(draft: Draft, words: Words): void {
    const { hash, seq } = this.#encode(draft, words, this.#batch)
    this.#hash = hash
    this.#seq = seq
    if (this.#kernel.observer !== undefined) this.drafts.push(draft)
  }

  #encode(draft: Draft, words: Words, batch: Batch): Encoded {
    const { commitBytes } = this.#kernel.settings
    const encoded = batch.add(draft, lineText(draft, words, this.#hash), commitBytes)
    if (encoded !== undefined) return encoded
    throw new EngineError('VALUE_TOO_LARGE', `the commit would be larger than the limit of ${commitBytes} bytes`, {
      hint: 'keep large values in a file and store its path, or raise commitBytes in .steadfold/config.json and, of a NATS server, max_payload',
    })
  }

  /** What time alone, or the commit itself, brought about. */
  #tell(when: 'expire' | 'follow', { operation, options }: R): readonly Event[] {
    let events = NOTHING
    const seq = this.#seq + 1
    for (const tell of this.#rules[when])
      events = both(events, tell(this.#replica.tree, this.#now, seq, operation.name))
    if (events.length > 0) this.#fold(events, options.actor ?? DEFAULT_ACTOR)
    return events
  }

  /** A no, or what the guards put on record. */
  #guard(operation: string, actor: string): Refusal | readonly Event[] {
    let events = NOTHING
    for (const guard of this.#rules.guard) {
      const answer = guard(this.#replica.tree, operation, actor, this.#now)
      if (answer?.kind === 'refused') return answer
      if (answer !== undefined) events = both(events, answer.events)
    }
    if (events.length > 0) this.#fold(events, actor)
    return events
  }

  #fold(events: readonly Event[], actor: string): void {
    const commit = { seq: this.#seq + 1, at: this.#at, actor, events }
    fold(this.#kernel.folder, this.#replica.tree, commit, this.#journal)
  }
}

const both = (a: readonly Event[], b: readonly Event[]): readonly Event[] =>
  a.length === 0 ? b : b.length === 0 ? a : [...a, ...b]

/** What a rule throws is its no; anything else is a failure of this request alone. */
function asResult(error: unknown): Answer | EngineError {
  if (!(error instanceof EngineError)) return new EngineError('UNEXPECTED', String(error), { cause: error })
  return refusalOf(error) ?? error
}
