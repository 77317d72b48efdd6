/*
 * Which error codes the operations of a noun can answer with: those that stand in the sources of its module, and those that
 * every command may end with.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorCode } from '../../src/kernel/error.ts'

const SOURCES = join(import.meta.dirname, '../../src')

export const EXIT_MEANINGS: readonly (readonly [status: number, meaning: string])[] = [
  [0, 'done, or nothing to do'],
  [1, 'unexpected error'],
  [3, 'not found'],
  [4, 'refused by a rule'],
  [5, 'conflict: stale sequence'],
  [6, 'held by another'],
  [7, 'timed out waiting'],
  [8, 'unavailable: store or daemon, disk full, read-only'],
  [9, 'integrity: corruption, hash mismatch, unknown version'],
  [10, 'partial success: some of several failed'],
  [11, 'needs a person'],
  [64, 'usage'],
  [130, 'stopped by Ctrl-C; 143 by SIGTERM'],
]

const EVERYWHERE: readonly ErrorCode[] = [
  'UNEXPECTED',
  'WORKSPACE_NOT_FOUND',
  'SESSION_NOT_FOUND',
  'SESSION_AMBIGUOUS',
  'INPUT_INVALID',
  'SESSION_NOT_WRITABLE',
  'CONFLICT',
  'STORE_UNAVAILABLE',
  'LOG_CORRUPT',
  'VERSION_UNKNOWN',
  'USAGE',
]

export function codesOf(noun: string): readonly ErrorCode[] {
  const compose = readFileSync(join(SOURCES, 'compose.ts'), 'utf8')
  const module = new RegExp(`^  ${noun}: async \\(\\) => \\(await import\\('\\./domain/(\\w+)/`, 'm').exec(compose)?.[1]
  const own = module === undefined ? [] : codesIn(join(SOURCES, 'domain', module))
  // What is no code of the table is left out by whoever asks.
  return [...new Set([...EVERYWHERE, ...(own as readonly ErrorCode[])])].toSorted()
}

function codesIn(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  return files.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return [...text.matchAll(/(?:refuse|new EngineError)\(\s*'([A-Z_]+)'/g)].map(([, code]) => code ?? '')
  })
}
