/** Everything that goes to another machine, or comes from one. Loaded by the commands that do so. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import { EngineError } from '../../kernel/error.ts'
import type { Session } from '../../kernel/session.ts'
import type { Workspace } from '../../kernel/workspace.ts'
import { homeOf, personIn, KeyRing, type Key } from './keys.ts'
import { invalid, MOST_BYTES } from './manifest.ts'
import { pack, type Here } from './pack.ts'
import type { PatchSecrets } from './patch.ts'
import type { Places } from './places.ts'
import { readBundle, readHead, type BundleHead, type ReadOptions } from './read.ts'
import type { SealFor } from './seal.ts'
import { take, type Taken } from './take.ts'
import { receive, send, type Arrival } from './teleport.ts'
import { fileSpot, type Packed } from './write.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface VaultParts {
  readonly env: Env
  readonly version: string
  /** Id of a workspace that a folder keeps; made on first use. */
  readonly place: () => string
  /** Folder of the project, of the folder that holds, or stands for, the workspace. */
  readonly project: (dir: string) => string
}

/** Where the passphrase is: the path of a file, or what reads it. */
export type Secret = string | (() => Buffer)

/** For whom, by whom, and what else goes along. */
export interface PackWishes {
  readonly file: string
  readonly force: boolean
  readonly recipients: readonly string[]
  readonly passphraseFile: Secret | undefined
  readonly key: string | undefined
  readonly patch: boolean
  readonly patchSecrets?: PatchSecrets | undefined
  readonly transcripts: readonly string[]
}

export interface OpenWishes {
  readonly passphraseFile: Secret | undefined
  /** Name, or `ed25519:…`: nobody else may have signed it. */
  readonly from: string | undefined
  readonly maxBytes: number | undefined
}

export interface Inspected extends BundleHead {
  /** What the signer is called here; null for a stranger. */
  readonly signed_by: string | null
}

export class Vault {
  readonly keys: KeyRing
  readonly #parts: VaultParts

  constructor(parts: VaultParts) {
    this.#parts = parts
    this.keys = new KeyRing(homeOf(parts.env))
  }

