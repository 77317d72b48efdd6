/*
 * Whether a log tells the truth, read from its first byte on.
 */
import { asError, EngineError } from '../error.ts'
import type { Kernel } from '../kernel.ts'
import { Chain, START, type Damage, type Fragment } from '../log/chain.ts'
import { decodeFolded } from '../log/decode.ts'
import { codeOf, LOG_GONE, scanLog, tailLost, type DamageCode } from '../log/replay.ts'
import type { Cut, Position } from '../ports.ts'
import { decodeCheckpoint, stateHash, type Checkpoint } from '../replica/checkpoint.ts'
import { replaying } from '../state/edit.ts'
import { fold } from '../state/fold.ts'
import type { Tree } from '../state/module.ts'
import type { Dangling } from '../state/references.ts'
import { lostBlobs, type LostBlob } from './blobs.ts'

export type CheckpointState = 'none' | 'ok' | 'damaged' | 'foreign' | 'ahead' | 'wrong' | 'unread'

export interface Met extends Fragment {
  /** No commit follows it: nothing says whether it was ever acknowledged. */
  readonly last?: true
}

/** Nothing is known of a log that cannot be read here. */
export type ShutCode = 'READ_ONLY' | 'STORE_UNAVAILABLE'

export interface Verification {
  readonly session: string
  /** Last commit that the chain proves. */
  readonly seq: number
  /** False when acknowledged history, or what it names of blobs, is damaged or missing. Torn fragments and lost races lose nothing. */
  readonly ok: boolean
  readonly torn: number
  readonly races: number
  readonly fragments: readonly Met[]
  readonly checkpoint: CheckpointState
  readonly error?: Damage & { readonly code: DamageCode | 'CHECKPOINT_AHEAD' | ShutCode }
  /** When it was asked for: what the state names and does not hold. It is told, never reset. */
  readonly dangling?: readonly Dangling[]
  /** Blobs that the state names and that are gone, or, when that was asked for, altered. Left out where there are none. */
  readonly lost?: readonly LostBlob[]
  /** What a repair that was killed has cut, and no commit tells of yet; the next repair does. Left out where there is none. */
  readonly untold?: readonly Cut[]
}

const NOWHERE = { seq: 1, segment: 1, offset: 0, bytes: 0 }

/** Of a session whose folder is there and whose log is not. */
export async function verifyRemains(kernel: Kernel, session: string): Promise<Verification> {
  const { unread, checkpoint } = await keptCheckpoint(kernel, session)
  return { ...withoutLog(session), checkpoint: judge(unread, checkpoint?.position, START, undefined) }
}

const withoutLog = (session: string): Verification => ({
  session,
  seq: 0,
  ok: false,
  torn: 0,
  races: 0,
  fragments: [],
  checkpoint: 'none',
  error: { ...NOWHERE, code: 'LOG_CORRUPT', reason: LOG_GONE },
})

/** Of one whose files cannot be read here. */
export const unread = (session: string, { code, message }: EngineError): Verification => ({
  ...withoutLog(session),
  checkpoint: 'unread',
  error: { ...NOWHERE, code: code === 'READ_ONLY' ? code : 'STORE_UNAVAILABLE', reason: message },
})

/** `deep` also folds the whole log again, compares it with the checkpoint, and looks for dangling references and lost blobs. */
export async function verifySession(kernel: Kernel, session: string, deep = false): Promise<Verification> {
  const chain = new Chain(START, kernel.host.sha256)
  const { unread, checkpoint } = await keptCheckpoint(kernel, session)
  let met: string | undefined
  const scanned = scanLog(kernel.log, session, chain, ({ seq, hash }) => {
    if (seq === checkpoint?.position.seq) met = hash
  })
  // Nothing is parsed, so that a million commits take seconds.
  for await (const _ of scanned) continue
  const shallow = judge(unread, checkpoint?.position, chain.position, met)
  const folded = deep ? await refold(kernel, session, checkpoint) : undefined
  const state = shallow === 'ok' && folded?.agrees === false ? 'wrong' : shallow
  const damage = damageOf(chain, folded?.foreign, state, checkpoint?.position.seq ?? 0)
  const named = folded === undefined ? {} : await namedIn(kernel, session, folded.tree)
  return {
    session,
    ...countsOf(chain),
    ok: damage === undefined && named.lost === undefined,
    checkpoint: state,
    ...(damage === undefined ? {} : { error: damage }),
    ...named,
    ...(await untoldBy(kernel, session)),
  }
}

async function namedIn(kernel: Kernel, session: string, tree: Tree): Promise<Pick<Verification, 'dangling' | 'lost'>> {
  const dangling = (await kernel.references?.(tree)) ?? []
  const lost = await lostBlobs(kernel, session, tree, true)
  return lost.length === 0 ? { dangling } : { dangling, lost }
}

