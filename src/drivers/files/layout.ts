/*
 * Where things are in a workspace folder.
 *
 *   sessions/<id>/log/<first seq, 20 digits>.jsonl · redo/ · checkpoint.json · turn · vouched · blobs/sha256/ab/<hash>
 *   names/<name>/<generation> · spool/ · archive/<id>/
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import { notFound } from '../../kernel/names.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { checkedId } from '../../kernel/text/session-id.ts'
import { isRealFolder } from './durable.ts'
import { asFailure } from './failure.ts'

const SEGMENT_NAME = /^\d{20}\.jsonl$/

export { isSessionId } from '../../kernel/text/session-id.ts'

export class Layout {
  readonly root: string
  readonly sessions: string
  readonly archive: string
  readonly #sound = new Set<string>()

  constructor(root: string) {
    this.root = root
    this.sessions = inside(root, 'sessions')
    this.archive = inside(root, 'archive')
  }

  session(id: string): string {
    return inside(this.sessions, checkedId(id))
  }

  log(id: string): string {
    return inside(this.session(id), 'log')
  }

  segment(id: string, first: number): string {
    return inside(this.log(id), segmentName(first))
  }

  redo(id: string): string {
    return inside(this.session(id), 'redo')
  }

  checkpoint(id: string): string {
    return inside(this.session(id), 'checkpoint.json')
  }

  turn(id: string): string {
    return inside(this.session(id), 'turn')
  }

  vouched(id: string): string {
    return inside(this.session(id), 'vouched')
  }

  blobs(id: string): string {
    return inside(this.session(id), 'blobs')
  }

  /** False when there is no such session; refuses links on the way (D3). */
  holds(id: string): boolean {
    if (this.#sound.has(id)) return true
    const real = [this.root, this.sessions, this.session(id), this.log(id)].every(isRealFolder)
    if (real) this.#sound.add(id)
    return real
  }

  /** Also what another user keeps to himself: whoever opens it hears of it. */
  mayHold(id: string): boolean {
    try {
      return this.holds(id)
    } catch (error) {
      if (error instanceof EngineError && error.code === 'READ_ONLY') return true
      throw error
    }
  }

  /** It may have moved or been replaced. */
  forget(id: string): void {
    this.#sound.delete(id)
  }

  /** Looked at anew. */
  stillHolds(id: string): boolean {
    this.forget(id)
    return this.holds(id)
  }

  /** Names in `sessions/`, in order. Plain files among them are somebody's notes; a link is refused where it would be followed. */
  folders(): readonly string[] {
    try {
      const entries = fs.readdirSync(this.sessions, { withFileTypes: true }).filter((entry) => !entry.isFile())
      return entries.map(({ name }) => name).sort()
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return []
      throw asFailure(error, `cannot list ${this.sessions}`)
    }
  }

  /** First sequence numbers of the segments that are there, in order. */
  segments(id: string): readonly number[] {
    const names = this.#names(id).filter((name) => SEGMENT_NAME.test(name))
    return names.map((name) => Number(name.slice(0, 20))).sort((a, b) => a - b)
  }

  #names(id: string): readonly string[] {
    try {
      return fs.readdirSync(this.log(id))
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw asFailure(error, `cannot list the log of session ${id}`)
      // It was there when we last looked: another process has archived it.
      this.forget(id)
      throw notFound(id)
    }
  }
}

/** Both are clean. `path.join` goes over each character again: V8 took it for worth optimizing in a process of 10 ms. */
const inside = (folder: string, name: string): string => `${folder}${path.sep}${name}`

export const segmentName = (first: number): string => `${String(first).padStart(20, '0')}.jsonl`
