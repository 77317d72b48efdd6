import { posix } from 'node:path'
import { outOfPlace } from './floors.ts'
import { mentions } from './imports.ts'
import { impurities } from './purity.ts'
import { realms } from './realms.ts'

/** What one layer of `src/` may import. `SELF` stands for the file's own folder inside the layer. */
interface Layer {
  readonly files: RegExp
  readonly may: readonly RegExp[]
  /** Any package and any `node:` module. */
  readonly packages: boolean
  /** Reads no clock, randomness, environment or network. */
  readonly pure: boolean
  readonly typesOnly?: boolean
  /** Loads what it is told to: the programs that the build has made. */
  readonly computed?: boolean
}

const KERNEL = /^src\/kernel\//
const WAITING = /^src\/waiting\//
const EVENTS = /^src\/domain\/[^/]+\/events\.ts$/
const SCHEMAS = /^zod\/mini$/

/** The first that matches a file holds for it. */
const LAYERS: readonly Layer[] = [
  {
    files: KERNEL,
    may: [KERNEL, SCHEMAS],
    packages: false,
    pure: true,
  },
  {
    // Derived from all modules: it reads what they show of themselves, and owns nothing.
    files: /^src\/domain\/observability\//,
    may: [KERNEL, EVENTS, /^src\/domain\/[^/]+\/views\.ts$/, /^src\/domain\/SELF\//, SCHEMAS],
    packages: false,
    pure: true,
  },
  {
    files: /^src\/domain\/[^/]+\//,
    may: [KERNEL, EVENTS, /^src\/domain\/SELF\//, SCHEMAS],
    packages: false,
    pure: true,
  },
  {
    files: /^src\/runner\//,
    may: [
      KERNEL,
      EVENTS,
      WAITING,
      /^src\/domain\/(activity|session|steps|supervision|workflow)\//,
      /^src\/runner\//,
      SCHEMAS,
    ],
    packages: false,
    pure: false,
  },
  {
    files: /^src\/drivers\//,
    may: [KERNEL, /^src\/drivers\/([^/]+\.ts$|SELF\/)/],
    packages: true,
    pure: false,
  },
  { files: WAITING, may: [KERNEL, EVENTS, WAITING], packages: false, pure: false },
  { files: /^src\/surfaces\/[^/]+\//, may: [KERNEL, WAITING, /^src\/surfaces\/SELF\//], packages: true, pure: false },
  {
    files: /^src\/adapters\//,
    may: [KERNEL, /^src\/index\.ts$/, /^src\/adapters\/([^/]+\.ts$|SELF\/)/],
    packages: true,
    pure: false,
  },
  { files: /^src\/main\.ts$/, may: [/^src\//], packages: true, pure: false, computed: true },
  {
    files:
      /^src\/(care|past|compose|compose\/[^/]+|glance|index|mcp|references|serve|state-schema|(hot-|hook-|team-|cli-|worker-|reader-)?main)\.ts$/,
    may: [/^src\//, /^package\.json$/],
    packages: true,
    pure: false,
  },
  { files: /^web\//, may: [/./], packages: true, pure: false, typesOnly: true },
]

const BANNED = /^(utils?|helpers?|common|manager|base|misc)$/
const MAX_LINES = 300

const isTest = (file: string) => file.endsWith('.test.ts')

/** Everything that is wrong with one file, in words. `file` is relative to the repository. */
export function problems(file: string, text: string): readonly string[] {
  const everywhere = [...shape(file, text)]
  if (isTest(file) || file.startsWith('test/')) return everywhere
  return [...everywhere, ...boundaries(file, text), ...outOfPlace(file, text)]
}

function* shape(file: string, text: string): Generator<string> {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  if (lines > MAX_LINES) yield `has ${lines} lines, at most ${MAX_LINES}`
  // Sorted, an import takes along what stands above it, such as what the whole file begins with.
  if (/^(?:import .*|\} from .*)\n(?:\/\*|\/\/)(?:.|\n)*?^import /m.test(text)) yield 'has a comment among its imports'
  const words = file.split('/').map((part) => part.replace(/\..*$/, ''))
  for (const word of words) if (BANNED.test(word)) yield `is called "${word}", which says nothing`
}

function* boundaries(file: string, text: string): Generator<string> {
  const layer = LAYERS.find(({ files }) => files.test(file))
  if (!layer) {
    yield 'belongs to no layer'
    return
  }
  for (const { specifier, typeOnly, wildcard } of mentions(file, text)) {
    if (wildcard) yield `re-exports all of ${specifier}`
    const target = specifier?.startsWith('.') ? posix.join(file, '..', specifier) : specifier
    if (target === undefined && layer.computed !== true) yield 'imports a computed name'
    if (target === undefined) continue
    if (!mayImport(layer, file, { target, typeOnly })) yield `imports ${target}`
  }
  if (layer.pure) for (const name of impurities(file, text)) yield `uses ${name}`
  if (!layer.typesOnly) for (const what of realms(file, text)) yield `asks ${what}, not isError`
}

function mayImport(layer: Layer, file: string, mention: { readonly target: string; readonly typeOnly: boolean }) {
  const { target, typeOnly } = mention
  const ours = /^(src|web|test)\/|^package\.json$/.test(target)
  if (layer.typesOnly) return !ours || target.startsWith('web/') || typeOnly
  // The package by its own name, or by an alias, would be a way around every rule.
  if (/^(steadfold|#)/.test(target)) return false
  if (!ours && !target.startsWith('..') && layer.packages) return true
  const self = file.split('/')[2] ?? ''
  return layer.may.some((pattern) => new RegExp(pattern.source.replace('SELF', self)).test(target))
}
