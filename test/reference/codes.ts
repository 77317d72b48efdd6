/*
 * Which error codes a noun can answer with: those that stand in the sources of the modules that have its operations, those of
 * its own commands, what they wait with and what moves sessions for them, and those that every command, or every operation, may end with. Commands of one word share a page, and
 * run work: theirs stand beside them and in the runner.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
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

/** Rules over all operations that write. */
const GUARDED: readonly ErrorCode[] = ['CONSENT_NEEDED', 'SESSION_DEPARTED']

/** `nothingAt` of the kernel, and what a surface makes of it. */
const MADE_BY = /throw nothing(?:At|In)\(/

/** The page of verbs that stand alone. */
export const ALONE = 'commands'
const ONE_WORD = /^\s*name: '[a-z]+',\n\s*summary:/m

/** The files of the vault that a noun works with. */
const OF_PLACES = /^(?:sync|places|remotes|heads|named|teleport|\w+-depot)\.ts$/
const VAULT: Readonly<Record<string, (name: string) => boolean>> = {
  bundle: (name) => !OF_PLACES.test(name),
  key: (name) => name === 'keys.ts',
  remote: () => true,
  teleport: () => true,
  // push and pull
  [ALONE]: () => true,
}

export function codesOf(noun: string): readonly ErrorCode[] {
  const modules = modulesOf(noun)
  const folders = noun === ALONE ? ['runner'] : modules.map((module) => join('domain', module))
  const own = folders.flatMap((folder) => codesIn(join(SOURCES, folder)))
  const isOf = (name: string, text: string) =>
    noun === ALONE ? ONE_WORD.test(text) : basename(name) === `${noun}.ts` || basename(name).startsWith(`${noun}-`)
  const said = codesIn(join(SOURCES, 'surfaces/cli'), isOf)
  const waits = waitsOf(join(SOURCES, 'surfaces/cli'), isOf)
  const waited = codesIn(join(SOURCES, 'waiting'), (name) => waits.has(name))
  const moved = codesIn(join(SOURCES, 'drivers/vault'), VAULT[noun] ?? (() => false))
  // What is no code of the table is left out by whoever asks.
  const found = [...own, ...said, ...waited, ...moved] as readonly ErrorCode[]
  return [...new Set([...EVERYWHERE, ...(modules.length === 0 ? [] : GUARDED), ...found])].toSorted()
}

/** As compose/operations.ts puts them together; what is only looked at decides nothing. */
function modulesOf(noun: string): readonly string[] {
  const composed = readFileSync(join(SOURCES, 'compose/operations.ts'), 'utf8')
  const [, loader = ''] =
    new RegExp(`^  ${noun}: async([\\s\\S]*?)(?=^  \\w+: async|^\\}\\))`, 'm').exec(composed) ?? []
  const found = [...loader.matchAll(/import\('\.\.\/domain\/(\w+)\/(?!views\.ts)/g)].map(([, module = '']) => module)
  return [...new Set(found)].filter((module) => existsSync(join(SOURCES, 'domain', module)))
}

type IsOf = (name: string, text: string) => boolean

/** The files of `src/waiting/` that commands of the noun import. */
const waitsOf = (folder: string, isOf: IsOf): ReadonlySet<string> =>
  new Set(
    textsIn(folder, isOf).flatMap((text) => [...text.matchAll(/waiting\/(\w+\.ts)'/g)].map(([, name = '']) => name)),
  )

function textsIn(folder: string, isOf: IsOf): readonly string[] {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = all.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  return files.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return isOf(name, text) ? [text] : []
  })
}

function codesIn(folder: string, isOf: IsOf = () => true): readonly string[] {
  return textsIn(folder, isOf).flatMap((text) => {
    const said = [...text.matchAll(/(?:refuse|new EngineError)\(\s*'([A-Z_]+)'/g)].map(([, code]) => code ?? '')
    return MADE_BY.test(text) ? [...said, 'PATH_NOT_FOUND'] : said
  })
}
