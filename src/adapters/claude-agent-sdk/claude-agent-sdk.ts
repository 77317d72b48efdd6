/*
 * Transcripts of the Claude Agent SDK in a session: `$.data.claude_agent_sdk[project][session]`.
 *
 *   append(key, entries) ──► one batch, one commit ──► load: the batches in the order of the log, each uuid once
 *
 * S1. Batches of this process are kept in the order of the calls; those of others where their commits stand.
 * S2. An entry with a uuid counts once, however it was batched when it came again; one without counts as often as it came.
 */
import { randomUUID } from 'node:crypto'
import { assertFits, objects, text as isText, type Rule } from '../../kernel/arguments.ts'
import { EngineError } from '../../kernel/error.ts'
import type { Session } from '../../kernel/session.ts'
import { nameOf, Shelf, type AdapterOptions, type Kept } from '../shelf.ts'
import type { SessionKey, SessionStore, SessionStoreEntry } from './types.ts'

export type { SessionKey, SessionStore, SessionStoreEntry } from './types.ts'
export type { AdapterOptions } from '../shelf.ts'

/** Entries as JSON, and when they were kept. */
type Batch = Kept & { readonly at: number }
type Batches = Readonly<Record<string, Batch>>

const NAMED = "{ projectKey: 'shop', sessionId: '6f1e' }"
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
/** Two transcripts without a name would be one. */
const keyed: Rule = {
  fits: (value) =>
    isObject(value) && ['projectKey', 'sessionId'].every((name) => isText.fits(Reflect.get(value, name))),
  must: 'must have a projectKey and a sessionId, both text',
}

/** Keeps transcripts of many projects and their sessions in one session of ours. */
export class SteadfoldSessionStore implements SessionStore {
  readonly #shelf: Shelf
  #last: Promise<unknown> = Promise.resolve()

  constructor(session: Session, { actor = 'tool:claude-agent-sdk' }: AdapterOptions = {}) {
    this.#shelf = new Shelf(session, 'claude_agent_sdk', actor)
  }

  /** Calls are kept in their order. */
  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    assertFits(key, keyed, 'append: the key', NAMED)
    assertFits(entries, objects, 'append: the entries', "append(key, [{ type: 'user', uuid: 'u-1' }])")
    // As they are now: what the caller changes afterwards is not meant.
    const text = JSON.stringify(entries)
    const areNamed = entries.every(isNamed)
    const write = () => this.#append([...placeOf(key), nameOf(text) + (areNamed ? '' : `-${randomUUID()}`)], text)
    const appended = entries.length === 0 ? this.#last.then(() => undefined) : this.#last.then(write)
    this.#last = appended.catch(() => undefined)
    return appended
  }

  async #append(at: readonly string[], text: string): Promise<void> {
    await this.#shelf.refresh()
    if (this.#shelf.get(...at) !== undefined) return
    await this.#shelf.set(at, { at: Date.now(), ...(await this.#shelf.keep(text)) })
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    assertFits(key, keyed, 'load: the key', NAMED)
    await this.#shelf.refresh()
    const batches = this.#batches(placeOf(key))
    if (batches === undefined) return null
    const texts = await Promise.all(Object.values(batches).map((batch) => this.#shelf.text(batch)))
    // Only `append` writes there.
    return once(texts.flatMap((text) => JSON.parse(text) as SessionStoreEntry[]))
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    await this.#shelf.refresh()
    return Object.keys(this.#shelf.get(projectKey) ?? {}).flatMap((sessionId) => {
      const batches = this.#batches([projectKey, sessionId, 'main'])
      if (batches === undefined) return []
      return [{ sessionId, mtime: Math.max(...Object.values(batches).map(({ at }) => at)) }]
    })
  }

  async delete(key: SessionKey): Promise<void> {
    assertFits(key, keyed, 'delete: the key', NAMED)
    const { projectKey, sessionId, subpath } = key
    await this.#last
    await this.#shelf.remove(subpath === undefined ? [projectKey, sessionId] : placeOf(key))
  }

  async listSubkeys({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    await this.#shelf.refresh()
    return Object.keys(this.#shelf.get(projectKey, sessionId, 'sub') ?? {})
  }

  #batches(at: readonly string[]): Batches | undefined {
    // Only `append` writes there.
    return this.#shelf.get(...at) as Batches | undefined
  }
}

function placeOf({ projectKey, sessionId, subpath }: SessionKey): readonly string[] {
  if (subpath === undefined) return [projectKey, sessionId, 'main']
  if (subpath !== '') return [projectKey, sessionId, 'sub', subpath]
  throw new EngineError('INPUT_INVALID', 'an empty subpath names no transcript', {
    hint: 'leave it out for the main one',
  })
}

/** S2: programs without types may say null. */
const isNamed = ({ uuid }: SessionStoreEntry): boolean => typeof uuid === 'string'

/** S2 */
function once(entries: readonly SessionStoreEntry[]): SessionStoreEntry[] {
  const seen = new Set<unknown>()
  return entries.filter((entry) => !isNamed(entry) || (!seen.has(entry.uuid) && seen.add(entry.uuid)))
}
