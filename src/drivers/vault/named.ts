/*
 * Which session at a place is meant.
 *
 * Y5. No object there says what a session is called, since a place may be read by others. Its last increment does, signed and
 *     sealed: a name is known to whom it was sealed for, and believed of whom they know. An id, or its beginning, goes first.
 */
import { EngineError } from '../../kernel/error.ts'
import { isSessionId } from '../../kernel/text/session-id.ts'
import type { Workspace } from '../../kernel/workspace.ts'
import { lastHead } from './heads.ts'
import { fetched, type Link } from './sync.ts'

export interface Asked {
  readonly link: Link
  /** What the place is called here. */
  readonly place: string
  /** Of the sessions there. */
  readonly ids: readonly string[]
}

interface Named {
  readonly id: string
  readonly name?: string
  /** Why the name is not known. */
  readonly unknown?: string
}

/** Throws SESSION_NOT_FOUND or SESSION_AMBIGUOUS, with what is there. */
export async function sessionAt({ link, place, ids }: Asked, word: string): Promise<string> {
  const begun = ids.filter((id) => id === word || (word.length >= 4 && id.startsWith(word)))
  const [first, ...more] = begun
  if (first !== undefined && more.length === 0) return first
  // A whole id needs no index, which may have been lost.
  if (first === undefined && isSessionId(word) && (await lastHead(link.depot, word)) !== undefined) return word
  const named: Named[] = []
  for (const id of first === undefined ? ids : begun) named.push(await namedAt(link, id, word))
  const meant = first === undefined ? named.filter(({ name }) => name === word) : named
  const [only, ...others] = meant
  if (only !== undefined && others.length === 0) return only.id
  throw only === undefined ? nobody(place, word, named) : several(place, word, meant)
}

/** A session that is here; throws SESSION_AMBIGUOUS when it is not there, and another of that name is. */
export async function sameAt(asked: Asked, here: string, word: string): Promise<string> {
  if (asked.ids.includes(here)) return here
  const there = await sessionAt(asked, word).catch((error: unknown) => {
    if (error instanceof EngineError && error.code === 'SESSION_NOT_FOUND') return here
    throw error
  })
  if (there === here) return here
  throw new EngineError(
    'SESSION_AMBIGUOUS',
    `session ${JSON.stringify(word)} at ${asked.place} is another than yours`,
    {
      hint: `say which by its id: ${there} is there, ${here} is here`,
      details: { sessions: [there, here] },
    },
  )
}

/** By the name that it has here or, where that is another than `word`, there: it may have been renamed since. */
async function namedAt(link: Link, id: string, word: string): Promise<Named> {
  const here = await nameHere(link.workspace, id)
  if (here === word) return { id, name: here }
  const there = await nameThere(link, id)
  return here === undefined || there.name === word ? there : { id, name: here }
}

async function nameThere(link: Link, id: string): Promise<Named> {
  const head = await lastHead(link.depot, id)
  if (head === undefined || head === 'damaged') return { id, unknown: head ?? 'nothing there yet' }
  try {
    const name = await fetched(link, id, head, async (_file, _options, { session }) => session.name)
    return /\p{C}/u.test(name) ? { id, unknown: 'a name that cannot be shown' } : { id, name }
  } catch (error) {
    const unknown = error instanceof EngineError ? UNKNOWN[error.code] : undefined
    if (unknown === undefined) throw error
    return { id, unknown }
  }
}

const UNKNOWN: Readonly<Record<string, string>> = {
  BUNDLE_SEALED: 'sealed for others',
  SIGNER_UNKNOWN: 'signed by a stranger',
  BUNDLE_INVALID: 'damaged',
}

async function nameHere(workspace: Workspace, id: string): Promise<string | undefined> {
  if (!(await workspace.kernel.log.exists(id))) return undefined
  const session = await workspace.session(id)
  const name = String(session.get('$.session.name'))
  await session.close()
  return name
}

const MOST_LISTED = 20

const listed = (named: readonly Named[]): string =>
  [
    ...named.slice(0, MOST_LISTED).map(({ id, name, unknown = '' }) => `  ${id}  ${name ?? `(${unknown})`}`),
    ...(named.length > MOST_LISTED ? [`  and ${named.length - MOST_LISTED} more: steadfold remote show`] : []),
  ].join('\n')

const nobody = (place: string, word: string, named: readonly Named[]): EngineError =>
  new EngineError('SESSION_NOT_FOUND', `no session ${JSON.stringify(word)} at ${place}`, {
    hint:
      named.length === 0
        ? 'nothing is there yet: steadfold push SESSION, over there'
        : `name one of those that are there, or its id:\n${listed(named)}`,
  })

const several = (place: string, word: string, meant: readonly Named[]): EngineError =>
  new EngineError('SESSION_AMBIGUOUS', `${meant.length} sessions ${JSON.stringify(word)} at ${place}`, {
    hint: `say which by its id:\n${listed(meant)}`,
    details: { sessions: meant.map(({ id }) => id) },
  })
