/*
 * A conversation of the OpenAI Agents SDK for JavaScript in a session: `$.data.openai_agents[conversation].items`.
 *
 *   addItems, popItem, … ──► read the list, decide, commit if nobody was quicker ──► else again
 *
 * O1. An item is popped by one caller only; items that come together stand together.
 * O2. A transaction counts once by its id; the same id for another transaction is refused.
 * O3. What is compared with items that are kept is compared as it would be kept: without its secrets.
 * O4. Items are kept as JSON; bytes become the data URL that the SDK makes of them.
 */
import { isDeepStrictEqual } from 'node:util'
import { assertFits, objects, text, type Rule } from '../../kernel/arguments.ts'
import { EngineError } from '../../kernel/error.ts'
import { canonicalJson } from '../../kernel/json/json.ts'
import type { Session } from '../../kernel/session.ts'
import { nameOf, Shelf, type AdapterOptions, type Change, type Kept } from '../shelf.ts'

export interface ConversationOptions extends AdapterOptions {
  /** Which of the conversations in the session. */
  readonly sessionId: string
}

export type HistoryTransaction<Item> =
  | { type: 'append_items'; items: Item[] }
  | { type: 'replace_suffix'; expectedSuffix: Item[]; replacement: Item[] }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
/** Which lists each of them has. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  append_items: ['items'],
  replace_suffix: ['expectedSuffix', 'replacement'],
}
const APPEND =
  "{ operationId: 'op-1', transaction: { type: 'append_items', items: [{ role: 'user', content: 'hello' }] } }"
const applied: Rule = {
  fits: (value) => {
    if (!isObject(value) || !text.fits(value['operationId']) || !isObject(value['transaction'])) return false
    const { transaction } = value
    const type = String(transaction['type'])
    return Object.hasOwn(LISTS, type) && LISTS[type]?.every((name) => objects.fits(transaction[name])) === true
  },
  must: 'must have an operationId and a transaction, append_items or replace_suffix with their items',
}

interface Stored {
  readonly items: readonly Kept[]
  /** What each transaction was, by its id. */
  readonly transactions: Readonly<Record<string, string>>
}

/** `Session` of @openai/agents; `Item` is its `AgentInputItem`. */
export class SteadfoldConversation<Item extends object = Record<string, unknown>> {
  readonly #shelf: Shelf
  readonly #id: string

  constructor(session: Session, options: ConversationOptions) {
    const { sessionId, actor = 'tool:openai-agents' } = options ?? {}
    assertFits(sessionId, text, 'SteadfoldConversation: the sessionId', "{ sessionId: 'customer-17' }")
    this.#shelf = new Shelf(session, 'openai_agents', actor)
    this.#id = sessionId
  }

  async getSessionId(): Promise<string> {
    return this.#id
  }

  /** All, or the last ones; the oldest first. */
  async getItems(limit = Infinity): Promise<Item[]> {
    await this.#shelf.refresh()
    const { items = [] } = this.#stored ?? {}
    return Promise.all(items.slice(Math.max(items.length - Math.max(limit, 0), 0)).map((kept) => this.#item(kept)))
  }

  async addItems(items: Item[]): Promise<void> {
    const kept = await this.#kept(items)
    await this.#change(() => this.#tail(0, kept))
  }

  async popItem(): Promise<Item | undefined> {
    const popped = await this.#shelf.change(async () => {
      const { items = [] } = this.#stored ?? {}
      return { changes: items.length === 0 ? [] : this.#tail(1, []), value: items.at(-1) }
    })
    return popped && this.#item(popped)
  }

  /** What stood before is replaced by a summary and what was kept of it. */
  async replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    const kept = await this.#kept(items)
    await this.#change(() => this.#tail(this.#stored?.items.length ?? 0, kept))
  }

  async clearSession(): Promise<void> {
    await this.#shelf.remove([this.#id])
  }

