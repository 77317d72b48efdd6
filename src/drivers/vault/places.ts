/** Sessions and places that two machines reach, for the commands. */
import * as path from 'node:path'
import { asError, EngineError } from '../../kernel/error.ts'
import type { Session } from '../../kernel/session.ts'
import { isSessionId } from '../../kernel/text/session-id.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { Workspace } from '../../kernel/workspace.ts'
import type { Compared } from './compare.ts'
import type { Most } from './contents.ts'
import type { Depot } from './depot.ts'
import { warnOfHoles } from './holes.ts'
import type { KeyRing } from './keys.ts'
import { sameAt, sessionAt } from './named.ts'
import type { Here } from './pack.ts'
import type { ReadOptions } from './read.ts'
import { Remotes, type Remote } from './remotes.ts'
import { claimEpoch, pull, push, status, type Link, type Synced } from './sync.ts'
import {
  arrivalOf,
  arrive,
  assertCancellable,
  cancel,
  depart,
  departedOf,
  epochOf,
  tellingDeparture,
  type Arrival,
  type Departed,
} from './teleport.ts'

export interface Shown extends Pick<Compared, 'standing' | 'ahead' | 'behind'> {
  readonly session: string
  readonly remote: string
  readonly last_sync: string | null
}

export interface PlacesOptions {
  /** Folder of the workspace. */
  readonly dir: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** How long a server may say nothing before it is given up, in ms; a minute when left out. */
  readonly patience?: number
  /** Of one increment. */
  readonly most?: Most
}

/** What this machine brings along: its keys, who and where it is, and how it opens what comes. */
interface Own {
  readonly keys: KeyRing
  here(workspace: Workspace, dir: string): Here
  opening(): ReadOptions
}

export class Places {
  readonly remotes: Remotes
  readonly #own: Own
  readonly #workspace: Workspace
  readonly #dir: string
  readonly #env: PlacesOptions['env']
  readonly #patience: number | undefined
  readonly #most: Most | undefined

  constructor(own: Own, workspace: Workspace, { dir, env, patience, most }: PlacesOptions) {
    this.remotes = new Remotes(path.join(dir, '.steadfold'))
    this.#own = own
    this.#workspace = workspace
    this.#dir = dir
    this.#env = env
    this.#patience = patience
    this.#most = most
  }

