/* What several steps write at the same time, in whole lines: none lands inside a line, or a character, of another. */

/** Longer ones are not waited for. */
const LONGEST = 1024 * 1024
const NEWLINE = 10

export class WholeLines {
  /** Of each that writes, the beginning of a line. */
  readonly #begun = new Map<string, Buffer>()

  /** The lines that are whole with these bytes; empty where none is. */
  add(writer: string, bytes: Uint8Array): Uint8Array {
    const all = Buffer.concat([this.#begun.get(writer) ?? Buffer.alloc(0), bytes])
    const end = all.length > LONGEST ? all.length : all.lastIndexOf(NEWLINE) + 1
    this.#begun.set(writer, all.subarray(end))
    return all.subarray(0, end)
  }

  /** The beginning of a line that is not written on. */
  rest(writer: string): Uint8Array {
    const rest = this.#begun.get(writer) ?? Buffer.alloc(0)
    this.#begun.delete(writer)
    return rest
  }
}

export const isWhole = (bytes: Uint8Array): boolean => bytes.at(-1) === NEWLINE
