/* Words that are no UTF-8: Node puts U+FFFD in the place of such bytes, and the file would be another, and the value, too. */
import { isUtf8 } from 'node:buffer'
import * as fs from 'node:fs'
import { usage } from '../context/input.ts'

export const mayBeReplaced = (argv: readonly string[]): boolean => argv.some((word) => word.includes('\u{FFFD}'))

/** Throws USAGE. Where the system does not tell what was given, the words are taken as they are. */
export function assertUtf8(argv: readonly string[]): void {
  const bytes = mayBeReplaced(argv) ? given().find((word) => !isUtf8(word)) : undefined
  if (bytes === undefined) return
  throw usage(
    `"${bytes.toString()}" is not UTF-8 text: another word would be taken in its place`,
    'hand in such bytes as base64, and name such a file in a script: -- sh SCRIPT',
  )
}

function given(): readonly Buffer[] {
  try {
    const words = fs.readFileSync('/proc/self/cmdline', 'latin1').split('\0')
    return words.map((word) => Buffer.from(word, 'latin1'))
  } catch {
    return []
  }
}
