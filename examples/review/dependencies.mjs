// Research 2 of 4: what the tree depends on, under which licence, and how firmly. Writes .review/dependencies.json.
import { join } from 'node:path'
import { firstOf, groupBy } from './lib/groups.mjs'
import { kindOf } from './lib/languages.mjs'
import { isOtherManifest, otherLock, otherManifest } from './lib/manifests.mjs'
import { hasLicenceFile, installed, packageManifest, readLock, readText } from './lib/npm.mjs'
import { byText, main, save } from './lib/step.mjs'
import { listTree, readTree } from './lib/tree.mjs'
import { collectUses, newUses, undeclared, unused } from './lib/uses.mjs'

const KEEP = 200
const MANIFESTS = 200
const INSTALLED = 5000
const NPM_LOCK = /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml)$/
const OTHER_LOCK = /(?:^|\/)(?:poetry\.lock|uv\.lock|pdm\.lock|Cargo\.lock|go\.sum)$/

main(({ input, out, work }) => {
  const tree = listTree({ input, out })
  const uses = newUses()
  const digest = readTree(tree, (file, text) => collectUses(uses, file, text))
  const project = readProject(input, tree)
  const report = describe(input, tree, project, { uses, digest })
  save(join(work, 'dependencies.json'), report)
  return outputs(report)
})

function readProject(input, tree) {
  const files = tree.files.map((file) => file.path).filter((path) => kindOf(path) !== 'fixture')
  const manifests = files.filter((path) => /(?:^|\/)package\.json$/.test(path) || isOtherManifest(path))
  const locks = files.filter((path) => NPM_LOCK.test(path) || OTHER_LOCK.test(path)).slice(0, MANIFESTS)
  return {
    manifests: manifests.slice(0, MANIFESTS).map((path) => readManifest(input, path)),
    locks: locks.map((path) => readOneLock(input, path)),
    manifestsFound: manifests.length,
  }
}

function readManifest(input, path) {
  const text = readText(input, path) ?? ''
  return path.endsWith('package.json') ? packageManifest(path, text) : otherManifest(path, text)
}

function readOneLock(input, path) {
  const text = readText(input, path)
  if (text === undefined) return { file: path, broken: true, packages: [] }
  return NPM_LOCK.test(path) ? readLock(path, text) : otherLock(path, text)
}

function describe(input, tree, project, { uses, digest }) {
  const { manifests, locks, manifestsFound } = project
  const npm = manifests.filter((one) => one.ecosystem === 'npm' && !one.broken)
  const packages = locks.flatMap((lock) => lock.packages.map((one) => ({ ...one, file: lock.file })))
  const licensed = licences(input, packages)
  const direct = manifests.flatMap((one) => one.direct.map((entry) => ({ ...entry, file: one.file })))
  const paths = new Set(tree.files.map((file) => file.path))
  const cuts = []
  const first = (list, what) => firstOf(list, KEEP, what, cuts)
  return {
    digest,
    manifestsFound,
    totals: totals(project, direct, licensed),
    manifests: manifests.map(({ file, ecosystem, direct: all, name }) => ({
      file,
      ecosystem,
      name,
      direct: all.length,
    })),
    locks: locks.map(({ file, packages: all }) => ({ file, packages: all.length })),
    licences: count(licensed.map((one) => one.licence ?? (one.known ? 'none' : 'unknown'))),
    broken: [...manifests, ...locks].filter((one) => one.broken).map(({ file }) => ({ file })),
    noLock: first(withoutLock(manifests, locks), 'manifests without a lock'),
    drift: first(drift(npm, locks), 'entries that differ from the lock'),
    undeclared: first(undeclared(uses, npm, paths), 'undeclared imports'),
    ...unused(uses, npm),
    unlicensed: first(
      licensed.filter((one) => one.known && !one.licence),
      'packages without a licence',
    ).map(brief),
    copyleft: first(
      licensed.filter((one) => isStrong(one.licence)),
      'copyleft packages',
    ).map(brief),
    scripts: first(
      licensed.filter((one) => one.scripts || one.runs?.length > 0),
      'install scripts',
    ).map(brief),
    outside: first(outside(direct, packages), 'packages from outside a registry'),
    noIntegrity: first(packages.filter(lacksIntegrity), 'packages without a hash').map(brief),
    loose: first(direct.filter(isLoose), 'loose ranges').map(({ name, range, dev, file, line }) => ({
      name,
      range,
      dev,
      file,
      line,
    })),
    versions: first(severalVersions(packages), 'packages in several versions'),
    noProjectLicence: npm.filter((one) => lacksLicence(input, one)).map(({ file }) => ({ file })),
    cuts,
  }
}

function totals({ manifests, locks }, direct, licensed) {
  return {
    manifests: manifests.length,
    'direct runtime dependencies': direct.filter((one) => !one.dev).length,
    'direct development dependencies': direct.filter((one) => one.dev).length,
    'lock files': locks.length,
    'locked packages': licensed.length,
    'licences unknown': licensed.filter((one) => !one.known).length,
  }
}

const brief = ({ name, version, dev, file, line, licence, runs, optional }) => ({
  name,
  version,
  dev: dev === true,
  optional: optional === true,
  file,
  line,
  licence,
  runs,
})

