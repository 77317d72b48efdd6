// Who imports whom: built by the workers that look for dead code and for tests.
// G1 A file or name is called unused only when nothing that was read can mean it; doubt counts as use.
import { put } from './groups.mjs'
import { isDeclaration, isSupport, kindOf, languageOf } from './languages.mjs'
import { mask } from './mask.mjs'
import { moduleOf, probe, resolveAlias, resolveFrom } from './modules.mjs'
import { isRecord, parseRecord } from './npm.mjs'

export function newGraph(tree) {
  const paths = new Set(tree.files.map((file) => file.path))
  return {
    paths,
    modules: new Map(),
    mentions: new Map(),
    entries: new Set(),
    own: new Map(),
    words: pythonStems(paths),
    routed: false,
  }
}

function pythonStems(paths) {
  const stems = new Map()
  for (const path of paths) if (path.endsWith('.py')) stems.set(stemOf(path), new Set())
  return stems
}

export const stemOf = (path) => path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '')
export const baseOf = (path) => path.slice(path.lastIndexOf('/') + 1)

/** Adds one file; answers its masked text when the file is source that a person wrote. */
export function addFile(graph, file, text) {
  const kind = kindOf(file.path)
  if (kind === 'lock' || kind === 'docs' || file.machine) return undefined
  if (/(?:^|\/)package\.json$/.test(file.path)) addManifest(graph, file.path, text)
  const language = languageOf(file.path)
  if (!language) return addMentions(graph, file.path, text)
  const masked = mask(text, language)
  const module = kind === 'fixture' ? undefined : moduleOf(masked, language)
  if (!module) return (addMentions(graph, file.path, masked.bare), masked)
  graph.modules.set(file.path, { ...module, kind })
  addMentions(graph, file.path, withoutSpecs(masked.bare, module))
  if (language.modules === 'py') addWords(graph, file.path, masked.bare)
  return masked
}

/** Begins only where a word begins and is bounded: a long run of word characters is looked at once. */
const FILE_NAME = /(?<![\w@$.-])[\w@$-][\w@$.-]{0,120}\.(?:[cm]?[jt]sx?|py|vue|svelte)\b/g

/** Names of files that stand in a text: scripts, workflow files, worker paths, configuration. */
function addMentions(graph, path, text) {
  for (const name of new Set(text.match(FILE_NAME) ?? [])) {
    const known = graph.mentions.get(name) ?? { count: 0, code: 0 }
    if (baseOf(path) === name) continue
    known.count++
    if (kindOf(path) !== 'test') known.code++
    graph.mentions.set(name, known)
  }
}

