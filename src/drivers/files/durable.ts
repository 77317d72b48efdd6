/*
 * Changes to folders that survive a power cut.
 *
 * D1. A new name counts when its folder is synced.
 * D2. A file is replaced by a synced copy under a unique name, renamed over it, and the folder synced.
 * D3. Nothing is followed: a symbolic link where a file or folder of ours belongs is refused.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { asFailure } from './failure.ts'

export const PRIVATE_FILE = 0o600
export const PRIVATE_FOLDER = 0o700
const PIECE = 1024 * 1024
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = fs.constants
/** D3. Nor is waited for whoever may write to a pipe that stands there. */
export const TO_READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

export function syncFolder(folder: string): void {
  const fd = fs.openSync(folder, O_RDONLY)
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

export function syncFile(file: string): void {
  const fd = fs.openSync(file, TO_READ)
  try {
    fs.fdatasyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** The same on the thread pool. */
export async function syncFolderLater(folder: string): Promise<void> {
  const fd = fs.openSync(folder, O_RDONLY)
  try {
    await new Promise<void>((resolve, reject) => {
      fs.fsync(fd, (error) => (error === null ? resolve() : reject(error)))
    })
  } finally {
    fs.closeSync(fd)
  }
}

/** Makes `folder` inside its existing parent; a folder that is there already is fine. */
export function makeFolder(folder: string): void {
  if (!makeLoose(folder)) return
  try {
    syncFolder(path.dirname(folder))
  } catch (error) {
    throw asFailure(error, `cannot make ${folder}`)
  }
}

/** Without syncing its name. False when it is there already. */
export function makeLoose(folder: string): boolean {
  try {
    fs.mkdirSync(folder, { mode: PRIVATE_FOLDER })
    return true
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw asFailure(error, `cannot make ${folder}`)
    assertRealFolder(folder)
    return false
  }
}

/** With those above that are missing. */
export function makeFolders(folder: string): void {
  const above = path.dirname(folder)
  if (!fs.existsSync(above)) makeFolders(above)
  makeFolder(folder)
}

/** Of the name itself; undefined when there is nothing. */
export function statOf(file: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw asFailure(error, `cannot look at ${file}`)
  }
}

/** False when there is nothing; refuses a link or a file. */
export function isRealFolder(folder: string): boolean {
  const stat = statOf(folder)
  if (stat === undefined) return false
  if (stat.isDirectory()) return true
  throw new EngineError(
    'WORKSPACE_UNSAFE',
    `${folder} is ${stat.isSymbolicLink() ? 'a symbolic link' : 'not a folder'}`,
    {
      hint: 'remove it, or choose another folder with --dir',
    },
  )
}

function assertRealFolder(folder: string): void {
  if (!isRealFolder(folder)) throw new EngineError('STORE_UNAVAILABLE', `${folder} vanished`, { hint: 'try again' })
}

/**
 * A name nobody else uses; a pid would not do, containers that share the folder have the same ones. In a folder of ours it
 * may be guessed, and loading `node:crypto` for it takes a tenth of a short command.
 */
export const temporaryName = (file: string): string =>
  path.join(path.dirname(file), `.${path.basename(file)}.${uniqueName()}.tmp`)

export const uniqueName = (): string => eightDigits() + eightDigits()

const eightDigits = (): string =>
  Math.trunc(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0')

/** Of a writer that has not finished, or was killed. */
export const isTemporary = (name: string): boolean => /^\..*\.[0-9a-f]{16}\.tmp$/.test(name)

/** D2. */
export function replaceFile(file: string, bytes: string | Uint8Array | readonly Uint8Array[]): void {
  const temporary = temporaryName(file)
  try {
    const fd = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, PRIVATE_FILE)
    try {
      writeAll(fd, typeof bytes === 'string' ? [Buffer.from(bytes)] : ArrayBuffer.isView(bytes) ? [bytes] : bytes)
      fs.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
    fs.renameSync(temporary, file)
    syncFolder(path.dirname(file))
  } catch (error) {
    discard(temporary)
    throw asFailure(error, `cannot write ${file}`)
  }
}

/** What something that failed has left: told is what it failed by, and `gc` takes away what stays. */
export function discard(temporary: string): void {
  try {
    fs.rmSync(temporary, { recursive: true, force: true })
  } catch {
    // The same that it failed by, as a rule.
  }
}

/** Synced as it goes: a large file flushed at once would hold up everybody else's syncs for as long. */
function writeAll(fd: number, all: readonly Uint8Array[]): void {
  let unsynced = 0
  for (const bytes of all)
    for (let done = 0; done < bytes.length;) {
      if (unsynced >= PIECE) {
        fs.fdatasyncSync(fd)
        unsynced = 0
      }
      const written = fs.writeSync(fd, bytes, done, Math.min(PIECE, bytes.length - done))
      done += written
      unsynced += written
    }
}

/** What stands in a folder that is there. */
export function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder)
  } catch (error) {
    throw asFailure(error, `cannot read ${folder}`)
  }
}

/** As who seeks in it is told. */
const pipe = (): Error => Object.assign(new Error('it is no file'), { code: 'ESPIPE' })

/** Undefined when there is no such file; refuses links. */
export function readFile(file: string): Buffer | undefined {
  let fd: number
  try {
    fd = fs.openSync(file, TO_READ)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw asFailure(error, `cannot read ${file}`)
  }
  try {
    const bytes = fs.readFileSync(fd)
    // What holds something need not be asked.
    if (bytes.length === 0 && !fs.fstatSync(fd).isFile()) throw pipe()
    return bytes
  } catch (error) {
    throw asFailure(error, `cannot read ${file}`)
  } finally {
    fs.closeSync(fd)
  }
}
