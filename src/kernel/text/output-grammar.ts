/*
 * The text in which steps and shells hand over named values: the grammar of $GITHUB_OUTPUT.
 *
 *   name=value                    one line
 *   name<<DELIMITER               any lines; the newline before the closing delimiter is not part of the value
 *   …
 *   DELIMITER
 *
 * G1. A text is taken whole or refused whole, with the number of the line that is wrong.
 * G2. The last value of a name wins.
 * G3. A line ends in LF or CRLF. Inside a block, CR belongs to the value unless the block was opened by a CRLF line.
 * G4. parseOutputs(formatOutputs(outputs)) gives outputs, whatever the values hold.
 */
import { EngineError } from '../error.ts'

export interface Output {
  readonly name: string
  readonly value: string
}

/** What an output may be called. */
const OUTPUT_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/
const NEVER_STORED = new Set(['__proto__', 'constructor', 'prototype'])
const MARK = '\uFEFF'

export const isOutputName = (name: string): boolean => OUTPUT_NAME.test(name) && !NEVER_STORED.has(name)

/** Every output of `text`, each name once, in the order of their last assignment. Throws OUTPUT_INVALID (G1). */
export function parseOutputs(text: string): readonly Output[] {
  const lines = new Lines(text.startsWith(MARK) ? text.slice(MARK.length) : text)
  const values = new Map<string, string>()
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (withoutCr(line) === '') continue
    const { name, value } = readOutput(line, lines)
    values.delete(name)
    values.set(name, value)
  }
  return [...values].map(([name, value]) => ({ name, value }))
}

/** Text that gives `outputs` back (G4). */
export function formatOutputs(outputs: readonly Output[]): string {
  return outputs.map(format).join('')
}

function format({ name, value }: Output): string {
  if (!isOutputName(name)) throw badName(name)
  if (!/[\r\n]/.test(value)) return `${name}=${value}\n`
  const delimiter = freeDelimiter(value)
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`
}

/** A line that the value does not hold. */
function freeDelimiter(value: string): string {
  const taken = new Set(value.split('\n').map(withoutCr))
  for (let n = 0; ; n++) if (!taken.has(`END_${n}`)) return `END_${n}`
}

function readOutput(line: string, lines: Lines): Output {
  const equals = line.indexOf('=')
  const block = line.indexOf('<<')
  if (equals < 0 && block < 0) {
    throw invalid(lines.number, `${shown(line)} is neither name=value nor name<<DELIMITER`)
  }
  const isBlock = equals < 0 || (block >= 0 && block < equals)
  const name = line.slice(0, isBlock ? block : equals)
  if (!isOutputName(name)) throw badName(name, lines.number)
  return { name, value: isBlock ? readBlock(line.slice(block + 2), lines) : withoutCr(line.slice(equals + 1)) }
}

function readBlock(rest: string, lines: Lines): string {
  const opened = lines.number
  const delimiter = withoutCr(rest)
  if (delimiter === '') throw invalid(opened, 'the delimiter after << is missing')
  const crlf = delimiter !== rest
  const taken: string[] = []
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (withoutCr(line) === delimiter) return taken.join(crlf ? '\r\n' : '\n')
    taken.push(crlf ? withoutCr(line) : line)
  }
  throw invalid(opened, `the block that ends in ${shown(delimiter)} is never closed`)
}

/** Lines without their LF, counted from 1; a text that ends in LF has no empty line behind it. */
class Lines {
  readonly #text: string
  #at = 0
  number = 0

  constructor(text: string) {
    this.#text = text
  }

  next(): string | undefined {
    if (this.#at >= this.#text.length) return undefined
    const end = this.#text.indexOf('\n', this.#at)
    const line = this.#text.slice(this.#at, end < 0 ? undefined : end)
    this.#at = end < 0 ? this.#text.length : end + 1
    this.number++
    return line
  }
}

const withoutCr = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)

const shown = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)

function badName(name: string, line?: number): EngineError {
  return invalid(
    line,
    `${shown(name)} is no name for an output`,
    'a name is made of A-Z a-z 0-9 _ . - and begins with a letter or _',
  )
}

function invalid(line: number | undefined, problem: string, hint?: string): EngineError {
  const where = line === undefined ? '' : `line ${line}: `
  return new EngineError('OUTPUT_INVALID', `${where}${problem}`, {
    hint:
      hint ?? 'write name=value on one line, or name<<DELIMITER, the value, and the DELIMITER alone on the last line',
    ...(line === undefined ? {} : { details: { line } }),
  })
}
