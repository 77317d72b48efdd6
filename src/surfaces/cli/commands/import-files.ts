/* Files that may be taken over: one that was named, or all of a folder. */
import { constants, isUtf8 } from 'node:buffer'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../../kernel/error.ts'
import type { Source } from '../../../kernel/exchange/importer.ts'
import { parseJsonText } from '../../../kernel/json/text.ts'
import { orRefused } from '../context/refusing.ts'
import { thousands } from '../show/text.ts'
import { readFile } from '../syntax/value.ts'

const MOST_FILES = 2000
const MOST_DEPTH = 8
const MOST_BYTES = 64 * 1024 * 1024
const READ = /\.(?:json|jsonl|ndjson|sh)(?:\.txt)?$/
const PASSED_OVER: ReadonlySet<string> = new Set(['node_modules', '.git', '.steadfold'])

export interface File extends Source {
  readonly bytes: Buffer
  /** Of other bytes its text has signs that stand for them. */
  readonly isUtf8: boolean
  /** Why nothing of it was read. */
  readonly unread?: string
}

export function filesAt(from: string, word: string): readonly File[] {
  const stat = orRefused(`cannot read ${from}`, () => fs.statSync(from, { throwIfNoEntry: false }))
  if (stat?.isDirectory() !== true) {
    assertText(word, stat?.size ?? 0)
    return [fileOf(word, readFile(from))]
  }
  const found: File[] = []
  const walk = (folder: string, depth: number) => {
    const entries = orRefused(`cannot read ${folder}`, () => fs.readdirSync(folder, { withFileTypes: true }))
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const at = path.join(folder, entry.name)
      if (entry.isDirectory() && depth < MOST_DEPTH && !PASSED_OVER.has(entry.name)) walk(at, depth + 1)
      if (!entry.isFile() || !READ.test(entry.name)) continue
      const name = path.join(word, path.relative(from, at))
      if (found.push(fs.lstatSync(at).size > MOST_BYTES ? tooLarge(name) : fileOf(name, readFile(at))) > MOST_FILES)
        throw new EngineError('INPUT_INVALID', `${word} holds more than ${MOST_FILES} files`, {
          hint: 'import a folder in it',
        })
    }
  }
  walk(from, 0)
  return found
}

const tooLarge = (name: string): File => ({
  ...fileOf(name, Buffer.alloc(0)),
  unread: `it is larger than ${MOST_BYTES / 1024 / 1024} MB: import it alone`,
})

function assertText(name: string, size: number): void {
  if (size <= constants.MAX_STRING_LENGTH) return
  const most = `${thousands(constants.MAX_STRING_LENGTH)} are the most that can be read at once`
  throw new EngineError('VALUE_TOO_LARGE', `${name} has ${thousands(size)} bytes, and ${most}`, {
    hint: 'split it, and import the parts into one session: --session NAME',
  })
}

export function fileOf(name: string, bytes: Buffer): File {
  assertText(name, bytes.length)
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  return { path: name, text, value: jsonOf(text), bytes, isUtf8: isUtf8(bytes) }
}

/** Undefined where it is no JSON, or holds what cannot be kept as it is. */
function jsonOf(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch (error) {
    if (error instanceof EngineError) return undefined
    throw error
  }
}
