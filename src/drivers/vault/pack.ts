import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import { GENESIS } from '../../kernel/commit.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { START } from '../../kernel/chain.ts'
import type { Position } from '../../kernel/ports.ts'
import type { Session } from '../../kernel/session.ts'
import { contentsOf, type Contents } from './contents.ts'
import type { Key } from './keys.ts'
import type { Manifest } from './manifest.ts'
import { patchFor, type PatchSecrets } from './patch.ts'
import { gitAt, projectOf } from './project.ts'
import type { SealFor } from './seal.ts'
import { writeBundle, type Packed, type Source } from './write.ts'

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

export interface PackRequest {
  readonly kernel: Kernel
  readonly session: Session
  readonly here: Here
  readonly key: Key
  readonly seal: SealFor | undefined
  readonly file: string
  readonly kind: Manifest['kind']
  readonly how: 'new' | 'replace'
  /** Commits behind it alone; all when left out. */
  readonly after?: Position
  readonly patch?: boolean
  readonly patchSecrets?: PatchSecrets
  /** Files of text to take along. */
  readonly transcripts?: readonly string[]
}

export async function pack(request: PackRequest): Promise<Packed> {
  const { kernel, session, key, seal, file, how, after = START } = request
  await session.refresh()
  if (session.damage !== undefined)
    throw new EngineError('LOG_CORRUPT', `session ${session.id} is damaged`, { hint: 'steadfold verify' })
  const contents = await contentsOf(kernel, session.id, after, session.seq)
  const { carried, redactions, kept_secrets } = carriedOf(request)
  const manifest = { ...manifestOf(request, contents, after), redactions, ...kept_secrets }
  return writeBundle(file, { manifest, sources: [...carried, ...contents.sources], key, seal }, how)
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

/** Texts go through the rules that hold for everything that is written; for a patch somebody says so. */
function carriedOf(request: PackRequest) {
  const { kernel, session, here, patch = false, patchSecrets = 'refuse', transcripts = [] } = request
  const made = patch ? patchFor(projectOf(session, here.dir), kernel.redactor, patchSecrets) : undefined
  const carried: Source[] = made === undefined ? [] : [fixed('carried/patch.diff', made.bytes)]
  const tally = new Map(made?.redacted)
  for (const file of transcripts) {
    const text = kernel.redactor?.text(textIn(file), tally) ?? textIn(file)
    const name = path
      .basename(file)
      .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
      .replace(/^[^A-Za-z0-9]+/, '')
    carried.push(fixed(`carried/transcripts/${name}`, Buffer.from(text)))
  }
  const kept = made === undefined || made.kept.size === 0 ? {} : { kept_secrets: Object.fromEntries(made.kept) }
  return { carried, redactions: Object.fromEntries(tally), kept_secrets: kept }
}

const fixed = (name: string, bytes: Buffer): Source => ({
  path: name,
  chunks: async function* () {
    yield bytes
  },
})

function textIn(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new EngineError('FILE_NOT_FOUND', `cannot read the transcript ${file}`, {
      hint: '--transcript takes a file',
      cause: error,
    })
  }
}