/** Licence of every locked package: the lock's own field, else what lies in node_modules beside the lock. */
function licences(input, packages) {
  return packages.map((one, index) => {
    if (one.key === undefined) return { ...one, known: false }
    const folder = one.file.slice(0, one.file.lastIndexOf('/') + 1)
    const here = index < INSTALLED ? installed(input, folder + one.key) : undefined
    const licence = one.licence ?? here?.licence ?? (here?.file ? 'see its licence file' : undefined)
    return { ...one, licence, known: licence !== undefined || here !== undefined, runs: here?.runs }
  })
}

/** Copyleft that reaches the whole program, unless the package also offers something else. */
function isStrong(licence) {
  if (!licence) return false
  const strong = (part) => /\b(?:AGPL|GPL|SSPL|OSL|EUPL)|\bUNLICENSED\b/i.test(part) && !/LGPL|exception/i.test(part)
  return licence.split(/\s+OR\s+/i).every(strong)
}

const FAMILY = { npm: NPM_LOCK, python: /(?:poetry|uv|pdm|Pipfile)\.lock$/, go: /go\.sum$/, rust: /Cargo\.lock$/ }

/** Manifests with dependencies and no lock in their folder or above it. */
function withoutLock(manifests, locks) {
  return manifests
    .filter(
      ({ file, ecosystem, direct }) => direct.length > 0 && !locks.some((lock) => covers(lock.file, file, ecosystem)),
    )
    .filter(
      ({ file, direct }) => !(file.endsWith('requirements.txt') && direct.every((one) => one.range.startsWith('=='))),
    )
    .map(({ file, direct }) => ({ file, line: direct[0].line, count: direct.length }))
}

const folderOf = (file) => file.slice(0, file.lastIndexOf('/') + 1)
const covers = (lock, file, ecosystem) => FAMILY[ecosystem].test(lock) && file.startsWith(folderOf(lock))

/** Entries of a package.json which the lock beside it does not hold, or holds for another range. */
function drift(npm, locks) {
  return npm.flatMap((manifest) => {
    const lock = locks.find((one) => NPM_LOCK.test(one.file) && folderOf(one.file) === folderOf(manifest.file))
    if (!lock || lock.broken || lock.packages.length === 0) return []
    const names = new Set(lock.packages.map((one) => one.key?.replace(/^node_modules\//, '') ?? one.name))
    return manifest.direct.flatMap((one) => {
      const why = driftOf(one, lock.root?.[one.section], names)
      return why
        ? [{ name: one.name, range: one.range, why, lock: lock.file, file: manifest.file, line: one.line }]
        : []
    })
  })
}

function driftOf(one, locked, names) {
  if (/^(?:workspace|file|link|portal):/.test(one.range) || /^(?:peer|optional)/.test(one.section)) return undefined
  const range = locked?.[one.name]
  if (range !== undefined && range !== one.range) return `the lock has it for ${range}`
  return names.has(one.name) ? undefined : 'the lock does not have it'
}

/** Code that does not come from a registry: no immutable version behind it. */
function outside(direct, packages) {
  const fromLock = packages.filter((one) =>
    /^(?:git\+|git:|http:|github:)|^https:\/\/(?:codeload\.)?github\.com/.test(one.resolved ?? ''),
  )
  const named = direct.filter((one) =>
    /^(?:git|https?:|github:|gitlab:|bitbucket:|[\w-]+\/[\w.-]+(?:#|$))/.test(one.range),
  )
  const all = [
    ...named.map((one) => ({ ...one, from: one.range })),
    ...fromLock.map((one) => ({ ...one, from: one.resolved })),
  ]
  const names = new Set()
  return all
    .filter(({ name }) => !names.has(name) && names.add(name))
    .map(({ name, from, dev, file, line }) => ({ name, from, dev: dev === true, file, line }))
}

const lacksIntegrity = (one) =>
  one.key !== undefined && !one.integrity && !one.bundled && /^https?:.*\.tgz/.test(one.resolved ?? '')
const isLoose = ({ range, section, name }) =>
  section !== 'peerDependencies' &&
  name !== '' &&
  (/^(?:\*|latest|x|>=?\s*\d[^<]*)$/.test(range) || (range === '' && section !== undefined))

function severalVersions(packages) {
  return groupBy(packages, (one) => `${one.file}\0${one.name}`)
    .map((group) => ({ group, versions: [...new Set(group.map((one) => one.version))].sort(byText) }))
    .filter(({ versions }) => versions.length > 1)
    .map(({ group, versions }) => describeVersions(group, versions))
    .sort((a, b) => b.versions.length - a.versions.length || byText(a.name, b.name) || byText(a.file, b.file))
}

function describeVersions(group, versions) {
  const majors = new Set(versions.map((version) => version.replace(/^v/, '').split('.')[0])).size
  const [{ name, file, line }] = group
  return { name, versions, majors, dev: group.every((one) => one.dev === true), file, line }
}

const lacksLicence = (input, { licence, private: hidden, file, name }) =>
  !licence && !hidden && name !== undefined && !hasLicenceFile(input, folderOf(file))

function count(names) {
  const counts = new Map()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .map(([name, packages]) => ({ name, packages }))
    .sort((a, b) => b.packages - a.packages || byText(a.name, b.name))
}

function outputs({ digest, totals: all, unlicensed, drift: drifted }) {
  const direct = all['direct runtime dependencies'] + all['direct development dependencies']
  return {
    digest,
    direct,
    locked: all['locked packages'],
    unlicensed: unlicensed.length,
    summary: `${direct} direct, ${all['locked packages']} locked packages\n${drifted.length} entries that differ from the lock`,
  }
}
