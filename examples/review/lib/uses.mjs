// Which npm packages the sources really import, against what their package.json declares.
import { builtinModules } from 'node:module'
import { put } from './groups.mjs'
import { isDeclaration, isSupport, kindOf, languageOf } from './languages.mjs'
import { mask } from './mask.mjs'
import { moduleOf, resolveAlias } from './modules.mjs'
import { parseRecord } from './npm.mjs'
import { byText } from './step.mjs'

/** pnpapi exists only under Yarn's Plug'n'Play and is in no registry. */
const BUILTIN = new Set([...builtinModules, 'pnpapi'])
const PACKAGE = /^(?:@[a-z0-9][\w.~-]*\/)?[a-z0-9][\w.~-]*$/i

export const newUses = () => ({ imports: [], mentions: new Set(), aliases: [] })

/** Remembers what a file imports (scripts) and the package-like strings it holds (every text file). */
export function collectUses(uses, file, text) {
  const kind = kindOf(file.path)
  if (kind === 'lock' || kind === 'fixture' || file.machine) return
  if (/(?:^|\/)package\.json$/.test(file.path)) return collectScripts(uses, text)
  if (/tsconfig[^/]*\.json$/.test(file.path)) collectAliases(uses, text)
  for (const [, word] of text.matchAll(/["'`]([@\w][\w./@-]{0,120})["'`]/g)) uses.mentions.add(packageName(word))
  const language = languageOf(file.path)
  if (language?.modules !== 'js' || isDeclaration(file.path)) return
  const test = kind === 'test' || isSupport(file.path)
  for (const { spec, line, types, call, optional } of moduleOf(mask(text, language), language).imports) {
    const name = packageName(spec)
    if (call === 'URL(' || !isPackage(spec, name)) continue
    uses.imports.push({ name, spec, file: file.path, line, types, test, optional: optional === true })
  }
}

function collectScripts(uses, text) {
  const scripts = JSON.stringify(parseRecord(text)?.scripts ?? '')
  for (const word of scripts.match(/[@\w][\w./@-]*/g) ?? []) uses.mentions.add(packageName(word))
}

function collectAliases(uses, text) {
  const at = text.indexOf('"paths"')
  const paths = at < 0 ? '' : text.slice(at + 7, at + 20_000).split('}')[0]
  for (const [, key] of paths.matchAll(/"([^"\n]+)"\s*:/g)) uses.aliases.push(key.replace(/\*$/, ''))
}

const packageName = (spec) =>
  spec
    .split('/')
    .slice(0, spec.startsWith('@') ? 2 : 1)
    .join('/')

function isPackage(spec, name) {
  if (/^[./~#$]|^@\/|:|\\/.test(spec)) return false
  return PACKAGE.test(name) && !BUILTIN.has(name) && !BUILTIN.has(spec)
}

/** Packages that are imported and declared by no package.json above the file; one entry per package, first place first. */
export function undeclared(uses, manifests, paths) {
  const own = new Set(manifests.map((one) => one.name))
  const folders = new Set([...paths].map((path) => path.split('/')[path.startsWith('src/') ? 1 : 0]))
  const groups = new Map()
  for (const use of uses.imports) {
    const above = manifests.filter((one) => use.file.startsWith(folderOf(one.file)))
    const known =
      use.optional ||
      above.length === 0 ||
      own.has(use.name) ||
      folders.has(use.spec.split('/')[0]) ||
      declares(above, use)
    if (known || isAlias(uses, use.spec) || resolveAlias(use.spec, paths)) continue
    put(groups, use.name, use)
  }
  return [...groups].map(([name, found]) => describe(name, found)).sort((a, b) => byText(a.name, b.name))
}

function describe(name, found) {
  const rank = (use) => (use.test ? 2 : 0) + (use.types ? 1 : 0)
  const [first] = [...found].sort((a, b) => rank(a) - rank(b))
  return {
    name,
    file: first.file,
    line: first.line,
    shipped: rank(first) === 0,
    files: new Set(found.map((use) => use.file)).size,
  }
}

const folderOf = (file) => file.slice(0, file.lastIndexOf('/') + 1)
const isAlias = (uses, spec) => uses.aliases.some((alias) => alias !== '' && spec.startsWith(alias))

function declares(above, { name, types }) {
  const typed = `@types/${name.replace('@', '').replace('/', '__')}`
  return above.some(({ direct }) => direct.some((one) => one.name === name || (types && one.name === typed)))
}

/**
 * Runtime dependencies that no source imports and no script, configuration or string mentions. Where that is most of
 * them, the code that uses them was not read (it is built, or elsewhere): said as `unusedUnknown`, not as a finding.
 */
export function unused(uses, manifests) {
  const seen = new Set([...uses.mentions, ...uses.imports.map((use) => use.name)])
  const result = { unused: [], unusedUnknown: [] }
  for (const { file, direct } of manifests) {
    const runtime = direct.filter((one) => one.section === 'dependencies' && !one.name.startsWith('@types/'))
    const idle = runtime.filter((one) => !seen.has(one.name))
    if (idle.length > 2 && idle.length * 2 > runtime.length) result.unusedUnknown.push(file)
    else result.unused.push(...idle.map(({ name, line }) => ({ name, file, line })))
  }
  return result
}
