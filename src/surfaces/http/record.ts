/*
 * The file by which the daemon of a workspace is found: where it listens, its token, and which process it is.
 *
 * D1. At most one daemon holds the file; whoever finds it held by a dead process takes it over. Nothing depends on that:
 *     two daemons are two writers like any others.
 * D2. Dead is decided by evidence: other boot, no such pid, another start time; never by age.
 * D3. It is 0600 from its first byte on, and no link is followed.
 */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import * as z from 'zod/mini'
import type { Verdict } from '../../kernel/care/recovery.ts'
import { EngineError } from '../../kernel/error.ts'
import { errnoOf, systemError, type Said } from '../../kernel/system-error.ts'
import type { Place } from './parts.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = fs.constants
const ATTEMPTS = 5

const OWNER = 'check the owner and mode of the workspace folder'
const SAID: Said = {
  EACCES: ['READ_ONLY', OWNER],
  EPERM: ['READ_ONLY', OWNER],
  EROFS: ['READ_ONLY', 'the file system is mounted read-only'],
  ENOSPC: ['DISK_FULL', 'free some space, then try again'],
  EDQUOT: ['DISK_FULL', 'your disk quota is used up; free some space, then try again'],
}

/** No descriptor or no memory is left: that says nothing of a file. */
const NOT_NOW: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])

const schema = z.object({
  v: z.literal(1),
  url: z.string(),
  port: z.int(),
  token: z.string(),
  version: z.string(),
  started_at: z.string(),
  process: z.object({
    host: z.string(),
    machine: z.optional(z.string()),
    boot_id: z.string(),
    pid_namespace: z.string(),
    pid: z.int(),
    started: z.string(),
  }),
})

export type DaemonRecord = z.output<typeof schema>

export interface Found {
  readonly record: DaemonRecord
  readonly verdict: Verdict
}

const recordFile = (folder: string): string => path.join(folder, 'daemon.json')

/** The daemon that holds the file, dead or alive; undefined when there is none, or the file says nothing. */
export function findDaemon({ folder, evidence }: Pick<Place, 'folder' | 'evidence'>): Found | undefined {
  const record = readRecord(recordFile(folder))
  return record === undefined ? undefined : { record, verdict: evidence(record.process) }
}

/** Puts the file in place for this process; throws DAEMON_RUNNING. */
export function claim(place: Place, record: DaemonRecord): void {
  const file = recordFile(place.folder)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (write(file, record)) return
    const found = findDaemon(place)
    if (found !== undefined && found.verdict.kind !== 'dead') throw running(found)
    setAside(file, found?.record)
  }
  throw new EngineError('CONTENDED', `others keep taking ${file}`, { hint: 'try again' })
}

/** Whether the file is gone, or says something else than `record`. */
export function isTaken(folder: string, record: DaemonRecord): boolean {
  try {
    return !isSame(parsedRecord(recordFile(folder)), record)
  } catch (error) {
    return !NOT_NOW.has(errnoOf(error) ?? '')
  }
}

/** Takes the file away, if it is still that of `record`. */
export function giveUp(folder: string, record: DaemonRecord): void {
  if (isSame(readRecord(recordFile(folder)), record)) fs.rmSync(recordFile(folder), { force: true })
}

const isSame = (found: DaemonRecord | undefined, { token, process: { pid } }: DaemonRecord): boolean =>
  found?.token === token && found.process.pid === pid

export function running({ record, verdict }: Found): EngineError {
  const { url, process } = record
  const sure = verdict.kind === 'alive'
  const message = sure
    ? `a daemon of this workspace runs at ${url} (pid ${process.pid})`
    : `a daemon of this workspace may run at ${url} on ${process.host}: ${verdict.reasons.join('; ')}`
  const hint = sure
    ? 'steadfold ui opens its pages; steadfold serve --stop ends it'
    : 'end it there, or remove .steadfold/daemon.json when it is gone'
  return new EngineError('DAEMON_RUNNING', message, { hint, details: { url, pid: process.pid } })
}

/** False when there is such a file. */
function write(file: string, record: DaemonRecord): boolean {
  let fd: number
  try {
    fd = fs.openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw systemError(error, `cannot write ${file}`, SAID)
  }
  try {
    fs.writeFileSync(fd, `${JSON.stringify(record, null, 2)}\n`)
    return true
  } catch (error) {
    // A quicker rival may have put its own in the place of one that says nothing.
    if (readRecord(file) === undefined) fs.rmSync(file, { force: true })
    throw systemError(error, `cannot write ${file}`, SAID)
  } finally {
    fs.closeSync(fd)
  }
}

function readRecord(file: string): DaemonRecord | undefined {
  try {
    return parsedRecord(file)
  } catch {
    return undefined
  }
}

function parsedRecord(file: string): DaemonRecord | undefined {
  const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW)
  try {
    return schema.safeParse(JSON.parse(fs.readFileSync(fd, 'utf8'))).data
  } finally {
    fs.closeSync(fd)
  }
}

/** Moves away the file of a dead process; that of a quicker rival is put back. */
function setAside(file: string, dead: DaemonRecord | undefined): void {
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  try {
    fs.renameSync(file, aside)
  } catch {
    return
  }
  const taken = readRecord(aside)
  if (taken !== undefined && taken.token !== dead?.token && !fs.existsSync(file)) fs.renameSync(aside, file)
  else fs.rmSync(aside, { force: true })
}