  async pack(workspace: Workspace, session: Session, dir: string, wishes: PackWishes): Promise<Packed> {
    return pack({ kernel: workspace.kernel, session, kind: 'copy', ...this.#packing(workspace, dir, wishes) })
  }

  async send(workspace: Workspace, session: Session, dir: string, wishes: PackWishes & Sending): Promise<Packed> {
    if (wishes.recipients.length > 1)
      throw new EngineError('INPUT_INVALID', 'a session is sent to one recipient: two could both take it over', {
        hint: 'steadfold bundle pack makes a copy for several',
      })
    const { to = this.#nameOf(wishes.recipients), actor } = wishes
    return send({ workspace, session, to, actor, ...this.#packing(workspace, dir, wishes) })
  }

  /** Whoever is called by their key is meant as if by their name. */
  #nameOf([word]: readonly string[]): string | undefined {
    return word === undefined ? undefined : this.keys.calledBy(this.keys.recipient(word))
  }

  async inspect(file: string, wishes: OpenWishes): Promise<Inspected> {
    return this.#told(await readHead(file, { ...this.#opening(wishes), judge: () => undefined }))
  }

  async verify(file: string, wishes: OpenWishes): Promise<Inspected> {
    return this.#told(await readBundle(file, this.#opening(wishes)))
  }

  async unpack(workspace: Workspace, file: string, wishes: OpenWishes): Promise<Inspected & Taken> {
    const options = this.#opening(wishes)
    const head = await readBundle(file, options)
    return { ...this.#told(head), ...(await take(workspace, { bundle: file, options, manifest: head.manifest })) }
  }

  receive(workspace: Workspace, file: string, dir: string, wishes: OpenWishes & Receiving): Promise<Arrival> {
    const { root, actor } = wishes
    const options = this.#opening(wishes)
    const here = this.here(workspace, dir)
    return receive({ workspace, file, options, here, root: root ?? here.dir, actor })
  }

  /** A workspace in a database is the same place from every machine. */
  here({ kernel: { store } }: Workspace, dir: string): Here {
    const { env, version, place, project } = this.#parts
    const device = env['STEADFOLD_DEVICE'] ?? ''
    return {
      place: store?.place ?? place(),
      device: device === '' ? os.hostname() : device,
      version,
      dir: project(dir),
      home: personIn(env),
      now: Date.now,
    }
  }

  #packing(
    workspace: Workspace,
    dir: string,
    { file, force, recipients, passphraseFile, key, patch, patchSecrets = 'refuse', transcripts }: PackWishes,
  ) {
    return {
      here: this.here(workspace, dir),
      key: this.keys.signingKey(key),
      seal: this.#sealFor(recipients, passphraseFile),
      spot: () => fileSpot(file, force ? 'replace' : 'new'),
      patch,
      patchSecrets,
      transcripts,
    }
  }

  #sealFor(words: readonly string[], passphraseFile: Secret | undefined): SealFor {
    if (words.length === 0 && passphraseFile === undefined)
      throw new EngineError('INPUT_INVALID', 'for whom? a bundle is sealed for recipients, or with a passphrase', {
        hint: '--recipient age1… (or a name from steadfold key list), or --passphrase-file FILE',
      })
    if (words.length > 0 && passphraseFile !== undefined)
      throw new EngineError('INPUT_INVALID', 'a bundle is sealed for recipients or with a passphrase, not with both', {
        hint: 'leave out --recipient or --passphrase-file',
      })
    if (passphraseFile !== undefined) return { passphrase: passphraseIn(passphraseFile) }
    return { recipients: [...new Set(words.map((word) => this.keys.recipient(word)))] }
  }

  /** For what comes from a place that is known. */
  opening(): ReadOptions {
    return this.#opening({ passphraseFile: undefined, from: undefined, maxBytes: MOST_BYTES })
  }

  async places(workspace: Workspace, dir: string): Promise<Places> {
    const { Places } = await import('./places.ts')
    return new Places(this, workspace, { dir, env: this.#parts.env })
  }

  #opening({ passphraseFile, from, maxBytes }: OpenWishes): ReadOptions {
    const own = this.keys.own()
    const passphrase = passphraseFile === undefined ? undefined : passphraseIn(passphraseFile)
    return {
      open: { identities: own.map(({ identity }) => identity), passphrase },
      maxBytes,
      judge: (head) => {
        assertMeant(head, own, passphrase !== undefined)
        this.#assertSigner(head.signer, from)
      },
    }
  }

  #assertSigner(signer: string, from: string | undefined): void {
    const names = this.keys.namesOf(signer)
    if (from === undefined ? names.length > 0 : from === signer || names.includes(from)) return
    const [name] = names
    const who = name === undefined ? signer : `${name} (${signer})`
    throw new EngineError(
      'SIGNER_UNKNOWN',
      `the bundle is signed by ${who}${from === undefined ? ', a stranger' : `, not by ${from}`}`,
      {
        hint: `if that is who sent it: ${name === undefined ? `steadfold key trust NAME ${signer}` : `--from ${name}`}`,
        details: { signer },
      },
    )
  }

  #told(head: BundleHead): Inspected {
    return { ...head, signed_by: this.keys.namesOf(head.signer)[0] ?? null }
  }
}

interface Sending {
  readonly to: string | undefined
  readonly actor: string
}

interface Receiving {
  readonly root: string | undefined
  readonly actor: string
}

/** One of those it was sealed for cannot seal it again for others, with the sender's name on it. */
function assertMeant({ manifest, sealed }: BundleHead, own: readonly Key[], withPassphrase: boolean): void {
  const meant = manifest.sealed_for
  if (!sealed || own.some(({ recipient }) => meant.includes(recipient))) return
  if (withPassphrase && meant.includes('passphrase')) return
  throw invalid('its signer sealed it for others, and somebody else for you')
}

function passphraseIn(file: Secret): string {
  let text: string
  try {
    const bytes = typeof file === 'string' ? fs.readFileSync(file) : file()
    text = bytes.toString('utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new EngineError(
      'FILE_NOT_FOUND',
      `cannot read the passphrase in ${typeof file === 'string' ? file : 'stdin'}`,
      {
        hint: '--passphrase-file takes a file, or - for stdin',
        cause: error,
      },
    )
  }
  if (text.length >= 8 && !text.includes('\n')) return text
  throw new EngineError('INPUT_INVALID', 'a passphrase is one line of at least 8 characters', {
    hint: 'four or five random words are good',
  })
}