async function untoldBy({ log }: Kernel, session: string): Promise<Pick<Verification, 'untold'>> {
  const cuts = await (await log.attic?.())?.untold?.(session)
  const untold = cuts?.filter(({ aside }) => aside.length > 0) ?? []
  return untold.length === 0 ? {} : { untold }
}

/** Throws LOG_CORRUPT. */
export async function assertVerified(kernel: Kernel, session: string, hint: string): Promise<void> {
  if ((await verifySession(kernel, session)).ok) return
  throw new EngineError('LOG_CORRUPT', `session ${session} does not verify`, { hint })
}

async function keptCheckpoint({ log, host }: Kernel, session: string) {
  const bytes = await log.checkpoints?.get(session)
  const unread: CheckpointState = bytes === undefined ? 'none' : 'damaged'
  return { unread, checkpoint: bytes === undefined ? undefined : decodeCheckpoint(bytes, { sha256: host.sha256 }) }
}

function countsOf({ position, torn, trailing, unfinished, races }: Chain) {
  const last = [...trailing, ...(unfinished === undefined ? [] : [unfinished])]
  const fragments: readonly Met[] = [...torn, ...last.map((each) => ({ ...each, last: true as const }))]
  return { seq: position.seq, torn: fragments.length, races, fragments }
}

/** Against the log's end, and the hash that its commit at that place has. */
function judge(
  unread: CheckpointState,
  checkpoint: Position | undefined,
  end: Position,
  met: string | undefined,
): CheckpointState {
  if (checkpoint === undefined) return unread
  if (checkpoint.seq > end.seq) return 'ahead'
  return met === checkpoint.hash ? 'ok' : 'foreign'
}

/** From the first commit on, as far as the chain proves; no checkpoint has a say in it. */
async function refold(kernel: Kernel, session: string, checkpoint: Checkpoint | undefined) {
  const tree: Tree = {}
  let agrees: boolean | undefined
  // Behind the last commit that was folded, and behind those that come next.
  let last: Position = START
  const behind: Position[] = []
  const chain = new Chain(START, kernel.host.sha256)
  try {
    for await (const scanned of scanLog(kernel.log, session, chain, (_, position) => behind.push(position)))
      for (const commits of decodeFolded(scanned, last.seq + 1)) {
        for (const commit of commits) {
          fold(kernel.folder, tree, commit, replaying)
          last = behind.shift() ?? last
          // One that another build made may have another form (K4 of checkpoint.ts).
          if (commit.seq === checkpoint?.position.seq && checkpoint.shape === kernel.shape)
            agrees = stateHash(tree, kernel.host.digest) === checkpoint.stateHash
        }
      }
  } catch (error) {
    const isNewer = error instanceof EngineError && error.code === 'VERSION_UNKNOWN'
    if (error instanceof EngineError && error.code !== 'PATH_INVALID' && !isNewer) throw error
    return { tree, agrees, foreign: foreignAt(last, error, isNewer ? 'VERSION_UNKNOWN' : 'LOG_CORRUPT') }
  }
  return { tree, agrees, foreign: undefined }
}

/** Its hash checks, and it is no commit that can be folded. */
const foreignAt = ({ seq, segment, offset }: Position, error: unknown, code: DamageCode): Coded => ({
  code,
  seq: seq + 1,
  segment,
  offset,
  bytes: 0,
  reason: `its hash checks, but it cannot be folded: ${asError(error).message}`,
})

type Coded = Damage & { readonly code: DamageCode }

/** Readers take it for a torn end, as they must. Where the log has gone on without it there is nothing left to mend. */
const alteredAt = ({ position }: Chain, { segment, offset, bytes }: Fragment): Coded => ({
  code: 'LOG_CORRUPT',
  seq: position.seq + 1,
  segment,
  offset,
  bytes,
  reason: `the last line is a whole commit ${position.seq + 1} whose hash is not that of its bytes: it was altered`,
})

function damageOf(
  chain: Chain,
  foreign: Coded | undefined,
  state: CheckpointState,
  checkpointSeq: number,
): Verification['error'] {
  if (foreign !== undefined) return foreign
  if (chain.damage !== undefined) return { code: codeOf(chain.damage), ...chain.damage }
  const altered = chain.trailing.find((each) => each.altered)
  if (altered !== undefined) return alteredAt(chain, altered)
  if (state !== 'ahead') return undefined
  const { seq, segment, offset } = chain.position
  return {
    code: 'CHECKPOINT_AHEAD',
    seq: seq + 1,
    segment,
    offset,
    bytes: 0,
    reason: tailLost(checkpointSeq, seq),
  }
}