  /** `recipients` as they were said; null: increments lie open there. */
  add(name: string, url: string, recipients: readonly string[] | null): Remote {
    const added = { name, url, recipients: recipients && recipients.map((word) => this.#own.keys.recipient(word)) }
    this.remotes.add(added)
    return added
  }

  async status(remote: string | undefined, id: string): Promise<Shown> {
    const place = this.remotes.get(remote)
    const { standing, ahead, behind } = await status(await this.#link(place), id)
    return {
      session: id,
      remote: place.name,
      standing,
      ahead,
      behind,
      last_sync: this.remotes.known(id, place)?.at ?? null,
    }
  }

  /** Ids of the sessions that are there. Whoever may write there may have put other names beside them. */
  async there(remote: string | undefined): Promise<readonly string[]> {
    const names = await (await this.#depot(this.remotes.get(remote))).list('index/')
    return names.map((name) => name.slice('index/'.length)).filter(isSessionId)
  }

  /** `move`: a departure is put there, too. */
  async push(
    remote: string | undefined,
    session: Session,
    key: string | undefined,
    how: 'copy' | 'move' = 'copy',
  ): Promise<Synced> {
    const place = this.remotes.get(remote)
    const own = this.#own.keys.signingKey(key)
    const seal =
      place.recipients === null ? undefined : { recipients: [...new Set([own.recipient, ...place.recipients])] }
    const link = await this.#link(place)
    const increment = { here: this.#here, key: own, seal, most: this.#most }
    return this.#noting(place, session.id, () => push(link, session, increment, how))
  }

  /** `word`: a session that is here, else one that is there: its id, the beginning of one, or its name. */
  async pull(remote: string | undefined, word: string, force?: 'theirs'): Promise<Synced & { readonly id: string }> {
    const place = this.remotes.get(remote)
    const id = await this.#idOf(place, word)
    const link = await this.#link(place)
    return { id, ...(await this.#noting(place, id, () => pull(link, id, force))) }
  }

  async send(
    remote: string | undefined,
    session: Session,
    how: Moving & { readonly to: string | undefined },
  ): Promise<Synced> {
    const to = how.to ?? this.remotes.get(remote).name
    return tellingDeparture(session, 'send it again', async () => {
      await warnOfHoles(this.#workspace.kernel, session)
      // What is there, and whether anything can be put there, must be known before the session stands still.
      if (departedOf(session) === null) await this.push(remote, session, how.key)
      await depart(session, { here: this.#here, to, actor: how.actor })
      return this.push(remote, session, how.key, 'move')
    })
  }

  /** Y4, then one commit (M1), then it is told over there. */
  async receive(
    remote: string | undefined,
    word: string,
    how: Moving & { readonly root: string | undefined },
  ): Promise<Arrival> {
    const place = this.remotes.get(remote)
    const { id, moved } = await this.pull(place.name, word)
    const session = await this.#workspace.session(id)
    const departed = departedOf(session)
    const here = this.#here
    const root = how.root ?? here.dir
    if (departed === null) throw isOwnedAt(here, session) ? hereAlready(place, session) : notSent(session)
    const { transfer, epoch, git = null } = departed
    const from = { place: '', device: senderOf(session), version: '' }
    await claimEpoch(await this.#depot(place), id, epoch + 1, { how: 'arrived', place: here.place, transfer })
    await arrive(session, { transfer, epoch, here, root, actor: how.actor })
    await this.push(place.name, session, how.key)
    return { ...(await arrivalOf(session, { made_by: from, git }, root)), added: moved, carried: [] }
  }

  /** Wherever the session was pushed to, nobody can take it over any more before it is taken back here. */
  async cancel(session: Session, actor: string): Promise<number> {
    // A claim cannot be taken back: made in vain, it would keep everybody out.
    await assertCancellable(session, this.#here, actor)
    const departed = departedOf(session)
    if (departed !== null)
      for (const remote of this.remotes.list()) {
        if (!(await this.#holds(remote, session, departed))) continue
        const claim = { how: 'cancelled', place: this.#here.place, transfer: departed.transfer }
        await claimEpoch(await this.#depot(remote), session.id, departed.epoch + 1, claim)
      }
    return cancel(session, this.#here, actor)
  }

  /** Whether the session lies there as it departed. What is known may have been deleted: the place itself is asked. */
  async #holds(remote: Remote, { id }: Session, { to, epoch }: Departed): Promise<boolean> {
    const isMeant = this.remotes.known(id, remote) !== undefined || to === remote.name
    try {
      const { standing, common, heads } = await status(await this.#link(remote), id)
      if (standing === 'behind') throw arrivedThere(remote, id, epoch)
      return common.seq > 0 || heads.length > 0
    } catch (error) {
      if (!isMeant && error instanceof EngineError && error.code === 'STORE_UNAVAILABLE') return false
      throw error
    }
  }

  get #here(): Here {
    return this.#own.here(this.#workspace, this.#dir)
  }

  async #link(remote: Remote): Promise<Link> {
    const options: ReadOptions = { ...this.#own.opening(), mayLieOpen: remote.recipients === null }
    return {
      place: remote.name,
      workspace: this.#workspace,
      depot: await this.#depot(remote),
      options,
      known: (session) => this.remotes.known(session, remote),
      note: (session, known) => this.remotes.note(session, remote, known),
      noted: (session) => this.remotes.knownFile(session, remote.name),
    }
  }

  async #depot({ name, url }: Remote): Promise<Depot> {
    if (url.startsWith('s3://')) return (await import('./s3-depot.ts')).s3Depot(url, this.#env, this.#patience)
    if (url.startsWith('git:')) {
      const copy = path.join(this.#dir, '.steadfold', `remote-${name}.git`)
      return (await import('./git-depot.ts')).gitDepot(url.slice('git:'.length), copy, this.#patience)
    }
    const folder = url.startsWith('file://') ? decodeURIComponent(new URL(url).pathname) : url
    return (await import('./folder-depot.ts')).folderDepot(path.resolve(this.#dir, folder))
  }

  async #idOf(remote: Remote, word: string): Promise<string> {
    const here = await this.#workspace.session(word).catch((error: unknown) => {
      if (error instanceof EngineError && error.code === 'SESSION_NOT_FOUND') return undefined
      throw error
    })
    if (here !== undefined && this.remotes.known(here.id, remote) !== undefined) return here.id
    const asked = { link: await this.#link(remote), place: remote.name, ids: await this.there(remote.name) }
    return here === undefined ? sessionAt(asked, word) : sameAt(asked, here.id, word)
  }

  async #noting<T>(remote: Remote, id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const known = this.remotes.known(id, remote)
      if (known !== undefined)
        this.remotes.note(id, remote, {
          ...known,
          status: 'error',
          error: asError(error).message,
        })
      throw error
    }
  }
}

export interface Moving {
  readonly key: string | undefined
  readonly actor: string
}

// The slice is written by its module alone.
const ownerOf = (session: Session) =>
  session.get('$.session.transport.owner') as { readonly place: string; readonly device: string } | null

const isOwnedAt = ({ place }: Here, session: Session): boolean => ownerOf(session)?.place === place

/** Whoever was killed behind the arrival had not told the place yet. */
function hereAlready({ name: remote }: Remote, session: Session): EngineError {
  const name = String(session.get('$.session.name'))
  return new EngineError('EPOCH_STALE', `session ${name} is here already (epoch ${epochOf(session)})`, {
    hint: `go on with it; so that over there it is known as well: steadfold push ${quoted(name)} --remote ${remote}`,
  })
}

function senderOf(session: Session): string {
  const owner = ownerOf(session)
  return owner?.device ?? String((session.get('$.session.transport.devices') as readonly string[]).at(-1) ?? '')
}

/** Its claim may have been lost there. */
const arrivedThere = ({ name }: Remote, session: string, epoch: number): EngineError =>
  new EngineError('EPOCH_STALE', `the session went on at ${name} since it departed with epoch ${epoch}`, {
    hint: `steadfold pull ${session} --remote ${name}, then steadfold session show ${session} says who owns it`,
    details: { session, epoch },
  })

function notSent(session: Session): EngineError {
  const name = String(session.get('$.session.name'))
  return new EngineError(
    'EPOCH_STALE',
    `session ${name} has not departed from where it is (epoch ${epochOf(session)})`,
    {
      hint: `over there: steadfold teleport send --remote NAME; steadfold session show ${quoted(name)} says who owns it`,
    },
  )
}
