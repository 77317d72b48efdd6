/*
 * The declarations of the public API, self-contained.
 *
 *   tsc ──► one file per source ──► what index.d.ts and the adapters export, and what that mentions ──► dist/types/
 *
 * T1  A declaration is published when one of these exports it or a published declaration mentions it; nothing else is.
 *     A mention is any use of the name, so too much may be kept, never too little.
 * T2  A package that is mentioned is bundled into the JavaScript, so its declarations are copied whole beside ours; not an optional
 *     peer, which is there where it is used.
 * T3  Members marked `@internal` are not public.
 * T4  A file that needs more of the language than ES2022 says so itself.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { declarationFile } from './declaration-file.mjs'

/** One folder per build, so that two may run at once. */
const EMITTED = resolve(`node_modules/.cache/steadfold/types-${process.pid}`)
const PACKAGES = resolve('node_modules')
/** Where the two roots above end up inside dist/. */
const PLACES = [
  [EMITTED, 'types'],
  [PACKAGES, 'types/packages'],
]

/** Pairs of a name inside dist/ and its text. `entries` are sources without their ending. */
export function declarations(entries, peers) {
  try {
    const args = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json', '--outDir', EMITTED]
    execFileSync(process.execPath, args, { stdio: 'inherit' })
    const starts = entries.map((entry) => join(EMITTED, `${entry}.d.ts`))
    const isExternal = (specifier) => specifier.startsWith('node:') || peers.includes(specifier)
    const files = reach(starts, isExternal)
    return [...files.values()].map((file) => [placeOf(file.path), textOf(file, isExternal)])
  } finally {
    rmSync(EMITTED, { recursive: true, force: true })
  }
}

/** Source paths of what was copied from packages, for the list of licences. */
export const declarationSources = (files) =>
  files.flatMap(([name]) =>
    name.startsWith('types/packages/') ? [name.replace('types/packages', 'node_modules')] : [],
  )

/** T1: every file that is reached, with the statements that are kept of it. */
function reach(starts, isExternal) {
  const files = new Map()
  const waiting = starts.map((path) => ({ path }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { path, name } = next
    const file = files.get(path) ?? {
      path,
      statements: declarationFile(path, readFileSync(path, 'utf8')),
      kept: new Set(),
    }
    files.set(path, file)
    const whole = starts.includes(path) || !isOurs(path)
    for (const mention of keep(file, whole ? undefined : name)) {
      if (isExternal(mention.from)) continue
      waiting.push({ path: declarationOf(mention.from, path), name: mention.name })
    }
  }
  return files
}

/** Marks the declaration of a name, or all without a name, and answers what it takes from other files. */
function* keep(file, name) {
  for (const statement of file.statements) {
    const wanted = name === undefined || statement.declares.includes(name)
    if (!wanted || file.kept.has(statement)) continue
    file.kept.add(statement)
    yield* statement.imports
    for (const used of statement.mentions) yield* keep(file, used)
  }
}

const isOurs = (path) => path.startsWith(`${EMITTED}/`)

const placeOf = (path) => {
  const [root, place] = PLACES.find(([folder]) => path.startsWith(`${folder}/`))
  return join(place, relative(root, path))
}

/** The kept statements, every module specifier pointing at a published file. */
function textOf({ path, statements, kept }, isExternal) {
  const relink = (specifier) =>
    isExternal(specifier) ? specifier : pathBetween(placeOf(path), placeOf(declarationOf(specifier, path)))
  const parts = statements.filter((statement) => kept.has(statement)).map((statement) => statement.write(relink))
  const text = `${parts.join('').trim()}\nexport {}\n`
  return text.includes('Symbol.asyncDispose') ? `/// <reference lib="esnext.disposable" />\n${text}` : text
}

function pathBetween(from, to) {
  const path = relative(dirname(from), to).replace(/\.d\.(c|m)?ts$/, '.$1js')
  return path.startsWith('.') ? path : `./${path}`
}

function declarationOf(specifier, from) {
  const script = specifier.startsWith('.') ? resolve(dirname(from), specifier) : installed(specifier)
  const file = script.replace(/(\.d)?\.(c|m)?[jt]s$/, '.d.$2ts')
  if (!existsSync(file)) throw new Error(`${from}: the public types mention "${specifier}", which has no ${file}`)
  return file
}

/** T2 */
const installed = (specifier) => fileURLToPath(import.meta.resolve(specifier))
