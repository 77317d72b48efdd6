/*
 * A session becomes a bundle, in two parts:
 *
 *   prepared: everything that can be refused is, and what goes along is gathered ─► written: with the commits up to now
 *
 * Between the two a session that moves departs.
 */
import { EngineError } from '../../kernel/error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { START } from '../../kernel/log/chain.ts'
import { GENESIS } from '../../kernel/log/commit.ts'
import type { Position } from '../../kernel/ports.ts'
import type { Session } from '../../kernel/session.ts'
import { carriedOf, type Carried, type ToCarry } from './carried.ts'
import { contentsOf, type Contents, type Most } from './contents.ts'
import { warnOfHoles } from './holes.ts'
import type { Key } from './keys.ts'
import type { Manifest } from './manifest.ts'
import { gitAt, projectOf } from './project.ts'
import { sealerFor, type SealFor, type Sealer } from './seal.ts'
import { writeBundle, type Packed, type Spot } from './write.ts'

/** This workspace, as it tells others of itself. */
export interface Here {
  readonly place: string
  readonly device: string
  /** Of the program. */
  readonly version: string
  /** Folder of the project. */
  readonly dir: string
  readonly home: string
  readonly now: () => number
}

export interface PackRequest extends ToCarry {
  readonly kernel: Kernel
  readonly session: Session
  readonly here: Here
  readonly key: Key
  readonly seal: SealFor | undefined
  readonly spot: () => Spot
  readonly kind: Manifest['kind']
  /** Commits behind it alone; all when left out. */
  readonly after?: Position
  /** Nothing behind this commit, whatever others write meanwhile. */
  readonly last?: number
  /** Of an increment: what does not fit is left for another. */
  readonly most?: Most | undefined
}

export const pack = (request: PackRequest): Promise<Packed> => prepared(request, (write) => write())

/** Asks `go` when nothing stands against the bundle any more. Nothing of it is left unless `go` has had it written. */
export async function prepared<T>(request: PackRequest, go: (write: () => Promise<Packed>) => Promise<T>): Promise<T> {
  const spot = request.spot()
  try {
    const load = await loadOf(request)
    return await go(() => write(request, load, spot))
  } finally {
    spot.drop()
  }
}

interface Load {
  readonly contents: Contents
  readonly carried: Carried
  readonly seal: Sealer | undefined
}

async function loadOf(request: PackRequest): Promise<Load> {
  const { kernel, session, here, kind, seal, after = START, last, most } = request
  await session.refresh()
  if (session.damage !== undefined)
    throw new EngineError('LOG_CORRUPT', `session ${session.id} is damaged`, { hint: 'steadfold verify' })
  if (kind !== 'increment') await warnOfHoles(kernel, session)
  return {
    contents: await contentsOf(kernel, session.id, { after, last: last ?? session.seq, most }),
    carried: carriedOf(projectOf(session, here.dir), request, kernel.redactor),
    seal: seal === undefined ? undefined : await sealerFor(seal),
  }
}

async function write(request: PackRequest, { contents: before, carried, seal }: Load, spot: Spot): Promise<Packed> {
  const { kernel, session, key, after = START, last } = request
  const isWhole = last !== undefined || before.seq === session.seq
  const contents = isWhole ? before : await contentsOf(kernel, session.id, { after, last: session.seq })
  const manifest = { ...manifestOf(request, contents, after), ...carried.said }
  return writeBundle(spot, { manifest, sources: [...carried.sources, ...contents.sources], key, seal })
}

function manifestOf(
  { session, here, kind, seal, patch = false }: PackRequest,
  { head, seq }: Contents,
  after: Position,
): Omit<Manifest, 'files' | 'redactions' | 'kept_secrets'> {
  const { place, device, version, dir, home, now } = here
  // The slice is written by its module alone.
  const departed = session.get('$.session.transport.departed') as { readonly transfer: string } | null | undefined
  const project = projectOf(session, dir)
  const git = gitAt(project)
  return {
    format: 'steadfold-bundle',
    version: 1,
    kind,
    session: {
      id: session.id,
      name: String(session.get('$.session.name')),
      from: after.seq + 1,
      seq,
      head,
      prev: after.seq === 0 ? GENESIS : after.hash,
      epoch: Number(session.get('$.session.epoch') ?? 1),
      transfer: kind === 'transfer' ? (departed?.transfer ?? null) : null,
    },
    made_at: new Date(now()).toISOString(),
    made_by: { place, device, version },
    sealed_for: seal === undefined ? [] : 'recipients' in seal ? [...seal.recipients] : ['passphrase'],
    roots: { project, home },
    git: git === undefined ? null : { ...git, patch },
  }
}