function withoutSpecs(bare, module) {
  const specs = new Set(module.imports.filter((one) => one.call !== 'URL(').map((one) => one.spec))
  return bare.replace(/(["'`])([^"'`\n]{1,400})\1/g, (all, mark, inner) => (specs.has(inner) ? '' : all))
}

function addWords(graph, path, bare) {
  for (const word of new Set(bare.match(/\w+/g) ?? [])) {
    if (stemOf(path) !== word) graph.words.get(word)?.add(path)
  }
}

const FRAMEWORK =
  /^(?:next|nuxt|astro|expo-router|@remix-run\/.*|@sveltejs\/kit|@react-router\/dev|@nestjs\/core|@angular\/core)$/

/** What a package.json names is an entry; a built path (dist/x.js) stands for the source it is built from. */
function addManifest(graph, path, text) {
  const raw = parseRecord(text)
  if (!raw) return
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const names = [raw.dependencies, raw.devDependencies].flatMap((one) => (isRecord(one) ? Object.keys(one) : []))
  if (names.some((name) => FRAMEWORK.test(name))) graph.routed = true
  const { main, module, browser, types, typings, bin, exports, imports } = raw
  for (const value of strings([main, module, browser, types, typings, bin, exports, imports])) {
    const clean = folder + value.replace(/^\.\//, '')
    const source = clean.replace(/(^|\/)(?:dist|lib|build|out|esm|cjs)\//, '$1src/').replace(/\.d\.([cm]?)ts$/, '.$1js')
    for (const candidate of [clean, source, source.replace(/\.[cm]js$/, '.js')]) {
      const found = probe(candidate, graph.paths)
      if (!found) continue
      graph.entries.add(found)
      if (typeof raw.name === 'string') put(graph.own, raw.name, found)
    }
  }
}

function strings(value, depth = 0) {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 8) return []
  return Object.values(value).flatMap((one) => strings(one, depth + 1))
}

const ENTRY =
  /(?:^|\/)(?:index|main|cli|server|app|mod|worker|bin|setup|manage|wsgi|asgi|conftest|__init__|__main__)\.[^/]+$/
const ROUTES = /(?:^|\/)(?:pages|routes|app|views|migrations|commands|plugins|middleware)\//

/** Resolves all imports: links[path] = [{ to, names, reexport }], and importers of every file. */
export function link(graph) {
  graph.links = new Map()
  graph.importers = new Map()
  for (const [path, module] of graph.modules) {
    const links = module.imports.flatMap((one) => targets(graph, path, one).map((to) => ({ to, ...one })))
    graph.links.set(path, links)
    for (const { to } of links) {
      if (!graph.importers.has(to)) graph.importers.set(to, new Set())
      graph.importers.get(to).add(path)
    }
  }
  return graph
}

function targets(graph, path, { spec, names }) {
  if (languageOf(path).modules === 'py') return pythonTargets(graph, path, spec, names)
  if (/^\.|^\//.test(spec)) return [resolveFrom(path, spec, graph.paths)].filter((found) => found && found !== path)
  const name = spec
    .split('/')
    .slice(0, spec.startsWith('@') ? 2 : 1)
    .join('/')
  const own = graph.own.get(name)
  if (own) return [...new Set(own)].filter((found) => found !== path)
  return [resolveAlias(spec, graph.paths)].filter((found) => found && found !== path)
}

function pythonTargets(graph, path, spec, names) {
  const dots = /^\.*/.exec(spec)[0].length
  const folders = path.split('/').slice(0, -1)
  const base = dots > 0 ? folders.slice(0, folders.length - dots + 1) : []
  const parts = spec.slice(dots).split('.').filter(Boolean)
  const roots = dots > 0 ? [base] : [[], ['src'], folders]
  const found = roots.flatMap((root) => {
    const at = [...root, ...parts].join('/')
    const below = (Array.isArray(names) ? names : []).map((name) => `${at}/${name}.py`)
    return [`${at}.py`, `${at}/__init__.py`, ...below].filter((one) => graph.paths.has(one))
  })
  return [...new Set(found)].filter((one) => one !== path)
}

/** Files that something outside the imports starts or loads; what they export is for others. */
export function isEntry(graph, path) {
  if (graph.entries.has(path) || ENTRY.test(path) || isSupport(path) || isDeclaration(path)) return true
  if ((graph.mentions.get(baseOf(path))?.code ?? 0) > 0) return true
  return graph.routed && ROUTES.test(path)
}

/** Files that nobody imports, mentions or starts. */
export function unimported(graph) {
  return [...graph.modules]
    .filter(([path, { kind }]) => kind === 'source' && !isEntry(graph, path) && !graph.importers.has(path))
    .filter(([path]) => !graph.mentions.has(baseOf(path)) && !isNamed(graph, path))
    .map(([path]) => path)
}

const isNamed = (graph, path) => path.endsWith('.py') && (graph.words.get(stemOf(path))?.size ?? 0) > 0

/** Exported names which no import takes: [{ file, name, line, local, inside }]. */
export function unusedExports(graph, isUsedInside) {
  const used = usedNames(graph)
  const found = []
  for (const [path, module] of graph.modules) {
    if (module.kind !== 'source' || isEntry(graph, path) || used.get(path) === '*' || !graph.importers.has(path))
      continue
    for (const one of module.exports) {
      if (used.get(path)?.has(one.name)) continue
      const inside = isUsedInside(path, one.local)
      if (!(inside && one.type)) found.push({ file: path, name: one.name, line: one.line, inside })
    }
  }
  return found
}

/** Names taken from each file; a star re-export hands on what is taken from the file that re-exports. */
function usedNames(graph) {
  const used = new Map()
  const pending = []
  const take = (to, names) => {
    const before = used.get(to)
    if (before === '*') return
    const size = before?.size ?? 0
    if (names === '*') used.set(to, '*')
    else used.set(to, addAll(before ?? new Set(), names))
    if (names === '*' || used.get(to).size !== size) pending.push(to)
  }
  for (const [path, links] of graph.links) {
    for (const { to, names, reexport } of links)
      if (!(reexport && names === '*') || isEntry(graph, path)) take(to, names)
  }
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const stars = (graph.links.get(path) ?? []).filter((one) => one.reexport && one.names === '*')
    for (const { to } of stars) take(to, used.get(path))
  }
  return used
}

function addAll(set, names) {
  for (const name of names) set.add(name)
  return set
}

/** Everything that can be reached by imports from the given files. */
export function reach(graph, from) {
  const seen = new Set(from)
  const pending = [...from]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    for (const { to } of graph.links.get(path) ?? []) {
      if (seen.has(to)) continue
      seen.add(to)
      pending.push(to)
    }
  }
  return seen
}
