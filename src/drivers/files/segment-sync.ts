/*
 * How what stands in a segment becomes durable.
 *
 *   few commits, or much at once ──► fdatasync of the segment
 *   one after the other ───────────► copy to the redo file ──► fdatasync of that
 *
 * A file that has grown is synced with its new length, which is kept elsewhere on the disk: a second write that waits for the
 * first. The redo file has its length already. What it holds and the segment has lost is put back before anybody reads.
 *
 * S1. On the thread pool one sync after the other, and none after one that failed: of two at once only one would hear of it.
 * S2. A redo file goes when the segment is synced; when a sync fails it stays, whatever becomes of the segment.
 * S3. One that has not been written to for a while is not trusted any more: somebody may have taken it for one that a killed
 *     writer has left. Who was held up between copy and acknowledgement syncs the segment, too.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { asError } from '../../kernel/error.ts'
import { hasFailedSync, isSyncFailure, noteFailedSync } from './failed-syncs.ts'
import type { Redo } from './redo-file.ts'
import type { SyncGauge } from './sync-gauge.ts'

/** To make a redo file takes as long as so many syncs gain by it. */
const ROW = 32
/** What is longer costs less to sync where it stands. */
const COPIED = 16 * 1024
/** Between two syncs of a row, in milliseconds. */
const APART_MS = 1000
/**
 * A redo file that is not used for so long is given up: a caller who thinks for a moment finds it again. Both together are less than
 * the age at which others take one for left (redo-file.ts).
 */
const IDLE_MS = 3000
const HELD_UP_MS = 5000

/** An open segment. */
export interface Opened {
  readonly fd: number
  readonly first: number
  /** The folder of the session's redo files. */
  readonly redo: string
}

/** Who else is there: other writers, and a group that waits for this one. */
export interface Among {
  readonly isAlone: boolean
  readonly isFollowed: boolean
}

/** Those with a redo file. */
const copying = new Set<SegmentSync>()
let isWatching = false

export class SegmentSync {
  readonly #segment: Opened
  /** The folder of the session. */
  readonly #session: string
  #redo: Redo | undefined
  /** Not used any more, and to be taken away with the next sync of the segment. */
  #spent: Redo | undefined
  #idle: NodeJS.Timeout | undefined
  #row = 0
  /** How far it is synced, or copied. */
  #safe = 0
  /** When the last sync began, in milliseconds since 1970. */
  #began = 0
  #failed: Error | undefined
  #syncs = 0
  #last: Promise<void> = Promise.resolve()
  #isMaking = false
  #isClosing = false

  constructor(segment: Opened) {
    this.#segment = segment
    this.#session = path.dirname(segment.redo)
  }

  /** Where it is waited for, the one before is done, and the disk is fast; otherwise on the thread pool. */
  inTurn(end: number | undefined, gauge: SyncGauge, { isAlone, isFollowed }: Among): Promise<void> | undefined {
    const isOverlapped = isFollowed || this.#syncs > 0
    if (!isOverlapped && gauge.blocking(isAlone)) {
      gauge.time(() => this.now(end))
      return undefined
    }
    const began = performance.now()
    return this.later(end).then(() => {
      // Otherwise it is also the time in which this thread did something else.
      if (!isOverlapped) gauge.note(performance.now() - began)
    })
  }

