/*
 * What is said beside the work. Who does not read for a while, as behind a pager or at a terminal that is held, would stop
 * a program that waits until all is written: its leases would run out, and its steps run over their time.
 *
 * A1. Both streams in the order in which it was said, before the work is over.
 * A2. What nobody reads is kept in memory: who says much asks whether there is room.
 * A3. Who has stopped it waits no longer for a reader that stands still.
 */
import * as fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { errnoOf } from '../../../kernel/system-error.ts'
import { endBy, stopOf, underWay } from './end-by.ts'
import { through, troubleOf, WAIT_MS, type Said } from './io.ts'

const ROOM_BYTES = 8 * 1024 * 1024
/** A reader that takes nothing for so long stands still. */
const STILL_MS = 1000

export interface Outlet {
  /** A2 */
  readonly hasRoom: boolean
  /** Aborts when a stream takes no more. */
  readonly over: AbortSignal
}

interface Done<T> {
  readonly result: T
  /** Why not all was written. */
  readonly trouble: Error | undefined
}

/** `stop` is that of Ctrl-C. */
export async function aside<T>(stop: AbortSignal, task: (outlet: Outlet) => Promise<T>): Promise<Done<T>> {
  const queue = new Queue()
  const back = through((fd, said) => queue.add(fd, said))
  let result: T
  try {
    result = await task(queue)
  } finally {
    await queue.written(stop)
    back()
  }
  return { result, trouble: queue.trouble }
}

class Queue implements Outlet {
  readonly #waiting: { readonly fd: number; readonly bytes: Uint8Array }[] = []
  #size = 0
  #writing: Promise<void> | undefined
  readonly #over = new AbortController()
  trouble: Error | undefined
  readonly over = this.#over.signal

  get hasRoom(): boolean {
    return this.#size < ROOM_BYTES
  }

  add(fd: number, said: Said): void {
    if (this.trouble !== undefined) throw this.trouble
    // Whose bytes it is may use them again.
    const bytes = typeof said === 'string' ? Buffer.from(said) : Uint8Array.from(said)
    this.#waiting.push({ fd, bytes })
    this.#size += bytes.length
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined))
  }

  async written(stop: AbortSignal): Promise<void> {
    while (this.#writing !== undefined) {
      const before = this.#size
      await Promise.race([this.#writing, sleep(STILL_MS, undefined, { ref: false })])
      if (stop.aborted && this.#size === before && before > 0) endBy(stopOf(stop))
    }
  }

  async #write(): Promise<void> {
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        await writeAll(next.fd, next.bytes, (written) => (this.#size -= written))
      }
    } catch (error) {
      this.trouble = troubleOf(error)
      this.#waiting.length = 0
      this.#size = 0
      this.#over.abort()
    }
  }
}

async function writeAll(fd: number, bytes: Uint8Array, wrote: (bytes: number) => void): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    try {
      const written = await underWay(
        new Promise<number>((resolve, reject) => {
          fs.write(fd, bytes, done, (error, some) => (error === null ? resolve(some) : reject(error)))
        }),
      )
      done += written
      wrote(written)
    } catch (error) {
      if (errnoOf(error) !== 'EAGAIN') throw error
      await sleep(WAIT_MS)
    }
  }
}
