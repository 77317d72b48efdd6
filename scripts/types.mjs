/*
 * The declarations of the public API, self-contained.
 *
 * tsc emits one file per source; only those that index.d.ts reaches are published. A package that they mention is
 * bundled into the JavaScript, so its declarations are copied beside ours and the import is pointed at the copy.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'

const EMITTED = resolve('node_modules/.cache/steadfold/types')
const PACKAGES = resolve('node_modules')
/** Where the two roots above end up inside dist/. */
const PLACES = [
  [EMITTED, 'types'],
  [PACKAGES, 'types/packages'],
]

/** Pairs of a name inside dist/ and its text. */
export function declarations() {
  rmSync(EMITTED, { recursive: true, force: true })
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], { stdio: 'inherit' })
  const found = new Map()
  const waiting = [join(EMITTED, 'index.d.ts')]
  for (let file = waiting.pop(); file; file = waiting.pop()) {
    const { text, targets } = linked(file)
    found.set(file, text)
    waiting.push(...targets.filter((target) => !found.has(target)))
  }
  return [...found].map(([file, text]) => [placeOf(file), text])
}

/** Source paths of what was copied from packages, for the list of licences. */
export const declarationSources = (files) =>
  files.flatMap(([name]) =>
    name.startsWith('types/packages/') ? [name.replace('types/packages', 'node_modules')] : [],
  )

const placeOf = (file) => {
  const [root, place] = PLACES.find(([folder]) => file.startsWith(`${folder}/`))
  return join(place, relative(root, file))
}

/** The file's text with every import pointing at a published file, and the files it needs. */
function linked(file) {
  let text = readFileSync(file, 'utf8')
  const targets = []
  const backwards = specifiers(file, text).toSorted((a, b) => b.start - a.start)
  for (const { value, start, end } of backwards) {
    if (value.startsWith('node:')) continue
    const target = declarationOf(value, file)
    targets.push(target)
    text = `${text.slice(0, start)}'${pathBetween(placeOf(file), placeOf(target))}'${text.slice(end)}`
  }
  return { text: text.replace(/^\/\/# sourceMappingURL=.*$/m, ''), targets }
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

const installed = (specifier) => fileURLToPath(import.meta.resolve(specifier))

/** Every module specifier in a declaration file: imports, re-exports and `import('…')` types. */
function specifiers(file, text) {
  const found = []
  const add = ({ source }) => {
    if (source) found.push(source)
  }
  const visitor = new Visitor({
    ImportDeclaration: add,
    ExportNamedDeclaration: add,
    ExportAllDeclaration: add,
    TSImportType: add,
  })
  visitor.visit(parseSync(file, text).program)
  return found
}