  /** What stands before `end`; all of it when that is undefined. */
  now(end: number | undefined): void {
    this.#assertSound()
    try {
      // Beside a sync under way: what becomes of its copy is its own affair.
      if (this.#syncs > 0) return fs.fdatasyncSync(this.#segment.fd)
      const copy = this.#copied(end)
      if (copy !== undefined) fs.fdatasyncSync(copy.fd)
      if (copy !== undefined && this.#isInTime()) return
      fs.fdatasyncSync(this.#segment.fd)
    } catch (error) {
      this.#fail(error)
    }
    this.#synced(end)
  }

  /** The same on the thread pool. */
  later(end: number | undefined): Promise<void> {
    this.#syncs++
    this.#last = this.#last
      .then(() => this.#syncing(end))
      .finally(() => {
        this.#syncs--
        if (this.#isClosing && this.#syncs === 0) this.#end()
      })
    return this.#last
  }

  async #syncing(end: number | undefined): Promise<void> {
    this.#assertSound()
    try {
      const copy = this.#copied(end)
      if (copy !== undefined) await datasync(copy.fd)
      if (copy !== undefined && this.#isInTime()) return
      await datasync(this.#segment.fd)
    } catch (error) {
      this.#fail(error)
    }
    this.#synced(end)
  }

  /** Waits for syncs under way: their number may be another file's as soon as it is free. */
  close(): void {
    this.#isClosing = true
    if (this.#syncs === 0) this.#end()
  }

  /** S1 */
  #assertSound(): void {
    if (this.#failed !== undefined) throw this.#failed
    if (this.#hasFailed) throw new Error('another sync of the session failed')
  }

  /** Also elsewhere: a sync behind it may answer well, and the pages are lost. */
  get #hasFailed(): boolean {
    return this.#failed !== undefined || hasFailedSync(() => this.#session)
  }

  #fail(error: unknown): never {
    throw this.#lose(error)
  }

  #lose(error: unknown): Error {
    this.#failed = asError(error)
    noteFailedSync(this.#session)
    this.#redo?.keep()
    this.#spent?.keep()
    return this.#failed
  }

  /** What is to be synced in place of the segment. */
  #copied(end: number | undefined): Redo | undefined {
    const now = Date.now()
    const isNext = Math.abs(now - this.#began) < APART_MS && (end ?? Infinity) - this.#safe <= COPIED
    this.#row = isNext ? this.#row + 1 : 0
    this.#began = now
    if (this.#redo !== undefined && this.#redo.age >= IDLE_MS) this.#retire()
    const redo = this.#redo
    if (redo === undefined || end === undefined) return undefined
    try {
      if (!redo.put(this.#segment.fd, this.#safe, end)) return undefined
      this.#safe = end
      return redo
    } catch {
      // A full disk, say: the segment has its room already.
      return undefined
    }
  }

  /** S3 */
  #isInTime(): boolean {
    if (Math.abs(Date.now() - this.#began) < HELD_UP_MS) return true
    this.#retire()
    return false
  }

  /** The segment is. */
  #synced(end: number | undefined): void {
    this.#discard()
    if (end === undefined) return
    this.#safe = end
    if (this.#redo !== undefined) this.#redo.beginAnew()
    else if (this.#row >= ROW && !this.#isMaking) void this.#copyFromHere()
  }

  /** Meanwhile the segment is synced. */
  async #copyFromHere(): Promise<void> {
    this.#isMaking = true
    try {
      // Loaded on use: short commands never need it.
      const { Redo } = await import('./redo-file.ts')
      if (this.#isClosing) return
      const redo = new Redo(this.#segment.redo, this.#segment.first, COPIED)
      this.#use(redo)
      await redo.name()
      const left = redo.left()
      // R2: the last sync may have begun before they wrote.
      if (left.length > 0) await this.later(undefined)
      for (const file of left) fs.rmSync(file, { force: true })
    } catch (error) {
      if (isSyncFailure(error)) this.#lose(error)
      // Otherwise it is tried again, not with each commit: to try takes longer than one.
      this.#row = 0
    } finally {
      this.#isMaking = false
    }
  }

  #use(redo: Redo): void {
    this.#redo = redo
    copying.add(this)
    this.#idle = setInterval(() => this.#giveUp(), IDLE_MS).unref()
    if (isWatching) return
    isWatching = true
    process.on('exit', () => copying.forEach((each) => each.#leave()))
  }

  #giveUp(): void {
    if (this.#syncs > 0 || this.#redo === undefined || this.#redo.age < IDLE_MS) return
    this.#retire()
    // A failure is told to whoever syncs next.
    this.later(undefined).catch(() => undefined)
  }

  #retire(): void {
    clearInterval(this.#idle)
    copying.delete(this)
    this.#spent = this.#redo
    this.#redo = undefined
  }

  /** S2: the segment is synced. */
  #discard(): void {
    this.#spent?.remove()
    this.#spent?.close()
    this.#spent = undefined
  }

  #end(): void {
    this.#leave()
    this.#spent?.close()
    fs.closeSync(this.#segment.fd)
  }

  /** S2: nobody is there any more who could be told of a failure. */
  #leave(): void {
    if (this.#redo !== undefined) this.#retire()
    if (this.#spent === undefined) return
    if (this.#hasFailed) return this.#spent.keep()
    try {
      fs.fdatasyncSync(this.#segment.fd)
      this.#discard()
    } catch {
      noteFailedSync(this.#session)
      this.#spent.keep()
    }
  }
}

const datasync = (fd: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fs.fdatasync(fd, (error) => (error === null ? resolve() : reject(error)))
  })
