/*
 * A session goes from one workspace to another.
 *
 *   send:     bundle prepared ─► session.depart ─► bundle packed ─► bundle has its name
 *   receive:  bundle read in full ─► commits here, still departed ─► session.arrive
 *
 * M1. Each side changes who owns the session by one commit: killed before it nothing has happened, killed behind it it has.
 * M2. Between the two nobody owns it, which is said; the same command again goes on, or `cancel` takes it back.
 * M3. Whoever received it raises the epoch. A bundle of an older epoch, or received before, is refused.
 * M4. What can be refused is refused before the session departs. What fails behind that says that it has departed.
 */
import { asError, EngineError, type ErrorCode } from '../../kernel/error.ts'
import { rootsOf, type Roots } from '../../kernel/exchange/roots.ts'
import type { Answer } from '../../kernel/operation/answer.ts'
import type { Session } from '../../kernel/session.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { Workspace } from '../../kernel/workspace.ts'
import type { Manifest } from './manifest.ts'
import { prepared, type Here, type PackRequest } from './pack.ts'
import { differencesAt, gitAt, projectOf, type Difference, type GitState } from './project.ts'
import { readBundle, type ReadOptions } from './read.ts'
import { take } from './take.ts'
import type { Packed } from './write.ts'

export interface SendRequest extends Omit<PackRequest, 'kernel' | 'kind' | 'after'> {
  readonly workspace: Workspace
  /** Told in the log: whom it is for. */
  readonly to: string | undefined
  readonly actor: string
}

export function send({ workspace, to, actor, ...request }: SendRequest): Promise<Packed> {
  const { session, here } = request
  const packing = { ...request, kernel: workspace.kernel, kind: 'transfer' } as const
  const moved = () =>
    prepared(packing, async (write) => {
      await depart(session, { here, to, actor })
      return write()
    })
  return tellingDeparture(session, 'send it again with --force', moved)
}

/** Who has received it is told by these, and it cannot be taken back. */
const ELSEWHERE: ReadonlySet<ErrorCode> = new Set(['SESSION_DEPARTED', 'EPOCH_STALE'])

/** M4: `again` says how to go on. */
export async function tellingDeparture<T>(session: Session, again: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code = 'UNEXPECTED', hint, details } = error instanceof EngineError ? error : {}
    if (departedOf(session) === null || ELSEWHERE.has(code)) throw error
    const name = String(session.get('$.session.name'))
    const why = asError(error).message
    const ways = `${again}, or take it back: steadfold teleport cancel ${quoted(name)}`
    throw new EngineError(code, `${why}; session ${name} has departed`, {
      hint: hint === undefined ? ways : `${hint}${/[.?]$/.test(hint) ? ' Then' : '; then'} ${ways}`,
      ...(details === undefined ? {} : { details }),
      cause: error,
    })
  }
}

/** Says where the project lies and what git says of it, for whoever receives it. */
export function depart(session: Session, { here, to, actor }: Departure): Promise<void> {
  const { place, device, dir } = here
  const root = projectOf(session, dir)
  const git = gitAt(root)
  const known = { ...(to === undefined ? {} : { to }), ...(git === undefined ? {} : { git }) }
  return wrote(session, 'session.depart', { from: { place, device }, root, ...known }, actor)
}

export interface Departure {
  readonly here: Here
  readonly to: string | undefined
  readonly actor: string
}

export async function cancel(session: Session, { place, device }: Here, actor: string): Promise<number> {
  await wrote(session, 'session.return', { at: { place, device } }, actor)
  return epochOf(session)
}

/** Throws what `cancel` would: another's departure is not ours to take back. */
export async function assertCancellable(session: Session, { place, device }: Here, actor: string): Promise<void> {
  accepted(await session.run('session.return', { at: { place, device } }, { actor, dryRun: true }))
}

export interface Arrival {
  readonly session: Session
  readonly epoch: number
  readonly added: number
  readonly from: Manifest['made_by']
  readonly root: string
  readonly differences: readonly Difference[]
  readonly git: { readonly there: GitState | null; readonly here: GitState | null }
  readonly carried: readonly string[]
}

export interface ReceiveRequest {
  readonly workspace: Workspace
  readonly file: string
  readonly options: ReadOptions
  readonly here: Here
  readonly root: string
  readonly actor: string
}

