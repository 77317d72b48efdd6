/*
 * One name, one session, however many processes make one at the same time.
 *
 *   nobody ──claim──► generation 1 ──claim by another, when 1 is stale──► generation 2 …
 *
 * U1. Of those who claim the same generation one wins. The highest generation counts.
 * U2. A claim is stale when its session is not there, or has another name by now. One whose session has not begun is given
 *     time first: its maker may be at it. A damaged one keeps the names that it is claimed for.
 * U3. Who has begun a session looks once more: one that lost its claim meanwhile gives the name up.
 * U4. Claims are an index: all of them may be deleted. A name without one is looked for in every session.
 * U5. A session takes another name under a claim too, whoever asks for it: a command, a program, HTTP or an agent.
 * U6. Until that is written its claim looks stale: so it looks once more when it is, and who passed over a claim does, too.
 *     Of two at the same moment one has the name, or none.
 * U7. Where claims are kept with the logs (`isWhole`), a name without one is no session's: no session is opened to see. Elsewhere
 *     one that was claimed for since the machine was started is not opened again.
 * U8. A session is asked for by its id or its name: no id is the name of another session, and no name its id.
 * U9. Who asks by a name that was given up for another is told that one, until somebody takes the name; scripts, which do not
 *     read what they are told, go on with it.
 */
import { EngineError } from './error.ts'
import type { Answer } from './operation/answer.ts'
import type { Host, NameClaim, NameStore, Reader } from './ports.ts'
import { quoted } from './text/shell-word.ts'

/** What the session of a claim is like. */
export type Standing = 'has it' | 'has another' | 'begins'

export interface Names {
  readonly store: NameStore
  readonly host: Pick<Host, 'now' | 'sleep'>
  /** What the session is like as to that name. */
  readonly standing: (id: string, name: string) => Promise<Standing>
}

const NAP_MS = 20
const PATIENCE_MS = 2000

/** U1 and U2; throws NAME_TAKEN. Each look may read a whole log: so the naps between them grow. */
export async function claimName(names: Names, name: string, id: string): Promise<void> {
  const { store, host } = names
  const began = host.now()
  for (let slept = 0; ;) {
    const held = await store.holder(name)
    if (held?.id === id) return
    const standing = held === undefined || held.id === '' ? 'has another' : await names.standing(held.id, name)
    if (standing === 'has it') throw taken(name, held?.id ?? '')
    const left = PATIENCE_MS - Math.max(slept, host.now() - began)
    if (standing === 'begins' && left > 0) {
      const nap = Math.min(slept + NAP_MS, left)
      await host.sleep(nap)
      slept += nap
    } else if (await store.claim(name, id, held?.generation ?? 0)) return held && notTwice(names, name, held)
  }
}

/** U6: whose claim was passed over may have taken the name between our look and our claim. */
async function notTwice({ store, standing }: Names, name: string, { id, generation }: NameClaim): Promise<void> {
  if (id === '' || (await standing(id, name)) !== 'has it') return
  await store.claim(name, id, generation + 1)
  throw taken(name, id)
}

/**
 * For a session that `bring` brings in whole, or not at all: then its name is free at once, unless somebody else has brought
 * it in. That one claims anew where the name was given up meanwhile; throws NAME_TAKEN where another was faster.
 */
export async function underClaim(
  names: Names | undefined,
  { name, id }: Named,
  bring: () => Promise<void>,
): Promise<void> {
  if (names === undefined) return bring()
  await claimName(names, name, id)
  try {
    await bring()
  } catch (error) {
    // What went wrong before is told, not that the name is held for a moment longer.
    if ((await names.standing(id, name)) === 'begins') await releaseName(names, name, id).catch(() => undefined)
    throw error
  }
  if (!(await keepsName(names, name, id))) await claimName(names, name, id)
}

interface Renaming {
  readonly id: string
  readonly before: string
  readonly name: string
  /** Whether the session is called `name`. */
  readonly has: () => boolean
}

/** U5 and U6; throws NAME_TAKEN. */
export async function renameClaimed(
  names: Names,
  { id, before, name, has }: Renaming,
  rename: (name: string) => Promise<Answer>,
): Promise<Answer> {
  await claimName(names, name, id)
  const answer = await rename(name)
  if (has() && !(await keepsName(names, name, id))) {
    await rename(before)
    throw taken(name, (await names.store.holder(name))?.id ?? '')
  }
  // U9: the claim of the name before is stale, and leads on.
  if (!has()) await releaseName(names, name, id)
  return answer
}

/** U3 */
export async function keepsName({ store }: Names, name: string, id: string): Promise<boolean> {
  return (await store.holder(name))?.id === id
}

/** U7 */
export const isWhole = ({ log }: Pick<Reader, 'log'>): boolean => log.names?.isWhole === true

/** The name is free for others, at once. */
export async function releaseName({ store }: Names, name: string, id: string): Promise<void> {
  const held = await store.holder(name)
  if (held?.id === id) await store.claim(name, '', held.generation)
}

export const taken = (name: string, id: string): EngineError =>
  new EngineError('NAME_TAKEN', `a session "${name}" exists: ${id}`, {
    hint: `choose another name, open that one, or give it another: steadfold session rename ${id} NEW-NAME`,
  })

export const notFound = (idOrName: string): EngineError =>
  new EngineError('SESSION_NOT_FOUND', `no session "${idOrName}" in this workspace`, { hint: 'steadfold session list' })

/** U9; `details.id` is that of the session, which its name may not mean: what came from elsewhere can bring one that is taken. */
export const renamed = (before: string, { name, id }: Named, held: NameClaim | undefined): EngineError =>
  new EngineError('SESSION_NOT_FOUND', `no session "${before}" in this workspace: it is called "${name}" now`, {
    hint: `steadfold session show ${held === undefined || held.id === id ? quoted(name) : id}`,
    details: { id, name },
  })

interface Named {
  readonly name: string
  readonly id: string
}

/** U9: the id that an error leads to. */
export function idOfRenamed(error: unknown): string | undefined {
  const isLost = error instanceof EngineError && error.code === 'SESSION_NOT_FOUND'
  const id = isLost ? error.details?.['id'] : undefined
  return typeof id === 'string' ? id : undefined
}

/** U9: what `open` gives; under a name that was given up, what it gives for the id to which that leads. */
export const byAnyName = <S>(open: (id?: string) => Promise<S>): Promise<S> =>
  open().catch((error: unknown) => {
    const id = idOfRenamed(error)
    if (id === undefined) throw error
    return open(id)
  })

export const notArchived = (idOrName: string): EngineError =>
  new EngineError('SESSION_NOT_FOUND', `no archived session "${idOrName}"`, {
    hint: 'steadfold session list --archived',
  })

/** Of one that is to be brought in. */
export const sessionThere = (id: string): EngineError =>
  new EngineError('NAME_TAKEN', `session ${id} is there already`, { hint: `steadfold session show ${id}` })

/** Undefined where a session was put away since it was listed. */
export function unlessGone(error: unknown): undefined {
  if (error instanceof EngineError && error.code === 'SESSION_NOT_FOUND') return undefined
  throw error
}

export const ambiguous = (idOrName: string, ids: readonly string[]): EngineError =>
  new EngineError('SESSION_AMBIGUOUS', `"${idOrName}" fits ${ids.length} sessions: ${ids.join(', ')}`, {
    hint: 'use a whole id',
  })
