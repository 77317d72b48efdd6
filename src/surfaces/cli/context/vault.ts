/* What the commands that move sessions are handed. */
import type { Session } from '../../../kernel/session.ts'
import type { Workspace } from '../../../kernel/workspace.ts'

export interface VaultApp {
  readonly keys: Keys
  pack(workspace: Workspace, session: Session, dir: string, wishes: PackWishes): Promise<Packed>
  send(
    workspace: Workspace,
    session: Session,
    dir: string,
    wishes: PackWishes & { readonly to: string | undefined; readonly actor: string },
  ): Promise<Packed>
  places(workspace: Workspace, dir: string): Promise<Places>
  /** The head alone, whoever signed it. */
  inspect(file: string, wishes: OpenWishes): Promise<Inspected>
  verify(file: string, wishes: OpenWishes): Promise<Inspected>
  unpack(workspace: Workspace, file: string, wishes: OpenWishes): Promise<Inspected & Taken>
  receive(
    workspace: Workspace,
    file: string,
    dir: string,
    wishes: OpenWishes & { readonly root: string | undefined; readonly actor: string },
  ): Promise<Arrival>
}

export interface Remote {
  readonly name: string
  readonly url: string
  readonly recipients: readonly string[] | null
}

export interface Standing {
  readonly standing: string
  readonly ahead: number
  readonly behind: number
}

export interface Synced extends Standing {
  readonly moved: number
  readonly seq: number
}

interface Moving {
  readonly key: string | undefined
  readonly actor: string
}

/** Sessions against places that two machines reach. Without a name it is the only place there is. */
export interface Places {
  readonly remotes: { list(): readonly Remote[]; remove(name: string): Remote; get(name: string | undefined): Remote }
  add(name: string, url: string, recipients: readonly string[] | null): Remote
  there(remote: string | undefined): Promise<readonly string[]>
  status(remote: string | undefined, id: string): Promise<Standing & { readonly last_sync: string | null }>
  push(remote: string | undefined, session: Session, key: string | undefined): Promise<Synced>
  pull(remote: string | undefined, word: string, force?: 'theirs'): Promise<Synced & { readonly id: string }>
  send(remote: string | undefined, session: Session, how: Moving & { readonly to: string | undefined }): Promise<Synced>
  receive(
    remote: string | undefined,
    word: string,
    how: Moving & { readonly root: string | undefined },
  ): Promise<Arrival>
  cancel(session: Session, actor: string): Promise<number>
}

export interface Card {
  readonly name: string
  readonly recipient: string | null
  readonly signer: string
}

interface Keys {
  create(name: string): Promise<Card>
  own(): readonly Card[]
  known(): readonly Card[]
  trust(card: Card): Card
}

export interface PackWishes {
  readonly file: string
  readonly force: boolean
  readonly recipients: readonly string[]
  readonly passphraseFile: string | (() => Buffer) | undefined
  readonly key: string | undefined
  readonly patch: boolean
  readonly patchSecrets: 'refuse' | 'redact' | 'keep'
  readonly transcripts: readonly string[]
}

export interface OpenWishes {
  readonly passphraseFile: string | (() => Buffer) | undefined
  readonly from: string | undefined
  readonly maxBytes: number | undefined
}

export interface Manifest {
  readonly kind: string
  readonly session: {
    readonly id: string
    readonly name: string
    readonly from: number
    readonly seq: number
    readonly head: string
    readonly epoch: number
    readonly transfer: string | null
  }
  readonly made_at: string
  readonly made_by: { readonly device: string; readonly version: string }
  readonly redactions: Readonly<Record<string, number>>
  readonly kept_secrets?: Readonly<Record<string, number>> | undefined
  readonly files: readonly { readonly path: string; readonly bytes: number }[]
}

export interface Packed {
  readonly manifest: Manifest
  readonly bytes: number
}

export interface Inspected extends Packed {
  readonly signer: string
  readonly signed_by: string | null
  readonly sealed: boolean
}

export interface Taken {
  readonly added: number
  readonly seq: number
  readonly carried: readonly string[]
}

interface Git {
  readonly branch: string | null
  readonly commit: string | null
}

export interface Arrival {
  readonly session: Session
  readonly epoch: number
  readonly added: number
  readonly from: { readonly device: string }
  readonly root: string
  readonly differences: readonly { readonly path: string; readonly what: string }[]
  readonly git: { readonly there: Git | null; readonly here: Git | null }
  readonly carried: readonly string[]
}
