// pyproject.toml, requirements.txt, go.mod, Cargo.toml and their lock files: direct dependencies and locked packages.
// Read line by line, as far as names and versions need it; not a TOML parser.

const BY_NAME = {
  'pyproject.toml': { ecosystem: 'python', read: pyproject, locks: ['poetry.lock', 'uv.lock', 'pdm.lock'] },
  'requirements.txt': { ecosystem: 'python', read: requirements, locks: [] },
  'go.mod': { ecosystem: 'go', read: goMod, locks: ['go.sum'] },
  'Cargo.toml': { ecosystem: 'rust', read: cargo, locks: ['Cargo.lock'] },
}

/** { file, ecosystem, direct: [{ name, range, dev, line }], locks } or undefined when the file is no manifest. */
export function otherManifest(file, text) {
  const found = BY_NAME[file.slice(file.lastIndexOf('/') + 1)]
  if (!found) return undefined
  const lines = text.split('\n').map((line) => line.slice(0, 1000))
  const licence = /^[ \t]*licen[cs]e[ \t]*=\s*(?:\{[^}]*=\s*)?["']([^"']+)/m.exec(text)?.[1]
  return { file, ecosystem: found.ecosystem, direct: found.read(lines), locks: found.locks, licence }
}

export const isOtherManifest = (file) => file.slice(file.lastIndexOf('/') + 1) in BY_NAME

const REQUIREMENT = /^\s*["']?([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*([^#;"']*)/

function requirement(text, line, dev) {
  const found = REQUIREMENT.exec(text)
  return found ? [{ name: found[1], range: found[2].trim(), dev, line }] : []
}

function requirements(lines) {
  return lines.flatMap((text, index) => (/^\s*(?:#|-|$)/.test(text) ? [] : requirement(text, index + 1, false)))
}

/** PEP 621 lists (`dependencies = [ … ]`), PEP 735 groups, and poetry's tables. */
function pyproject(lines) {
  const found = []
  let section = ''
  let list
  lines.forEach((text, index) => {
    const head = list ? undefined : /^\s*\[+([^\]]+)\]+/.exec(text)
    if (head) section = head[1].trim()
    const open = /^\s*["']?([\w.-]+)["']?\s*=\s*\[/.exec(text)
    if (!list && open) list = listKind(section, open[1])
    if (list) {
      const items = (open ? text.slice(text.indexOf('[') + 1) : text).match(/"[^"]*"|'[^']*'/g) ?? []
      if (list !== 'other') for (const item of items) found.push(...requirement(item, index + 1, list === 'dev'))
      if (/\]\s*(?:#.*)?$/.test(text)) list = undefined
    } else found.push(...poetryLine(section, text, index + 1))
  })
  return found
}

function listKind(section, key) {
  if (section === 'project' && key === 'dependencies') return 'runtime'
  return /^(?:project\.optional-dependencies|dependency-groups)$/.test(section) ? 'dev' : 'other'
}

function poetryLine(section, text, line) {
  const kind = /^tool\.poetry\.(?:(dev-dependencies|group\.[^.]+\.dependencies)|dependencies)$/.exec(section)
  const pair = kind && /^\s*([\w.-]+)\s*=\s*(?:\{.*?version\s*=\s*)?["']?([^"'}]*)/.exec(text)
  if (!pair || pair[1] === 'python') return []
  return [{ name: pair[1], range: pair[2].trim(), dev: kind[1] !== undefined, line }]
}

function goMod(lines) {
  const found = []
  let inside = false
  lines.forEach((text, index) => {
    if (/^\s*require\s*\(/.test(text)) inside = true
    else if (inside && /^\s*\)/.test(text)) inside = false
    const pair = /^\s*(?:require\s+)?([\w.~/-]+\.[\w.~/-]+)\s+(v\S+)/.exec(text)
    if (!pair || !(inside || /^\s*require\s/.test(text)) || /\/\/\s*indirect/.test(text)) return
    found.push({ name: pair[1], range: pair[2], dev: false, line: index + 1 })
  })
  return found
}

function cargo(lines) {
  const found = []
  let section = ''
  lines.forEach((text, index) => {
    const head = /^\s*\[+([^\]]+)\]+/.exec(text)
    if (head) section = head[1].trim()
    const kind = /^(?:target\..*\.|workspace\.)?(dev-|build-)?dependencies(?:\.([\w-]+))?$/.exec(section)
    if (!kind) return
    const dev = kind[1] === 'dev-'
    if (head && kind[2]) found.push({ name: kind[2], range: '', dev, line: index + 1 })
    const pair = !kind[2] && /^\s*([\w-]+)\s*=\s*(.*)$/.exec(text)
    if (pair) found.push({ name: pair[1], range: cargoRange(pair[2]), dev, line: index + 1 })
  })
  return found
}

function cargoRange(value) {
  const source = /\b(git|path)\s*=\s*"([^"]*)"/.exec(value)
  if (source) return `${source[1]}:${source[2]}`
  return /(?:version\s*=\s*)?"([^"]*)"/.exec(value)?.[1] ?? ''
}

/** Packages of poetry.lock, uv.lock, pdm.lock, Cargo.lock ([[package]] tables) and go.sum. */
export function otherLock(file, text) {
  const lines = text.split('\n').map((line) => line.slice(0, 500))
  return { file, packages: file.endsWith('go.sum') ? goSum(lines) : tables(lines) }
}

function goSum(lines) {
  return lines.flatMap((text, index) => {
    const found = /^(\S+) (v\S+) h1:/.exec(text)
    return found && !found[2].endsWith('/go.mod') ? [{ name: found[1], version: found[2], line: index + 1 }] : []
  })
}

function tables(lines) {
  const found = []
  let open
  lines.forEach((text, index) => {
    if (text.startsWith('[')) open = text.startsWith('[[package]]') ? { line: index + 1 } : undefined
    const pair = open && /^(name|version) = "([^"]*)"/.exec(text)
    if (!pair) return
    open[pair[1]] = pair[2]
    if (open.name && open.version) found.push(open)
    if (open.name && open.version) open = undefined
  })
  return found
}
