import { flag, seq, signal, type Rule } from '../arguments.ts'
import { EngineError } from '../error.ts'
import type { Position, Reader } from '../ports.ts'
import { Bell } from './bell.ts'
import { Chain, START } from './chain.ts'
import type { Commit } from './commit.ts'
import { logReplaced } from './replaced.ts'
import { corrupt, replay } from './replay.ts'

export interface CommitsOptions {
  /** Sequence number to start behind; a cursor. One beyond the last commit, as after the log was cut, is POINT_NOT_FOUND. */
  readonly after?: number | undefined
  /** Sequence number to end with; what stands behind it is not looked at. Infinity: all there are. */
  readonly until?: number | undefined
  /** Go on with what is appended later, by anybody, until `signal` aborts or the loop is left. */
  readonly live?: boolean | undefined
  /** Ends the reading behind the commit that was read last. */
  readonly signal?: AbortSignal | undefined
}

export const COMMITS: Readonly<Record<keyof CommitsOptions, Rule>> = {
  after: seq,
  until: { fits: (value) => value === Infinity || seq.fits(value), must: seq.must },
  live: flag,
  signal,
}

interface From {
  /** Where to begin to read, when it is known; else the beginning of the log. Sought when reading begins. */
  readonly position?: Position | (() => Promise<Position>)
  /** Is told of places in the log that it comes through. */
  readonly passed?: (place: Position) => void
  /** Live readers that whoever holds them can end. */
  readonly bells?: Set<Bell>
  /** Whether a live reader may still begin to wait. */
  readonly isOpen?: () => boolean
  /** Is told of the bell that wakes a live reader. */
  readonly waits?: (bell: Bell | undefined) => void
}

type Commits = AsyncGenerator<Commit, void, undefined>

/** The commits of a session in order. The session need not be open. */
export const commitsOf = (reader: Reader, session: string, options: CommitsOptions, from: From = {}): Commits =>
  options.live === true ? leftAtOnce(reader, session, options, from) : reading(reader, session, options, from)

/** A generator that waits takes no `return` until it is woken; a stream that is destroyed would never close. */
function leftAtOnce(reader: Reader, session: string, options: CommitsOptions, from: From): Commits {
  let left = false
  let bell: Bell | undefined
  const isOpen = () => !left && from.isOpen?.() !== false
  const commits = reading(reader, session, options, { ...from, isOpen, waits: (own) => (bell = own) })
  const wake = () => {
    left = true
    bell?.end()
  }
  const [leave, fail] = [commits.return.bind(commits), commits.throw.bind(commits)]
  return Object.assign(commits, {
    return: (value: void | PromiseLike<void>) => (wake(), leave(value)),
    throw: (error: unknown) => (wake(), fail(error)),
  })
}

async function* reading(
  reader: Reader,
  session: string,
  options: CommitsOptions,
  { position = START, bells = new Set(), passed, waits, isOpen = () => true }: From,
): Commits {
  const chain = await chainFrom(reader, options.after ?? 0, position)
  const live = options.live === true && isOpen()
  const bell = live ? new Bell(reader, session, { signal: options.signal, among: bells }) : undefined
  waits?.(bell)
  try {
    do {
      const before = { position: chain.position, rivals: chain.rivals }
      for await (const commits of replay(reader.log, session, chain)) {
        passed?.(chain.position)
        // Not `yield*`, which waits once more for each.
        for (const commit of wanted(commits, options)) yield commit
        if (isOver(options, commits)) return
      }
      await assertStands(reader, session, chain, before)
      assertSound(reader, session, chain)
      assertReached(session, chain, options)
    } while (bell !== undefined && (await hasMore(reader, session, { chain, bell })))
  } finally {
    bell?.stop()
  }
}

/** The file it ends in is remembered: of a shorter one it can then be told whether it is another (a repair) or was cut. */
function hasMore(
  { log }: Reader,
  session: string,
  at: { readonly chain: Chain; readonly bell: Bell },
): Promise<boolean> {
  log.learn?.(session, at.chain.position)
  return at.bell.rung()
}

function* wanted(
  commits: readonly Commit[],
  { after = 0, until = Infinity, signal }: CommitsOptions,
): Generator<Commit> {
  for (const commit of commits) if (commit.seq > after && commit.seq <= until && signal?.aborted !== true) yield commit
}

/** By what was handed out: the chain is ahead of it. */
const isOver = ({ until = Infinity, signal }: CommitsOptions, commits: readonly Commit[]): boolean =>
  (commits.at(-1)?.seq ?? 0) >= until || signal?.aborted === true

/** L3: to go on behind one that was altered would be to wait for ever. */
async function assertStands(
  { log }: Reader,
  session: string,
  { rivals }: Chain,
  before: Pick<Chain, 'position' | 'rivals'>,
): Promise<void> {
  if (rivals === before.rivals || before.position.seq === 0) return
  if ((await log.stands(session, { ...before.position })) === 'no') throw logReplaced(session)
}

function assertSound({ log }: Reader, session: string, { damage }: Chain): void {
  if (damage !== undefined) throw corrupt(session, damage, log)
}

/** Where the log was cut since, what came anew before the cursor would be missed. */
function assertReached(session: string, { position: { seq } }: Chain, { after = 0 }: CommitsOptions): void {
  if (after <= seq) return
  throw new EngineError('POINT_NOT_FOUND', `the log of session ${session} ends at ${seq}, before the cursor ${after}`, {
    hint: `after: ${seq} begins with what comes next, after: 0 with the first commit`,
  })
}

async function chainFrom({ host }: Reader, after: number, position: NonNullable<From['position']>): Promise<Chain> {
  const begin = typeof position === 'function' ? await position() : position
  return new Chain(after >= begin.seq ? begin : START, host.sha256)
}