export async function receive({ workspace, file, options, here, root, actor }: ReceiveRequest): Promise<Arrival> {
  const { manifest } = await readBundle(file, options)
  const { id, epoch, transfer } = manifest.session
  if (manifest.kind !== 'transfer' || transfer === null)
    throw new EngineError('INPUT_INVALID', 'this bundle is a copy: it moves nobody', {
      hint: 'steadfold bundle unpack FILE, or have it sent with steadfold teleport send',
    })
  await assertNew(workspace, manifest)
  const taken = await take(workspace, { bundle: file, options, manifest })
  const session = await workspace.session(id)
  await arrive(session, { transfer, epoch, here, root, actor })
  return { ...(await arrivalOf(session, manifest, root)), added: taken.added, carried: taken.carried }
}

export interface ArriveRequest {
  readonly transfer: string
  /** That it left with. */
  readonly epoch: number
  readonly here: Here
  readonly root: string
  readonly actor: string
}

/** M1. */
export function arrive(session: Session, { transfer, epoch, here, root, actor }: ArriveRequest): Promise<void> {
  const at = { place: here.place, device: here.device }
  return wrote(session, 'session.arrive', { transfer, epoch: epoch + 1, at, root }, actor)
}

/** M3, before anything is written. */
async function assertNew(workspace: Workspace, { session: { id, name, epoch, transfer } }: Manifest): Promise<void> {
  if (!(await workspace.kernel.log.exists(id))) return
  const session = await workspace.session(id)
  const here = epochOf(session)
  const departed = departedOf(session)
  await session.close()
  if (here < epoch || (here === epoch && (departed === null || departed.transfer === transfer))) return
  throw new EngineError(
    'EPOCH_STALE',
    `session ${name} is at epoch ${here} here, and this bundle left with epoch ${epoch}`,
    {
      hint: `it was received before, or taken back: steadfold session show ${quoted(name)} says who owns it`,
      details: { session: id, here, bundle: epoch },
    },
  )
}

/** What was so over there. */
interface Left extends Pick<Manifest, 'made_by'> {
  readonly git: GitState | null
}

export async function arrivalOf(session: Session, { made_by, git }: Left, root: string) {
  const roots = rootsOf(session.stored)
  const files = differencesAt(root, await expectedFiles(session), roots)
  return {
    session,
    epoch: epochOf(session),
    from: made_by,
    root,
    differences: [...files, ...foldersNamed(session, roots)],
    git: { there: git, here: gitAt(root) ?? null },
  }
}

/** What a step runs is part of what it is, and is not rewritten: a folder over there that it names is not here. */
function foldersNamed(session: Session, { before }: Roots): readonly Difference[] {
  const definition = JSON.stringify(session.get('$.workflow.definition') ?? null)
  return before
    .filter((root) => definition.includes(JSON.stringify(root).slice(1, -1)))
    .map((path) => ({ path, what: 'named by the workflow' }))
}

interface Hashed {
  readonly path: string
  readonly sha256: string | null
}

/** As a craft document has it. */
interface Told {
  readonly path: string
  readonly hash_after: string | null
}

const isHash = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text)

/** Files of an imported document and artifacts of finished steps, with the hash that the last of them had. */
async function expectedFiles(session: Session): Promise<ReadonlyMap<string, string>> {
  // The ledger is written by its module alone.
  const results = (await session.query('$.steps..result.artifacts[*]')) as readonly Hashed[]
  const told = (await session.query('$.data.craft.files_modified[*]')) as readonly Told[]
  const hashed = [...told.map(({ path, hash_after: sha256 }) => ({ path, sha256 })), ...results]
  return new Map(hashed.flatMap(({ path, sha256 }) => (isHash(sha256) ? [[path, sha256] as const] : [])))
}

export const epochOf = (session: Session): number => Number(session.get('$.session.epoch') ?? 1)

export interface Departed {
  readonly transfer: string
  readonly epoch: number
  readonly to?: string
  readonly git?: GitState
}

// The slice is written by its module alone.
export const departedOf = (session: Session) => (session.get('$.session.transport.departed') ?? null) as Departed | null

async function wrote(session: Session, operation: string, input: object, actor: string): Promise<void> {
  accepted(await session.run(operation, input, { actor }))
}

function accepted(answer: Answer): void {
  if (answer.kind === 'accepted') return
  const { code, message, hint, details } = answer
  throw new EngineError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  })
}
