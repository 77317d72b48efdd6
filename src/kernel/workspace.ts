import { EngineError } from './error.ts'
import { copyLog } from './copy.ts'
import type { Kernel } from './kernel.ts'
import { Session } from './session.ts'
import { verifySession } from './verify.ts'

export interface CreateSession {
  readonly name: string
  readonly goal?: string | undefined
  readonly mode?: string | undefined
  readonly context?: Readonly<Record<string, unknown>> | undefined
  /** Chosen when left out: UUID v7. */
  readonly id?: string | undefined
  readonly actor?: string | undefined
  readonly key?: string | undefined
}

/** Where sessions live. `S` is a session with what the composition adds to it. */
export class Workspace<S extends Session = Session> {
  readonly #kernel: Kernel
  readonly #open = new Set<S>()

  /** @internal */
  readonly #dress: (session: Session) => S

  /** @internal Workspaces come from `openWorkspace`. */
  constructor(kernel: Kernel, dress: (session: Session) => S) {
    this.#kernel = kernel
    this.#dress = dress
  }

  /** @internal */
  get kernel(): Kernel {
    return this.#kernel
  }

  async createSession(input: CreateSession): Promise<S> {
    const { id = this.#kernel.host.newId(), name, goal, mode, context, actor, key } = input
    await this.#assertFree(name, id)
    await this.#kernel.log.create(id)
    const session = await this.#opened(id)
    const answer = await session.run('session.create', { id, name, goal, mode, context }, { actor, key })
    if (answer.kind === 'accepted') return session
    throw new EngineError(answer.code, answer.message, answer)
  }

  /** Opens a session by its id, a unique beginning of its id, or its name. */
  async session(idOrName: string): Promise<S> {
    if (await this.#kernel.log.exists(idOrName)) return this.#opened(idOrName)
    const matches = await this.#matches(idOrName)
    if (matches.length === 1 && matches[0] !== undefined) return matches[0]
    await Promise.all(matches.map((session) => this.#close(session)))
    throw matches.length === 0 ? notFound(idOrName) : ambiguous(idOrName, matches)
  }

  /** Every session that has begun, open, in the order of their ids. Close them when done. */
  async *sessions(): AsyncGenerator<S> {
    for await (const id of this.#kernel.log.list()) {
      const session = await this.#opened(id)
      if (session.seq > 0 || session.damage !== undefined) yield session
      else await this.#close(session)
    }
  }

  /** A new session that shares history with `from` up to a point. */
  async fork(from: Session, name: string, at: string | number = '@', actor?: string): Promise<S> {
    const seq = await from.resolve(at)
    if (seq === 0) throw new EngineError('POINT_NOT_FOUND', 'a fork needs at least one commit', { hint: 'fork at 1 or later' })
    const id = this.#kernel.host.newId()
    await this.#assertFree(name, id)
    await this.#kernel.log.create(id)
    const { hash } = await copyLog(this.#kernel, from.id, id, seq)
    const session = await this.#opened(id)
    const answer = await session.run('session.fork', { id, name, from: { session: from.id, seq, hash } }, { actor })
    if (answer.kind === 'accepted') return session
    throw new EngineError(answer.code, answer.message, answer)
  }

  /** Moves an ended session to the archive. Answers where it is kept. */
  async archive(session: S): Promise<string> {
    if (session.get('$.session.lifecycle.status') !== 'terminated') {
      throw new EngineError('LIFECYCLE_INVALID', 'only an ended session can be archived', { hint: `steadfold session end --session ${session.id}` })
    }
    if (this.#kernel.log.archive === undefined) throw new EngineError('STORE_UNAVAILABLE', 'this store keeps no archive')
    const verified = await verifySession(this.#kernel, session.id)
    if (!verified.ok) throw new EngineError('LOG_CORRUPT', `session ${session.id} does not verify`, { hint: 'steadfold verify' })
    await this.#close(session)
    return this.#kernel.log.archive(session.id)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((session) => this.#close(session)))
    await this.#kernel.log.close()
  }

  async #opened(id: string): Promise<S> {
    const session = this.#dress(await new Session(this.#kernel, id).open())
    this.#open.add(session)
    return session
  }

  async #close(session: S): Promise<void> {
    this.#open.delete(session)
    await session.close()
  }

  async #matches(idOrName: string): Promise<readonly S[]> {
    const named: S[] = []
    const begun: S[] = []
    for await (const session of this.sessions()) {
      if (nameOf(session) === idOrName) named.push(session)
      else if (idOrName.length >= 4 && session.id.startsWith(idOrName)) begun.push(session)
      else await this.#close(session)
    }
    return named.length > 0 ? named : begun
  }

  async #assertFree(name: string, id: string): Promise<void> {
    for await (const session of this.sessions()) {
      const taken = nameOf(session) === name || session.id === id
      await this.#close(session)
      if (!taken) continue
      throw new EngineError('NAME_TAKEN', `a session "${name}" exists: ${session.id}`, { hint: 'choose another name, or open that one' })
    }
  }
}

/** Reads only what every session has, whatever the domain makes of it. */
function nameOf(session: Session): unknown {
  return session.get('$.session.name')
}

function notFound(idOrName: string): EngineError {
  return new EngineError('SESSION_NOT_FOUND', `no session "${idOrName}" in this workspace`, { hint: 'steadfold session list' })
}

function ambiguous(idOrName: string, matches: readonly Session[]): EngineError {
  return new EngineError('SESSION_AMBIGUOUS', `"${idOrName}" fits ${matches.length} sessions: ${matches.map(({ id }) => id).join(', ')}`, {
    hint: 'use a whole id',
  })
}

