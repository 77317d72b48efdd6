// package.json and the lock files of npm, yarn and pnpm, read without trusting their shape.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readContent } from './tree.mjs'

const MANIFEST_BYTES = 32 * 1024 * 1024
const SECTIONS = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies']

export const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const entriesOf = (value) => (isRecord(value) ? Object.entries(value) : [])

export function readText(root, path) {
  return readContent(join(root, path), MANIFEST_BYTES).bytes?.toString('utf8')
}

export function parseRecord(text) {
  try {
    const value = JSON.parse(text ?? '')
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** { file, name, licence, direct: [{ name, range, section, line }], scripts, raw } or { file, broken: true }. */
export function packageManifest(file, text) {
  const raw = parseRecord(text)
  if (!raw) return { file, ecosystem: 'npm', broken: true, direct: [] }
  const lines = text.split('\n')
  const direct = SECTIONS.flatMap((section) =>
    entriesOf(raw[section]).map(([name, range]) => ({
      name,
      range: String(range),
      section,
      dev: section === 'devDependencies',
      line: keyLine(lines, section, name),
    })),
  )
  const name = typeof raw.name === 'string' ? raw.name : undefined
  return { file, ecosystem: 'npm', name, private: raw.private === true, licence: licenceOf(raw), direct, raw }
}

function keyLine(lines, section, name) {
  const start = Math.max(
    0,
    lines.findIndex((line) => line.includes(`"${section}"`)),
  )
  const found = lines.findIndex((line, index) => index >= start && line.includes(`${JSON.stringify(name)}`))
  return found < 0 ? start + 1 : found + 1
}

export function licenceOf(raw) {
  const value = raw.license ?? raw.licence ?? raw.licenses
  if (typeof value === 'string') return value.trim() || undefined
  if (isRecord(value) && typeof value.type === 'string') return value.type
  if (Array.isArray(value)) return value.map((one) => (isRecord(one) ? one.type : one)).join(' OR ') || undefined
  return undefined
}

/** { file, root, packages: [{ name, version, key, line, dev, licence, … }] }; `root` is the lock's copy of the manifest. */
export function readLock(file, text) {
  if (file.endsWith('.json')) return npmLock(file, text)
  return { file, packages: file.endsWith('yarn.lock') ? yarnPackages(text) : pnpmPackages(text) }
}

function npmLock(file, text) {
  const raw = parseRecord(text)
  if (!raw) return { file, broken: true, packages: [] }
  const lineOf = keyLines(text)
  if (!isRecord(raw.packages)) return { file, packages: oldPackages(raw, lineOf) }
  const packages = entriesOf(raw.packages)
    .filter(([key, entry]) => key.includes('node_modules/') && isRecord(entry) && entry.link !== true)
    .map(([key, entry]) => npmPackage(key, entry, lineOf(key)))
  return { file, root: raw.packages[''], packages }
}

function npmPackage(key, entry, line) {
  const name = typeof entry.name === 'string' ? entry.name : key.slice(key.lastIndexOf('node_modules/') + 13)
  return {
    name,
    key,
    line,
    version: String(entry.version ?? ''),
    dev: entry.dev === true || entry.devOptional === true,
    optional: entry.optional === true,
    licence: licenceOf(entry),
    scripts: entry.hasInstallScript === true,
    resolved: typeof entry.resolved === 'string' ? entry.resolved : undefined,
    integrity: typeof entry.integrity === 'string',
    bundled: entry.inBundle === true,
  }
}

function oldPackages(raw, lineOf) {
  const found = []
  const pending = [{ at: '', entry: raw }]
  for (let next = pending.pop(); next && found.length < 20_000; next = pending.pop()) {
    for (const [name, entry] of entriesOf(next.entry.dependencies)) {
      if (!isRecord(entry)) continue
      const key = `${next.at}node_modules/${name}`
      found.push({ ...npmPackage(key, entry, lineOf(name)), dev: entry.dev === true })
      pending.push({ at: `${key}/`, entry })
    }
  }
  return found
}

function keyLines(text) {
  const lines = new Map()
  text.split('\n').forEach((line, index) => {
    const key = /^\s*"([^"\\]+)"\s*:/.exec(line.slice(0, 500))?.[1]
    if (key && !lines.has(key)) lines.set(key, index + 1)
  })
  return (key) => lines.get(key) ?? 1
}

function yarnPackages(text) {
  const found = []
  let name
  let line = 0
  text.split('\n').forEach((raw, index) => {
    const head = /^"?((?:@[^/"\s]+\/)?[^@"\s/]+)@[^\n]*:$/.exec(raw.slice(0, 2000))
    if (head) [name, line] = [head[1], index + 1]
    const version = name && /^\s{2}version:?\s+"?([^"\s]+)"?$/.exec(raw)?.[1]
    if (!version) return
    if (version !== '0.0.0-use.local') found.push({ name, version, line })
    name = undefined
  })
  return found
}

function pnpmPackages(text) {
  const found = []
  let inside = false
  text.split('\n').forEach((raw, index) => {
    if (/^\S/.test(raw)) inside = raw.startsWith('packages:')
    const head = inside && /^ {2}'?\/?((?:@[^/']+\/)?[^@/'\s]+)[@/](\d[^:('\s]*)[^:]*:/.exec(raw.slice(0, 500))
    if (head) found.push({ name: head[1], version: head[2], line: index + 1 })
  })
  return found
}

/** What is installed says more than a lock: its licence, its file of licence, its install scripts. */
export function installed(root, key) {
  const raw = parseRecord(readText(root, `${key}/package.json`))
  if (!raw) return undefined
  const scripts = isRecord(raw.scripts) ? raw.scripts : {}
  const runs = ['preinstall', 'install', 'postinstall'].filter((name) => typeof scripts[name] === 'string')
  return { licence: licenceOf(raw), file: hasLicenceFile(root, key), runs }
}

export function hasLicenceFile(root, folder) {
  try {
    return readdirSync(join(root, folder)).some((name) => /^(?:licen[cs]e|copying|unlicense)/i.test(name))
  } catch {
    return false
  }
}
