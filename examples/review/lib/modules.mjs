// Imports and exports of JavaScript, TypeScript and Python files, and the graph they make.
// M1 A specifier counts only where the masked code has an import there: a fixture in a string is not an import.
// M2 What cannot be followed (a computed specifier, a whole-module import) counts as "uses everything".
import { lineCounter } from './lines.mjs'

/** { imports: [{ spec, names, line, types }], exports: [{ name, line, type }], computed } ; names is '*' or a list. */
export function moduleOf({ code, bare }, language) {
  if (language.modules === 'js') return scriptModule(code, bare)
  return language.modules === 'py' ? pythonModule(code) : undefined
}

function scriptModule(code, bare) {
  const imports = [...statements(code, bare), ...calls(code, bare)].sort((a, b) => a.line - b.line)
  const computed = (code.match(/\b(?:import|require)\s*\(\s*[\w$]/g) ?? []).length
  return { imports, exports: exportsIn(code), computed }
}

const CLAUSE = /(?:^|[;}]|\*\/)[ \t]*(import|export)\b(?!\s*[(.:=])/gm

function statements(code, bare) {
  const lineAt = lineCounter(code)
  const found = []
  for (let m = CLAUSE.exec(code); m; m = CLAUSE.exec(code)) {
    const start = m.index + m[0].length
    const clause = clauseAt(bare, start, m[1])
    if (clause) found.push({ ...clause, line: lineAt(start), reexport: m[1] === 'export' })
  }
  return found
}

/** Reads `… from 'x'` or `'x'` after the keyword; a declaration such as `export const` is no clause. */
function clauseAt(bare, start, keyword) {
  const text = bare.slice(start, start + 4000)
  const open = text.search(/["']/)
  const clause = text.slice(0, Math.max(0, open)).trim()
  if (open < 0 || (keyword === 'export' && clause === '')) return undefined
  if (clause !== '' && !/^[\w$*{}\s,]*\bfrom$/.test(clause)) return undefined
  const spec = /^(["'])([^"'\n]{1,400})\1/.exec(text.slice(open, open + 402))?.[2]
  return spec && { spec, names: clauseNames(clause.slice(0, -4)), types: /^type\s+(?!from\b)/.test(clause) }
}

function clauseNames(clause) {
  const names = []
  const braces = /\{([^}]*)\}/.exec(clause)
  for (const part of braces?.[1].split(',') ?? []) {
    const name = /^\s*(?:type\s+(?!as\b))?([\w$]+)/.exec(part)?.[1]
    if (name) names.push(name)
  }
  const rest = clause
    .replace(/\{[^}]*\}/, '')
    .replace(/^type\s+(?=[\w${*])/, '')
    .trim()
  if (rest.includes('*')) return '*'
  if (/^[\w$]+/.test(rest)) names.push('default')
  return names
}

const CALL = /\b(?:import|require(?:\.resolve)?|URL|mock|doMock|importActual|unmock)\s*\(\s*(?=[ \n])/g

/** import('x'), require('x'), new URL('x', import.meta.url): the place is in the code, the text in the string. */
function calls(code, bare) {
  const lineAt = lineCounter(code)
  const found = []
  const pattern = new RegExp(CALL)
  for (let m = pattern.exec(code); m; m = pattern.exec(code)) {
    const text = bare.slice(m.index, m.index + 500)
    const spec = /^[\w.]+\s*\(\s*(["'`])([^"'`\n$]{1,400})\1/.exec(text)?.[2]
    const before = code.slice(Math.max(0, m.index - 200), m.index)
    // `try { x = require('y') }` means: use it when it is there.
    const optional = /\btry\s*\{[^{}]{0,120}$/.test(before)
    if (spec)
      found.push({ spec, names: calledNames(before), line: lineAt(m.index), types: false, call: m[0].trim(), optional })
  }
  return found
}

function calledNames(before) {
  const found = /\{([\w$\s,:]*)\}\s*=\s*(?:await\s+)?$/.exec(before)
  if (!found) return '*'
  return found[1]
    .split(',')
    .map((part) => part.split(':')[0].trim())
    .filter(Boolean)
}

const DECLARED =
  /^export\s+(default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(function\s*\*?|class|const\s+enum|const|let|var|interface|type|enum|namespace)\s+([A-Za-z_$][\w$]*)/gm

function exportsIn(code) {
  const found = []
  const lineAt = lineCounter(code)
  for (const m of code.matchAll(DECLARED)) {
    const type = /^(?:interface|type)$/.test(m[2])
    found.push({ name: m[1] ? 'default' : m[3], local: m[3], line: lineAt(m.index), type })
  }
  const listLine = lineCounter(code)
  for (const m of code.matchAll(/^export\s*(?:type\s*)?\{([^}]{0,4000})\}(?!\s*from\b)/gm)) {
    const line = listLine(m.index)
    for (const part of m[1].split(',')) {
      const [, local, name] = /^\s*(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(part) ?? []
      if (local) found.push({ name: name ?? local, local, line, type: false })
    }
  }
  return found.sort((a, b) => a.line - b.line)
}

function pythonModule(code) {
  const imports = []
  const lineAt = lineCounter(code)
  for (const m of code.matchAll(
    /^[ \t]*(?:from\s+([.\w]+)\s+import\s+(\([^)]{0,4000}\)|[^\n]{1,400})|import\s+([^\n]{1,400}))/gm,
  )) {
    const line = lineAt(m.index)
    const names = (m[2] ?? '')
      .replace(/[()]/g, ' ')
      .split(',')
      .map((part) => part.trim().split(/\s+/)[0])
      .filter(Boolean)
    const specs = m[1] ? [m[1]] : m[3].split(',').map((part) => part.trim().split(/\s+/)[0])
    for (const spec of specs) if (spec) imports.push({ spec, names, line, types: false })
  }
  return { imports, exports: [], computed: 0 }
}

const ENDINGS = ['', '.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.d.ts', '.vue', '.svelte', '.json']
const SWAPS = { js: ['ts', 'tsx', 'js', 'd.ts'], jsx: ['tsx'], mjs: ['mts', 'd.mts'], cjs: ['cts', 'd.cts'] }

/** Path a relative specifier leads to, or undefined. `paths` is the set of all files of the tree. */
export function resolveFrom(from, spec, paths) {
  const clean = spec.replace(/[?#].*$/, '')
  const folder = from.includes('/') ? from.slice(0, from.lastIndexOf('/')) : ''
  const joined = clean.startsWith('/') ? normal(clean.slice(1)) : normal(`${folder}/${clean}`)
  return joined === undefined ? undefined : probe(joined, paths)
}

export function probe(path, paths) {
  for (const ending of ENDINGS) if (paths.has(path + ending)) return path + ending
  const [, stem, ext] = /^(.*)\.([cm]?jsx?)$/.exec(path) ?? []
  for (const swap of SWAPS[ext] ?? []) if (paths.has(`${stem}.${swap}`)) return `${stem}.${swap}`
  const index = path === '' ? 'index' : `${path}/index`
  for (const ending of ENDINGS.slice(1)) if (paths.has(index + ending)) return index + ending
  return undefined
}

function normal(path) {
  const parts = []
  for (const part of path.split('/')) {
    if (part === '..' && parts.length === 0) return undefined
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

/** Alias such as @/x, ~/x or #x: tried in the folders such aliases usually stand for. */
export function resolveAlias(spec, paths) {
  const tail = /^(?:@|~|#|\$lib|src)\/?(.+)$/.exec(spec)?.[1]
  if (!tail) return undefined
  const folder = spec.startsWith('src') ? ['src/', ''] : ['src/', '', 'app/', 'src/lib/', 'lib/']
  for (const base of folder) {
    const found = probe(base + tail.replace(/^\//, ''), paths)
    if (found) return found
  }
  return undefined
}
