// The tree under review, as every worker sees it.
// T1 Links are counted, never followed; only regular files are opened, and never in a way that can block.
// T2 The order is by path, and the limits below cut in that order, so two workers see the same tree.
// T3 Whatever is left out is counted with its reason: the report ends with what was not looked at.
import { createHash, hash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { isIgnored, parseIgnore } from './ignore.mjs'
import { byText } from './step.mjs'

export const LIMITS = { files: 50_000, fileBytes: 1024 * 1024, totalBytes: 256 * 1024 * 1024 }

const SKIPPED = new Set(
  `.git .hg .svn node_modules bower_components jspm_packages dist build out target coverage vendor
  .next .nuxt .output .svelte-kit .turbo .cache .parcel-cache .venv venv __pycache__ .tox .nox .mypy_cache .pytest_cache
  .ruff_cache .gradle .idea .vscode-test .terraform Pods DerivedData`.split(/\s+/),
)

/** What a run itself writes: not even counted, or a second review of the same tree would differ. */
const OWN = new Set(['.steadfold', '.review'])

/** Lists the tree without opening a file: { files: [{ path, size }], links, skipped, ignored, unreadable, cut }. */
export function listTree({ input, out }) {
  const tree = { root: input, files: [], links: 0, special: 0, skipped: [], ignored: 0, unreadable: [], cut: false }
  const own = join(out, 'REVIEW.md')
  const pending = [{ folder: '', rules: [] }]
  while (pending.length > 0 && !tree.cut) listFolder(tree, pending, own)
  tree.files.sort((a, b) => byText(a.path, b.path))
  tree.skipped.sort(byText)
  tree.unreadable.sort(byText)
  return tree
}

function listFolder(tree, pending, own) {
  const { folder, rules: inherited } = pending.pop()
  const entries = entriesOf(tree, folder)
  const rules = [...inherited, ...ignoreRules(tree.root, folder, entries)]
  const below = []
  for (const entry of entries) {
    const path = folder + entry.name
    if (entry.isSymbolicLink()) tree.links++
    else if (OWN.has(entry.name)) continue
    else if (entry.isDirectory()) {
      if (SKIPPED.has(entry.name)) tree.skipped.push(`${path}/`)
      else if (isIgnored(rules, path, true)) tree.ignored++
      else below.push({ folder: `${path}/`, rules })
    } else if (!entry.isFile()) tree.special++
    else if (isIgnored(rules, path, false)) tree.ignored++
    else if (join(tree.root, path) !== own) addFile(tree, path)
  }
  pending.push(...below.reverse())
}

function entriesOf(tree, folder) {
  try {
    return readdirSync(join(tree.root, folder), { withFileTypes: true }).sort((a, b) => byText(a.name, b.name))
  } catch {
    tree.unreadable.push(folder || '.')
    return []
  }
}

function ignoreRules(root, folder, entries) {
  if (!entries.some((entry) => entry.name === '.gitignore' && entry.isFile())) return []
  const found = readContent(join(root, folder, '.gitignore'), 64 * 1024)
  return found.bytes ? parseIgnore(found.bytes.toString('utf8'), folder) : []
}

function addFile(tree, path) {
  if (tree.files.length >= LIMITS.files) {
    tree.cut = true
    return
  }
  const found = lstatSync(join(tree.root, path), { throwIfNoEntry: false })
  if (found?.isFile()) tree.files.push({ path, size: found.size })
  else tree.unreadable.push(path)
}

/**
 * Reads every text file in order and hands it to `visit(file, text)`. Each file gets `state` (text, binary, big,
 * budget or unreadable), `lines` and `machine` (generated or minified). Answers the digest of all that was seen.
 */
export function readTree(tree, visit) {
  const digest = createHash('sha256')
  let budget = LIMITS.totalBytes
  for (const file of tree.files) {
    const found = file.size > budget ? { state: 'budget' } : readContent(join(tree.root, file.path), LIMITS.fileBytes)
    const text = describe(file, found)
    if (found.bytes) budget -= found.bytes.length
    digest.update(`${file.path}\0${file.state}\0${file.size}\0${file.hash ?? ''}\n`)
    if (text !== undefined) visit(file, text)
  }
  return digest.digest('hex').slice(0, 16)
}

function describe(file, found) {
  file.lines = 0
  file.machine = false
  file.state = found.state ?? (found.bytes.subarray(0, 8192).includes(0) ? 'binary' : 'text')
  if (found.bytes) {
    file.size = found.bytes.length
    file.hash = hash('sha1', found.bytes)
  }
  if (file.state !== 'text') return undefined
  const text = found.bytes.toString('utf8').replace(/^\uFEFF/, '')
  file.lines = countLines(text)
  file.machine = isMachineMade(file, text)
  return text
}

/** { bytes } or { state: 'big' | 'unreadable' }; a pipe, a link or a folder put in the file's place is unreadable. */
export function readContent(path, limit) {
  let handle
  try {
    handle = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const { size } = checkRegular(fstatSync(handle))
    if (size > limit) return { state: 'big' }
    const bytes = Buffer.alloc(size)
    let length = 0
    while (length < size) {
      const got = readSync(handle, bytes, length, size - length, null)
      if (got === 0) break
      length += got
    }
    return { bytes: bytes.subarray(0, length) }
  } catch {
    return { state: 'unreadable' }
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

function checkRegular(found) {
  if (!found.isFile()) throw new Error('not a regular file')
  return found
}

export function countLines(text) {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return text === '' || text.endsWith('\n') ? lines : lines + 1
}

const MADE_BY_MACHINE = /^(?:\/\/|#|\/\*|\s\*|<!--|--).*(?:@generated\b|\bcode generated\b.*\bdo not edit\b)/im

function isMachineMade(file, text) {
  if (/\.min\.(?:js|css|mjs)$|\.map$/.test(file.path)) return true
  if (file.size > 4096 && file.size / Math.max(1, file.lines) > 400) return true
  return MADE_BY_MACHINE.test(text.slice(0, 2000))
}
