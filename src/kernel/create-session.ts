import { toldId } from './about-session.ts'
import { failure } from './decision.ts'
import { EngineError } from './error.ts'
import type { Kernel } from './kernel.ts'
import type { Answer } from './operation/answer.ts'
import { holdsSecret } from './operation/clean.ts'
import { parseInput } from './operation/input.ts'
import { keyReused } from './operation/repeat.ts'
import { keyed, wrongOptions } from './operation/run-options.ts'
import type { Session } from './session.ts'

export const CREATE = 'session.create'
export const FORK = 'session.fork'

/** What a new session is told of itself. */
export interface CreateSession {
  readonly name: string
  readonly goal?: string | undefined
  readonly mode?: string | undefined
  readonly context?: Readonly<Record<string, unknown>> | undefined
  /** It is set up first: no work begins before it is activated. */
  readonly hold?: boolean | undefined
  /** Chosen when left out: UUID v7. */
  readonly id?: string | undefined
  readonly actor?: string | undefined
  readonly key?: string | undefined
  readonly reason?: string | undefined
}

/** A session that is open, and what became of its first commit. */
export interface Begun<S> {
  readonly session: S
  readonly answer: Answer
}

/** Throws what is wrong with it, before anything is made. */
export function assertCreation(kernel: Kernel, { actor, key, reason, ...about }: CreateSession): Promise<void> {
  return assertFirst(kernel, CREATE, about, { actor, key, reason })
}

/** The same of a fork: what is wrong with it now would be found when the history was copied. */
export function assertFork(
  kernel: Kernel,
  wish: CreateSession & { readonly id: string },
  shared: Shared,
): Promise<void> {
  const { id, name, actor, key, reason } = wish
  const about = { id, name, from: { session: shared.from.id, seq: shared.seq, hash: '' } }
  return assertFirst(kernel, FORK, about, { actor, key, reason })
}

type Says = Pick<CreateSession, 'actor' | 'key' | 'reason'>

async function assertFirst(kernel: Kernel, name: string, about: { readonly name: string }, says: Says): Promise<void> {
  const operation = await kernel.operations.get(name)
  const parsed = operation === undefined ? undefined : parseInput(operation, about)
  if (parsed?.ok === false) throw failure(parsed.refusal)
  const wrong = wrongOptions(name, says)
  if (wrong !== undefined) throw failure(wrong)
  assertNameKept(kernel, about.name)
}

/** L7: the shared history would answer with what that key was given first. */
export async function assertKeyUnused(kernel: Kernel, asked: string | undefined, { from, seq }: Shared): Promise<void> {
  if (asked === undefined) return
  const { key } = keyed({ key: asked }, kernel)
  for await (const commit of from.commits({ until: seq }))
    if (commit.key === key) throw failure(keyReused(asked, FORK, commit))
}

/** A name is claimed as it is given, outside of the log: with a part taken out it would be another. */
export function assertNameKept({ redactor }: Kernel, name: string): void {
  const found = new Map<string, number>()
  redactor?.text(name, found)
  if (found.size > 0) throw holdsSecret('the name of a session cannot be kept', [...found.keys()])
}

/** L7: whether this very wish began the session; the history of a fork began with another one. */
export async function isBegunBy(session: Session, { actor, key, reason, ...about }: CreateSession): Promise<boolean> {
  const { id, damage } = session
  if (damage !== undefined || (await session.get('$.session.id', { at: 1 })) !== id) return false
  const answer = await session.run(CREATE, { ...about, id }, { actor, key, reason })
  return answer.kind === 'accepted'
}

/** What a fork shares. */
export interface Shared {
  readonly from: Session
  /** Of the last commit that both have. */
  readonly seq: number
}

/** The same of a fork. How far it shares history is not compared: the point that was said may have moved on. */
export async function isForkedBy(session: Session, { from, seq }: Shared, wish: CreateSession): Promise<boolean> {
  const origin = originOf(session)
  // Up to where it was forked itself, a fork is still the session that it went on from.
  const whose = lineageOf(from).find((each) => seq <= each.seq)?.session ?? toldId(from) ?? from.id
  if (session.damage !== undefined || origin?.session !== whose) return false
  const { name, actor, key, reason } = wish
  const answer = await session.run(FORK, { id: session.id, name, from: origin }, { actor, key, reason })
  return answer.kind === 'accepted'
}

interface Origin {
  readonly session: string
  readonly seq: number
  readonly hash: string
}

/** What a fork went on from, and the last commit that both have. */
export const originOf = (session: Session): Origin | undefined => lineageOf(session).at(-1)

/** The slice of its module. */
const lineageOf = (session: Session): readonly Origin[] => (session.get('$.session.lineage') ?? []) as readonly Origin[]

/** G5: its maker was stopped so long that it was taken for one that was killed. */
export const takenAway = (name: string, cause: unknown): EngineError =>
  new EngineError(
    'CONFLICT',
    `the fork "${name}" was tidied away as half-made before it was finished; nothing is left of it`,
    {
      hint: 'the same again begins it anew',
      cause,
    },
  )
