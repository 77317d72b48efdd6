/*
 * Files of others, changed and given back.
 *
 *   before ──kept in the state folder──► changed ──uninstall──► the same bytes again
 *
 * B1. A file is kept before it is changed, whole, with its mode; the copy that is there already is the older truth and stays.
 * B2. The change lands by rename on the file itself, not on a link to it, and leaves it whose it was; it is given up when
 *     the file changed meanwhile. A link that leads nowhere is refused.
 * B3. When the file still is as it was left, uninstall gives the kept bytes back, or removes what was not there before.
 *     Otherwise only what was put in is taken out.
 * B4. Folders that were made for a file go with it, as far as nothing else came into them.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../../kernel/error.ts'
import type { Context } from '../context/context.ts'
import { stateFolder } from '../context/home.ts'
import { landWhole, makeFolders } from '../context/landing.ts'
import { orRefused } from '../context/refusing.ts'

export interface Kept {
  readonly file: string
  /** Whether it was there before. */
  readonly existed: boolean
  /** sha-256 of what was left behind. */
  readonly left: string
  /** The uppermost folder that was made for it; undefined where none was. */
  readonly made?: string | undefined
}

/** In place of a sum: others changed the file between two of our changes, and the copy does not have that. */
const CHANGED = 'changed'

const LARGEST = 10_000_000

export class Keeper {
  readonly #folder: string

  constructor({ env }: Pick<Context, 'env'>) {
    this.#folder = path.join(stateFolder(env), 'installed')
  }

  /** Undefined when there is no such file. */
  read(file: string): string | undefined {
    return orRefused(`cannot read ${file}`, () => {
      const stat = fs.statSync(file, { throwIfNoEntry: false })
      if (stat === undefined && isLink(file)) throw leadsNowhere(file)
      if (stat === undefined) return undefined
      if (!stat.isFile() || stat.size > LARGEST) throw unreadable(file)
      const bytes = fs.readFileSync(file)
      const text = bytes.toString('utf8')
      if (!Buffer.from(text).equals(bytes)) throw unreadable(file)
      return text
    })
  }

  kept(file: string): Kept | undefined {
    try {
      // Only this class writes there.
      return JSON.parse(fs.readFileSync(this.#place(file, 'json'), 'utf8')) as Kept
    } catch {
      return undefined
    }
  }

  /** Where the copy is; B1 and B2. */
  change(file: string, before: string | undefined, after: string): string {
    const copy = this.#place(file, 'before')
    const known = this.kept(file)
    if (known === undefined) this.#keep(copy, before ?? '')
    // Of a file that somebody removed meanwhile, all that comes is ours again.
    const isOurs = known === undefined || before === undefined || known.left === digest(before)
    const existed = before !== undefined && (known?.existed ?? true)
    const made = orRefused(`cannot change ${file}`, () => makeFolders(path.dirname(file)))
    const record: Kept = { file, existed, left: isOurs ? digest(after) : CHANGED, made: made ?? known?.made }
    // Before the file itself: a crash in between leaves a record that does not fit, and B3 takes out what was put in.
    this.#keep(this.#place(file, 'json'), `${JSON.stringify(record)}\n`)
    this.#replace(file, before, after)
    return copy
  }

  /** B3: the bytes to give back, null for a file that was not there; undefined when it was changed since. */
  original(file: string, now: string | undefined): string | null | undefined {
    const record = this.kept(file)
    if (record === undefined || now === undefined || digest(now) !== record.left) return undefined
    return record.existed ? this.#copyOf(file) : null
  }

  /** What the file was before it was changed; empty where it was not there, or nothing is known of it. */
  before(file: string): string {
    return (this.kept(file)?.existed === true ? this.#copyOf(file) : undefined) ?? ''
  }

  /** Undefined where somebody removed it. */
  #copyOf(file: string): string | undefined {
    return this.read(this.#place(file, 'before'))
  }

  giveBack(file: string, now: string, then: string | null): void {
    if (then === null) {
      if (this.read(file) !== now) throw changedMeanwhile(file)
      orRefused(`cannot remove ${file}`, () => fs.rmSync(file))
      removeMade(file, this.kept(file)?.made)
    } else this.#replace(file, now, then)
    for (const kind of ['json', 'before'] as const) fs.rmSync(this.#place(file, kind), { force: true })
  }

  #keep(place: string, text: string): void {
    orRefused(`cannot keep a copy in ${path.dirname(place)}`, () => {
      makeFolders(path.dirname(place), 0o700)
      // Without its record a copy is taken for one that was never used, and made anew.
      landWhole(place, (temporary) => fs.writeFileSync(temporary, text, { mode: 0o600 }))
    })
  }

  #replace(file: string, before: string | undefined, after: string): void {
    orRefused(`cannot change ${file}`, () => this.#renamed(file, before, after))
  }

  #renamed(file: string, before: string | undefined, after: string): void {
    const real = before === undefined ? file : fs.realpathSync(file)
    landWhole(real, (temporary) => {
      writeLike(temporary, after, before === undefined ? undefined : fs.statSync(real))
      if (this.read(file) !== before) throw changedMeanwhile(file)
    })
  }

  #place(file: string, kind: 'before' | 'json'): string {
    return path.join(this.#folder, `${digest(file).slice(0, 32)}.${kind}`)
  }
}

/** B2: the owner as far as whoever runs this may. By its descriptor: in a folder of theirs the name may soon be another's. */
function writeLike(file: string, text: string, was: fs.Stats | undefined): void {
  const mode = was === undefined ? 0o600 : was.mode & 0o777
  const fd = fs.openSync(file, 'wx', mode)
  try {
    fs.writeFileSync(fd, text)
    if (was !== undefined) own(fd, was)
    fs.fchmodSync(fd, mode)
  } finally {
    fs.closeSync(fd)
  }
}

function own(fd: number, { uid, gid }: fs.Stats): void {
  const now = fs.fstatSync(fd)
  if (now.uid === uid && now.gid === gid) return
  try {
    fs.fchownSync(fd, uid, gid)
  } catch {
    // It is of who changed it then.
  }
}

/** B4: an empty folder left behind is no failure. */
function removeMade(file: string, made: string | undefined): void {
  if (made === undefined) return
  try {
    for (let folder = path.dirname(file); isWithin(folder, made); folder = path.dirname(folder)) fs.rmdirSync(folder)
  } catch {
    // Something else came into it, or it went already.
  }
}

const isWithin = (folder: string, above: string): boolean => folder === above || folder.startsWith(above + path.sep)

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

function unreadable(file: string): EngineError {
  return new EngineError('INPUT_INVALID', `${file} is no file of UTF-8 text that settings could be`, {
    hint: 'look at it; nothing was changed',
  })
}

const isLink = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true

function leadsNowhere(file: string): EngineError {
  return new EngineError('INPUT_INVALID', `${file} is a link to a file that is not there`, {
    hint: 'make that file, or remove the link; nothing was changed',
  })
}

function changedMeanwhile(file: string): EngineError {
  return new EngineError('CONFLICT', `${file} was changed by another program meanwhile`, { hint: 'try again' })
}
