/*
 * The declarations of the public API, self-contained.
 *
 *   tsc ──► one file per source ──► what index.d.ts exports, and what that mentions ──► dist/types/
 *
 * T1  A declaration is published when index.d.ts exports it or a published declaration mentions it; nothing else is.
 *     A mention is any use of the name, so too much may be kept, never too little.
 * T2  A package that is mentioned is bundled into the JavaScript, so its declarations are copied whole beside ours.
 * T3  Members marked `@internal` are not public.
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

/** Pairs of a name inside dist/ and its text. */
export function declarations() {
  try {
    const args = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json', '--outDir', EMITTED]
    execFileSync(process.execPath, args, { stdio: 'inherit' })
    const files = reach(join(EMITTED, 'index.d.ts'))
    return [...files.values()].map((file) => [placeOf(file.path), textOf(file)])
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
function reach(start) {
  const files = new Map()
  const waiting = [{ path: start }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { path, name } = next
    const file = files.get(path) ?? {
      path,
      statements: declarationFile(path, readFileSync(path, 'utf8')),
      kept: new Set(),
    }
    files.set(path, file)
    const whole = path === start || !isOurs(path)
    for (const mention of keep(file, whole ? undefined : name)) {
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
function textOf({ path, statements, kept }) {
  const relink = (specifier) =>
    specifier.startsWith('node:') ? specifier : pathBetween(placeOf(path), placeOf(declarationOf(specifier, path)))
  const parts = statements.filter((statement) => kept.has(statement)).map((statement) => statement.write(relink))
  return `${parts.join('').trim()}\nexport {}\n`
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
