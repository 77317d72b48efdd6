/*
 * A long segment is read by a thread of its own, which also asks for the hash of every line: a third of the work of opening
 * a log that has no checkpoint.
 *
 *   thread   reads and hashes block n + 1 … n + DEPTH
 *   caller   applies the chain rules to block n, folds it, and gives its memory back for another
 *
 * A1. Both look at the same memory: what has been hashed is what is folded.
 * A2. Whatever goes wrong with the thread is no failure: the caller reads on where the blocks end, as if there were none.
 * A3. The thread keeps no process alive, but while somebody waits for it.
 * A4. Who reads many logs at once has a thread for each processor but one. What is itself a thread, as what makes a
 *     checkpoint, has one less: whoever began it goes on meanwhile.
 */
import * as fs from 'node:fs'
import * as os from 'node:os'
import type { Worker } from 'node:worker_threads'
import type { Chunk } from '../../kernel/ports.ts'

/** What the thread is told first. */
export interface Task {
  readonly file: string
  /** Of the file that the caller has open: another may have taken its name. */
  readonly inode: number
  /** In bytes, of what the thread may read. */
  readonly size: number
}

/** Whole lines. Undefined, in the place of one: there are no more. */
export interface Block {
  readonly memory: ArrayBuffer
  /** In bytes, from the beginning of the memory. */
  readonly length: number
  readonly sound: Uint32Array
}

/** It has begun, and waits to hear where. */
export const READY = 'ready'

/** No name that a program might have beside which this one is bundled. */
const PROGRAM = new URL('./steadfold-reader.js', import.meta.url)

/** Threads that somebody reads from. */
let begun = 0

/** Undefined where a thread would not help, or there is none to be had (A2, A4). */
export function readAhead(task: Task, program = PROGRAM): Ahead | undefined {
  const free = os.availableParallelism() - begun
  if (free <= 1 || !fs.existsSync(program)) return undefined
  try {
    const { isMainThread, Worker } = process.getBuiltinModule('node:worker_threads')
    if (!isMainThread && free <= 2) return undefined
    const ahead = new Ahead(new Worker(program, { workerData: task, execArgv: [] }))
    begun++
    return ahead
  } catch {
    return undefined
  }
}

export class Ahead {
  readonly #worker: Worker
  readonly #arrived: (Block | undefined)[] = []
  #arrive = (): void => undefined
  #isReady = false

  constructor(worker: Worker) {
    this.#worker = worker
    worker.on('message', (message: Block | typeof READY | undefined) => {
      if (message === READY) this.#isReady = true
      else this.#push(message)
    })
    worker.on('error', () => this.#push(undefined))
    worker.on('exit', () => this.#push(undefined))
    worker.unref()
  }

  /** Until then the caller reads by itself. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** From `offset` on, where a line begins; answers where the last one ended. */
  async *chunks(segment: number, offset: number): AsyncGenerator<Chunk, number> {
    let end = offset
    if (this.#isReady) this.#worker.postMessage(offset)
    for (let block = await this.#next(); block !== undefined; block = await this.#next()) {
      const { memory, length, sound } = block
      yield { bytes: Buffer.from(memory, 0, length), segment, offset: end, sound }
      end += length
      this.#worker.postMessage(memory, [memory])
    }
    return end
  }

  /** Once. The thread ends soon: whoever reads next has one of its own at once. */
  close(): void {
    begun--
    void this.#worker.terminate()
  }

  async #next(): Promise<Block | undefined> {
    if (this.#arrived.length === 0 && this.#isReady) {
      this.#worker.ref()
      await new Promise<void>((resolve) => (this.#arrive = resolve))
      this.#worker.unref()
    }
    return this.#arrived.shift()
  }

  #push(block: Block | undefined): void {
    this.#arrived.push(block)
    this.#arrive()
  }
}
