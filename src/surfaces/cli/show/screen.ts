/*
 * A whole terminal to draw on, given back as it was.
 *
 * R1. Whatever ends the program, the terminal is put back: an end, a signal, an error that nobody caught, a terminal that
 *     was hung up; by another process when it was killed.
 * R2. Nothing is wider or longer than the terminal, so that nothing scrolls.
 */
import type * as tty from 'node:tty'
import type { Io } from './io.ts'
import { widthOf } from './text.ts'
import { guardTerminal } from './tty-guard.ts'

const ENTER = '\x1b[?1049h\x1b[?25l\x1b[2J'
const LEAVE = '\x1b[?25h\x1b[?1049l'
const CTRL_C = '\x03'
const STYLE = '\x1b['

export interface Size {
  readonly columns: number
  readonly rows: number
}

export class Screen {
  readonly #io: Io
  readonly #changed: () => void
  readonly #input: tty.ReadStream | undefined
  readonly #unguard: () => void
  #drawn: readonly string[] = []
  #open = true
  /** That `q` was pressed. */
  isLeft = false

  /** `changed` is called when a key was pressed or the size is another one. */
  constructor(io: Io, changed: () => void) {
    this.#io = io
    this.#changed = changed
    this.#input = process.stdin.isTTY ? process.stdin : undefined
    this.#unguard = this.#input === undefined ? () => undefined : guardTerminal(LEAVE)
    process.on('exit', this.close)
    process.on('SIGHUP', this.#hangUp)
    process.stdout.on('resize', this.#resized)
    io.out(ENTER)
    this.#input?.setRawMode(true)
    this.#input?.on('data', this.#key)
    // A terminal that is gone may be heard of here first, or only here.
    for (const event of ['end', 'error']) this.#input?.on(event, this.#hangUp)
    this.#input?.resume()
  }

  get size(): Size {
    return sizeOf(process.stdout)
  }

  /** R2. Lines that are as they were are left alone. */
  draw(lines: readonly string[]): void {
    const { columns, rows } = this.size
    const next = lines.slice(0, rows).map((line) => clip(line, columns))
    const parts = next.map((line, i) => (line === this.#drawn[i] ? '' : `\x1b[${i + 1};1H\x1b[0m${line}\x1b[K`))
    const rest = next.length < this.#drawn.length ? `\x1b[${next.length + 1};1H\x1b[J` : ''
    this.#drawn = next
    const text = parts.join('') + rest
    if (text !== '') this.#io.out(text)
  }

  /** R1 */
  readonly close = (): void => {
    if (!this.#open) return
    this.#open = false
    process.off('exit', this.close)
    process.off('SIGHUP', this.#hangUp)
    process.stdout.off('resize', this.#resized)
    this.#input?.off('data', this.#key)
    try {
      this.#input?.setRawMode(false)
      this.#input?.pause()
      this.#io.out(LEAVE)
    } catch {
      // There is no terminal any more.
    }
    this.#unguard()
  }

  /** By the signal itself: Node sets the terminal when it exits, and aborts where there is none any more. */
  readonly #hangUp = (): void => {
    this.close()
    process.kill(process.pid, 'SIGHUP')
  }

  readonly #resized = (): void => {
    this.#drawn = []
    this.#io.out('\x1b[2J')
    this.#changed()
  }

  readonly #key = (bytes: Buffer): void => {
    const text = bytes.toString('latin1')
    // A raw terminal makes no signal of it.
    if (text.includes(CTRL_C)) process.kill(process.pid, 'SIGINT')
    if (/q/i.test(text)) this.isLeft = true
    this.#changed()
  }
}

const USUAL: Size = { columns: 80, rows: 24 }

/** 80 by 24 where nobody knows. */
export const sizeOf = ({ columns = 0, rows = 0 }: { readonly columns?: number; readonly rows?: number }): Size => ({
  columns: columns > 0 ? columns : USUAL.columns,
  rows: rows > 0 ? rows : USUAL.rows,
})

/** At most `width` columns; styles take none, and end where the line is cut. */
export function clip(line: string, width: number): string {
  let kept = ''
  let used = 0
  let styled = false
  for (let i = 0; i < line.length;) {
    const style = line.startsWith(STYLE, i) ? line.slice(i, line.indexOf('m', i) + 1) : undefined
    const piece = style ?? String.fromCodePoint(line.codePointAt(i) ?? 0)
    if (style === undefined) used += widthOf(piece)
    if (used > width) return styled ? `${kept}\x1b[0m` : kept
    styled ||= style !== undefined
    kept += piece
    i += piece.length
  }
  return kept
}
