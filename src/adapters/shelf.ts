/*
 * Where an adapter keeps what a framework hands it: one member of `$.data` of a session.
 *
 *   set, remove ──► one commit, which no other writer can undo      change ──► read, decide, commit; again if others were quicker
 *
 * A1. A call is one commit: all of it is kept, or nothing.
 * A2. What is there already is not written again, so a call that is repeated leaves one trace.
 * A3. A large text is a blob beside the log; the state holds its hash. It is kept before the commit that names it.
 * A4. A read sees what other processes have written before it was asked.
 * A5. What was JSON is JSON when it is read, also where a secret was taken out of it.
 */
import { createHash } from 'node:crypto'
import { assertSession } from '../kernel/about-session.ts'
import { actor as named, assertFits } from '../kernel/arguments.ts'
import { EngineError } from '../kernel/error.ts'
import { canonicalJson } from '../kernel/json/json.ts'
import type { Answer, RunOptions } from '../kernel/operation/answer.ts'
import { formatPath, getAt } from '../kernel/path/path.ts'
import type { Session } from '../kernel/session.ts'

export interface AdapterOptions {
  /** Who the log says has written: `agent:` or `tool:` and an id. */
  readonly actor?: string | undefined
}

/** A text in the state, or where it lies. */
export type Kept = { readonly text: string } | { readonly sha256: string; readonly bytes: number }

/** An operation of a JSON Patch whose path is below the shelf. */
export interface Change {
  readonly op: 'add' | 'replace' | 'remove'
  readonly at: readonly string[]
  readonly value?: unknown
}

/** In UTF-16 units: what is longer would make each commit, and every later checkpoint, heavier than a file. */
const LARGE = 4096

export class Shelf {
  readonly #session: Session
  readonly #keys: readonly string[]
  readonly #actor: string

  constructor(session: Session, member: string, actor: string) {
    assertSession(session, member)
    assertFits(actor, named, `${member}: the actor`, "{ actor: 'agent:reviewer' }")
    this.#session = session
    this.#keys = ['data', member]
    this.#actor = actor
  }

  /** A4 */
  refresh(): Promise<void> {
    return this.#session.refresh()
  }

  /** What is there, as far as this process knows. Read-only. */
  get(...at: readonly string[]): unknown {
    return getAt(this.#session.stored, [...this.#keys, ...at])
  }

  /** A1, A2 */
  async set(at: readonly string[], value: object): Promise<void> {
    const found = this.get(...at)
    if (found !== undefined && canonicalJson(found) === canonicalJson(value)) return
    accepted(await this.#run('state.set', { path: this.#path(at), value }))
  }

  async remove(at: readonly string[]): Promise<void> {
    accepted(await this.#run('state.delete', { path: this.#path(at) }))
  }

  /** `decide` is asked in its turn, and again when another process came between; without changes nothing is written. */
  async change<T>(decide: () => Promise<{ readonly changes: readonly Change[]; readonly value: T }>): Promise<T> {
    const told: { value?: T } = {}
    const make = async () => {
      const { changes, value } = await decide()
      told.value = value
      const isFirst = changes.length > 0 && this.get() === undefined
      const all: readonly Change[] = isFirst ? [{ op: 'add', at: [], value: {} }, ...changes] : changes
      return { patch: all.map(({ at, ...change }) => ({ ...change, path: pointer([...this.#keys, ...at]) })) }
    }
    accepted(await this.#session.runMade('state.patch', make, { actor: this.#actor }))
    // It was decided before it was accepted.
    return told.value as T
  }

  /** A3, A5 */
  async keep(json: string): Promise<Kept> {
    const text = this.#session.texts.clean(json, true)
    const blob = text.length > LARGE ? await this.#session.texts.keep(text) : null
    return blob ?? { text }
  }

  /** What `keep` would keep. */
  clean(json: string): string {
    return this.#session.texts.clean(json, false)
  }

  async text(kept: Kept): Promise<string> {
    if ('text' in kept) return kept.text
    const text = await this.#session.texts.read(kept.sha256)
    if (text !== undefined) return text
    throw new EngineError('NOT_FOUND', `blob ${kept.sha256} is not beside session ${this.#session.id}`, {
      hint: 'its log came without it: copy the session again, with its blobs folder',
    })
  }

  #path(at: readonly string[]): string {
    return formatPath([...this.#keys, ...at])
  }

  #run(operation: string, input: object, options: RunOptions = {}): Promise<Answer> {
    return this.#session.run(operation, input, { actor: this.#actor, ...options })
  }
}

/** Cannot be taken for a list index, which objects would put first. */
export const nameOf = (text: string): string => `b${createHash('sha256').update(text).digest('hex').slice(0, 32)}`

const pointer = (keys: readonly string[]): string =>
  keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

function accepted(answer: Answer): void {
  if (answer.kind === 'accepted') return
  throw new EngineError(answer.code, answer.message, answer.hint === undefined ? {} : { hint: answer.hint })
}