  /** Takes effect once for each id; the same id for another transaction is KEY_REUSED. */
  async applyHistoryTransaction(args: { operationId: string; transaction: HistoryTransaction<Item> }): Promise<void> {
    assertFits(args, applied, 'applyHistoryTransaction: it', APPEND)
    const { operationId, transaction } = args
    const hash = nameOf(canonicalJson(JSON.parse(jsonOf(transaction))))
    const isAppend = transaction.type === 'append_items'
    const kept = await this.#kept(isAppend ? transaction.items : transaction.replacement)
    await this.#change(async () => {
      const { transactions = {} } = this.#stored ?? {}
      const known = Object.hasOwn(transactions, operationId) ? transactions[operationId] : undefined
      if (known === hash) return []
      if (known !== undefined) throw reused(operationId)
      const replaced = isAppend ? 0 : await this.#suffix(transaction.expectedSuffix)
      const changes = this.#tail(replaced, kept)
      return [...changes, { op: 'add', at: [this.#id, 'transactions', operationId], value: hash }]
    })
  }

  /** O3, for a run that goes on and looks whether its items are there. */
  prepareHistoryItemsForPersistenceComparison(items: Item[]): Item[] {
    return items.map((item) => JSON.parse(this.#shelf.clean(jsonOf(item))) as Item)
  }

  async #suffix(expected: readonly Item[]): Promise<number> {
    const { items = [] } = this.#stored ?? {}
    const last = items.slice(Math.max(items.length - expected.length, 0))
    const found = await Promise.all(last.map((kept) => this.#item(kept)))
    if (isDeepStrictEqual(found, this.prepareHistoryItemsForPersistenceComparison([...expected])))
      return expected.length
    throw new EngineError('TEST_FAILED', `the last ${expected.length} items of ${this.#id} are others`, {
      hint: 'read the items again, then decide again',
    })
  }

  #change(decide: () => readonly Change[] | Promise<readonly Change[]>): Promise<void> {
    return this.#shelf.change(async () => {
      const changes = await decide()
      const isFirst = this.#stored === undefined && changes.length > 0
      return { changes: isFirst ? [start(this.#id), ...changes] : changes, value: undefined }
    })
  }

  /** Takes so many items from the end and puts others there. */
  #tail(taken: number, added: readonly Kept[]): readonly Change[] {
    const place = [this.#id, 'items']
    const length = this.#stored?.items.length ?? 0
    // One change for all of them: of a long conversation there are tens of thousands.
    if (taken > 0 && taken === length) return [{ op: 'replace', at: place, value: added }]
    const gone = Array.from({ length: taken }, (_, index): Change => {
      return { op: 'remove', at: [...place, String(length - 1 - index)] }
    })
    const more = added.map((value): Change => ({ op: 'add', at: [...place, '-'], value }))
    return [...gone, ...more]
  }

  get #stored(): Stored | undefined {
    // Only this class writes there.
    return this.#shelf.get(this.#id) as Stored | undefined
  }

  async #kept(items: readonly Item[]): Promise<readonly Kept[]> {
    assertFits(items, objects, 'the items', "addItems([{ role: 'user', content: 'hello' }])")
    return Promise.all(items.map((item) => this.#shelf.keep(jsonOf(item))))
  }

  async #item(kept: Kept): Promise<Item> {
    return JSON.parse(await this.#shelf.text(kept)) as Item
  }
}

/** O4 */
const jsonOf = (value: object): string =>
  JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, each: unknown) {
    // A Buffer has become something else by now.
    const { [key]: own, mediaType } = this
    if (!(own instanceof Uint8Array)) return each
    const type = typeof mediaType === 'string' && mediaType !== '' ? mediaType : 'application/octet-stream'
    return `data:${type};base64,${Buffer.from(own).toString('base64')}`
  })

const start = (id: string): Change => ({ op: 'add', at: [id], value: { items: [], transactions: {} } })

const reused = (id: string): EngineError =>
  new EngineError('KEY_REUSED', `operation "${id}" was another transaction`, { hint: 'use another operationId' })
