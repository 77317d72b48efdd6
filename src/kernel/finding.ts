/*
 * Sessions looked for among those of a workspace: all, or by an id, a beginning of it, or a name.
 *
 * What is not wanted is closed. For who makes one, and the rules U1 to U9, see names.ts.
 */
import { goesBy, hasBegun, nameOf, only, thrown, unlessUnreadable, type LeftOut } from './about-session.ts'
import { lost, remains } from './care/remains.ts'
import type { Kernel } from './kernel.ts'
import { ambiguous, isWhole, renamed, sessionThere, taken, unlessGone, type notFound, type Standing } from './names.ts'
import type { Session } from './session.ts'

export interface Finding<S> {
  readonly kernel: Kernel
  readonly open: (id: string) => Promise<S>
  readonly leftOut: LeftOut
  readonly lacking: typeof notFound
}

export class Finder<S extends Session> {
  readonly #kernel: Kernel
  readonly #open: (id: string) => Promise<S>
  readonly #leftOut: LeftOut
  readonly #lacking: typeof notFound

  constructor({ kernel, open, leftOut, lacking }: Finding<S>) {
    this.#kernel = kernel
    this.#open = open
    this.#leftOut = leftOut
    this.#lacking = lacking
  }

  /** Throws SESSION_NOT_FOUND or SESSION_AMBIGUOUS. */
  async find(idOrName: string): Promise<S> {
    if (await this.#kernel.log.exists(idOrName)) return this.#unlessEmptied(await this.#open(idOrName))
    const claimed = await this.#claimed(idOrName, thrown)
    if (claimed !== undefined && goesBy(claimed, idOrName)) return claimed
    const matches = await this.#matches(idOrName)
    await claimed?.close()
    if (matches.length === 1 && matches[0] !== undefined) return matches[0]
    await Promise.all(matches.map((session) => session.close()))
    const ids = matches.map(({ id }) => id)
    if (ids.length > 0) throw ambiguous(idOrName, ids)
    if (claimed === undefined) throw this.#lacking(idOrName)
    const [name, { id }] = [nameOf(claimed), claimed]
    throw renamed(idOrName, { name, id }, await this.#kernel.log.names?.holder(name))
  }

  /** Of one whose log was emptied there is nothing to read, and whoever wrote would begin it anew. */
  async #unlessEmptied(session: S): Promise<S> {
    const { id, seq, damage } = session
    if (seq > 0 || damage !== undefined || !(await remains(this.#kernel)).includes(id)) return session
    await session.close()
    throw lost(id)
  }

  /** Those that have begun, in the order of their ids. */
  async *all(wanted: (id: string) => boolean = () => true, leftOut?: LeftOut): AsyncGenerator<S> {
    for await (const id of this.#kernel.log.list()) {
      const session = wanted(id) ? await this.#readable(id, leftOut).catch(unlessGone) : undefined
      if (session !== undefined && hasBegun(session)) yield session
      else await session?.close()
    }
  }

  /** Throws NAME_TAKEN: U8, too. */
  async assertFree(name: string, id: string): Promise<void> {
    const named = async (word: string) => only(await this.#claimed(word), (session) => goesBy(session, word))
    const alike = async () => (await this.#begun(name)) ?? (await named(id))
    const held = (await named(name)) ?? (await this.#begun(id)) ?? (await alike()) ?? (await this.#met(name))
    await held?.close()
    if (held !== undefined) throw held.id === id ? sessionThere(id) : taken(nameOf(held) === id ? id : name, held.id)
  }

  /** What the session of a claim is like as to that name. */
  async standing(id: string, name: string): Promise<Standing> {
    if (!(await this.#kernel.log.exists(id))) return this.#unbegun(id)
    const session = await this.#readable(id)
    // One that only a newer version can read keeps its name.
    if (session === undefined) return 'has it'
    const standing = !hasBegun(session) ? this.#unbegun(id) : goesBy(session, name) ? 'has it' : 'has another'
    await session.close()
    return standing
  }

  /** Where a log was taken away, it is as with one that is damaged. */
  #unbegun = async (id: string): Promise<Standing> => ((await remains(this.#kernel)).includes(id) ? 'has it' : 'begins')

  #readable(id: string, leftOut = this.#leftOut): Promise<S | undefined> {
    return this.#open(id).catch(unlessUnreadable(id, leftOut))
  }

  /** By the index, which opens one session instead of all; U9: whatever it is called by now. */
  async #claimed(name: string, leftOut?: LeftOut): Promise<S | undefined> {
    return this.#begun((await this.#kernel.log.names?.holder(name))?.id ?? '', leftOut)
  }

  async #begun(id: string, leftOut?: LeftOut): Promise<S | undefined> {
    return only((await this.#kernel.log.exists(id)) ? await this.#readable(id, leftOut) : undefined, hasBegun)
  }

  async #matches(idOrName: string): Promise<readonly S[]> {
    const named: S[] = []
    const begun: S[] = []
    const isBeginning = (id: string) => idOrName.length >= 4 && id.startsWith(idOrName)
    const leftOut: LeftOut = (id, why) => (isBeginning(id) ? thrown : this.#leftOut)(id, why)
    for await (const session of this.all(isWhole(this.#kernel) ? isBeginning : undefined, leftOut)) {
      if (nameOf(session) === idOrName) named.push(session)
      else if (isBeginning(session.id)) begun.push(session)
      else await session.close()
    }
    return named.length > 0 ? named : begun
  }

  /** U4 and U7 */
  async #met(name: string): Promise<S | undefined> {
    const { names } = this.#kernel.log
    if (isWhole(this.#kernel)) return undefined
    const all: string[] = []
    for await (const id of this.#kernel.log.list()) all.push(id)
    const unknown = new Set(await (names?.unknown?.(all) ?? all))
    for await (const session of this.all((id) => unknown.has(id))) {
      const own = nameOf(session)
      if (own === name) return session
      if ((await names?.holder(own))?.id === session.id) await names?.vouch?.(session.id)
      await session.close()
    }
    return undefined
  }
}
