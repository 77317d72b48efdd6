// Research 1 of 4: what the tree is made of. Writes .review/structure.json.
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { functionsIn } from './lib/functions.mjs'
import { firstOf, groupBy } from './lib/groups.mjs'
import { isDeclaration, isSupport, kindOf, languageOf } from './lib/languages.mjs'
import { mask } from './lib/mask.mjs'
import { byText, main, save } from './lib/step.mjs'
import { LIMITS, listTree, readTree } from './lib/tree.mjs'

const LONG_FUNCTION = 60
const BIG_SOURCE = 500
const HEAVY_BYTES = 1024 * 1024
const KEEP = 200

main(({ input, out, work }) => {
  const tree = listTree({ input, out })
  const seen = { functions: [], conflicts: [], unmeasured: new Map() }
  const digest = readTree(tree, (file, text) => look(seen, file, text))
  const report = describe(tree, seen, digest)
  save(join(work, 'structure.json'), report)
  return outputs(report)
})

function look(seen, file, text) {
  const conflict = conflictLine(text)
  if (conflict) seen.conflicts.push({ file: file.path, line: conflict })
  const language = languageOf(file.path)
  if (kindOf(file.path) !== 'source' || file.machine || isDeclaration(file.path)) return
  if (!language.functions) {
    seen.unmeasured.set(language.name, (seen.unmeasured.get(language.name) ?? 0) + 1)
    return
  }
  const { code } = mask(text, language)
  for (const one of functionsIn(code, language)) seen.functions.push({ file: file.path, ...one })
}

/** A merge that was committed half done: its three marks, each at the start of a line, in their order. */
function conflictLine(text) {
  const start = /^<{7} /m.exec(text)
  if (!start) return undefined
  const rest = text.slice(start.index)
  if (!/^={7}$/m.test(rest) || !/^>{7} /m.test(rest)) return undefined
  return text.slice(0, start.index).split('\n').length
}

function describe(tree, seen, digest) {
  const { files } = tree
  const code = files.filter((file) => isCode(file))
  const cuts = []
  const functions = seen.functions.sort((a, b) => b.lines - a.lines || byText(a.file, b.file) || a.line - b.line)
  return {
    digest,
    totals: totals(tree, files, functions),
    kinds: countBy(files, (file) => kindOf(file.path)),
    languages: countBy(code, (file) => languageOf(file.path).name),
    folders: countBy(code, (file) => topFolder(file.path)),
    biggest: top(code, (file) => file.lines, 12).map(({ path, lines, size }) => ({ file: path, lines, bytes: size })),
    longest: functions.slice(0, 12),
    long: firstOf(
      functions.filter((one) => one.lines >= LONG_FUNCTION),
      KEEP,
      'long functions',
      cuts,
    ),
    big: firstOf(bigSources(code), KEEP, 'big source files', cuts),
    heavy: firstOf(heavyFiles(files), KEEP, 'heavy files', cuts),
    conflicts: firstOf(seen.conflicts, KEEP, 'unfinished merges', cuts),
    collisions: firstOf(collisions(files), KEEP, 'colliding names', cuts),
    copies: firstOf(copies(code), KEEP, 'copied files', cuts),
    left: leftOut(tree, seen),
    cuts,
  }
}

const bigSources = (code) =>
  top(code.filter(isOwnSource), (file) => file.lines, code.length)
    .filter((file) => file.lines >= BIG_SOURCE)
    .map((file) => ({ file: file.path, lines: file.lines }))

const heavyFiles = (files) =>
  top(files, (file) => file.size, files.length)
    .filter((file) => file.size >= HEAVY_BYTES && kindOf(file.path) !== 'lock')
    .map((file) => ({ file: file.path, bytes: file.size }))

const isCode = (file) => ['source', 'test'].includes(kindOf(file.path)) && file.state === 'text' && !file.machine
const isOwnSource = (file) => kindOf(file.path) === 'source' && !isDeclaration(file.path)
const topFolder = (path) => (path.includes('/') ? `${path.split('/')[0]}/` : '(top folder)')

function totals(tree, files, functions) {
  const sum = (pick) => files.reduce((total, file) => total + pick(file), 0)
  return {
    files: files.length,
    bytes: sum((file) => file.size),
    lines: sum((file) => file.lines),
    'source files': files.filter((file) => isCode(file) && isOwnSource(file)).length,
    'source lines': sum((file) => (isCode(file) && isOwnSource(file) ? file.lines : 0)),
    functions: functions.length,
    'support files': files.filter((file) => isOwnSource(file) && isSupport(file.path)).length,
  }
}

function countBy(files, key) {
  const groups = new Map()
  for (const file of files) {
    const group = groups.get(key(file)) ?? { name: key(file), files: 0, lines: 0, bytes: 0 }
    group.files++
    group.lines += file.lines
    group.bytes += file.size
    groups.set(group.name, group)
  }
  return [...groups.values()].sort((a, b) => b.lines - a.lines || b.bytes - a.bytes || byText(a.name, b.name))
}

const top = (files, measure, count) =>
  [...files].sort((a, b) => measure(b) - measure(a) || byText(a.path, b.path)).slice(0, count)

/** Names that differ only in case or Unicode form: one of them is lost on macOS and Windows. */
function collisions(files) {
  const groups = repeated(files, (file) => file.path.normalize('NFC').toLowerCase())
  return groups.map((group) => group.map((file) => file.path))
}

/** Source files of 20 lines and more with the very same bytes. */
function copies(files) {
  const groups = repeated(
    files.filter((file) => file.lines >= 20),
    (file) => file.hash ?? hash('sha1', file.path),
  )
  return groups
    .map((group) => ({ lines: group[0].lines, files: group.map((file) => file.path) }))
    .sort((a, b) => b.lines * b.files.length - a.lines * a.files.length || byText(a.files[0], b.files[0]))
}

const repeated = (files, key) => groupBy(files, key).filter((group) => group.length > 1)

function leftOut(tree, seen) {
  const count = (state) => tree.files.filter((file) => file.state === state).length
  const unreadable = tree.files.filter((file) => file.state === 'unreadable').map((file) => file.path)
  return {
    limits: LIMITS,
    skipped: tree.skipped.slice(0, KEEP),
    skippedCount: tree.skipped.length,
    ignored: tree.ignored,
    links: tree.links,
    special: tree.special,
    unreadable: [...tree.unreadable, ...unreadable].sort(byText).slice(0, KEEP),
    unreadableCount: tree.unreadable.length + unreadable.length,
    binary: count('binary'),
    big: count('big'),
    budget: count('budget'),
    machine: tree.files.filter((file) => file.machine).length,
    cut: tree.cut,
    unmeasured: [...seen.unmeasured].map(([name, files]) => ({ name, files })).sort((a, b) => byText(a.name, b.name)),
  }
}

function outputs({ digest, totals: all, long, languages }) {
  const first = languages[0]?.name ?? 'no source'
  return {
    digest,
    files: all.files,
    lines: all.lines,
    long_functions: long.length,
    summary: `${all.files} files, ${all.lines} lines, mostly ${first}\n${long.length} functions of ${LONG_FUNCTION} lines or more`,
  }
}
