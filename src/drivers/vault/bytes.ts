import * as fs from 'node:fs'
import { Readable } from 'node:stream'
import { invalid } from './manifest.ts'

const NEWLINE = 0x0a
const CHUNK = 64 * 1024

/** A bundle as it lies: the path of a file, or its bytes where no file is wanted. */
export type Lying = string | Buffer

export const streamOf = (bundle: Lying): Readable =>
  typeof bundle === 'string' ? fs.createReadStream(bundle, { highWaterMark: CHUNK }) : Readable.from(chunksOf(bundle))

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK)
}

/** Takes bytes off a stream as they are asked for. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #held: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** At least one byte, at most `most`. */
  async some(most: number): Promise<Buffer> {
    if (!(await this.#fill())) throw invalid('it is cut off')
    const taken = this.#held.subarray(0, most)
    this.#held = this.#held.subarray(taken.length)
    return taken
  }

  async exactly(length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let left = length; left > 0;) {
      const part = await this.some(left)
      parts.push(part)
      left -= part.length
    }
    return Buffer.concat(parts)
  }

  /** Up to a newline, which is taken and left out; refuses a longer one. */
  async line(most: number): Promise<string> {
    let text = ''
    for (;;) {
      const byte = (await this.some(1))[0] ?? NEWLINE
      if (byte === NEWLINE) return text
      if (text.length >= most) throw invalid('a line of its head is too long')
      text += String.fromCharCode(byte)
    }
  }

  async ended(): Promise<boolean> {
    return !(await this.#fill())
  }

  async *rest(): AsyncGenerator<Buffer> {
    while (await this.#fill()) {
      const all = this.#held
      this.#held = Buffer.alloc(0)
      yield all
    }
  }

  /** Nobody reads on. */
  async cancel(): Promise<void> {
    await this.#source.return?.()
  }

  async #fill(): Promise<boolean> {
    while (this.#held.length === 0) {
      const { done, value } = await this.#source.next()
      if (done === true) return false
      this.#held = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    return true
  }
}
