// Research 4 of 4: which source files have tests, and how one can tell. Writes .review/tests.json.
// How a file counts, the first that fits:
//   inside    the file holds its own tests (Rust)
//   beside    a test file of the same name lies beside it, or anywhere when the name is unique (Go: the same folder)
//   imported  a test file imports it
//   reached   something a test imports leads to it
//   named     a test file names it in a string, with its ending
//   none      none of these: called untested here
import { join } from 'node:path'
import { addFile, baseOf, link, newGraph, reach, stemOf } from './lib/graph.mjs'
import { firstOf, put } from './lib/groups.mjs'
import { isDeclaration, isSupport, isTestFile, kindOf } from './lib/languages.mjs'
import { lineCounter } from './lib/lines.mjs'
import { byText, main, save } from './lib/step.mjs'
import { listTree, readTree } from './lib/tree.mjs'

const KEEP = 400
const HOW = ['inside', 'beside', 'imported', 'reached', 'named', 'none']

main(({ input, out, work }) => {
  const tree = listTree({ input, out })
  const seen = {
    graph: newGraph(tree),
    sources: [],
    tests: [],
    named: new Set(),
    inside: new Set(),
    held: [],
    cases: 0,
  }
  const digest = readTree(tree, (file, text) => look(seen, file, text))
  const report = describe(seen, digest)
  save(join(work, 'tests.json'), report)
  return outputs(report)
})

function look(seen, file, text) {
  const masked = addFile(seen.graph, file, text)
  const kind = kindOf(file.path)
  if (!masked || (kind !== 'source' && kind !== 'test') || isDeclaration(file.path)) return
  if (kind === 'source') {
    if (!isSupport(file.path) && file.lines > 0 && hasCode(masked.code))
      seen.sources.push({ file: file.path, lines: file.lines })
    if (/^[ \t]*#\[cfg\(test\)\]/m.test(masked.code)) seen.inside.add(file.path)
    return
  }
  seen.tests.push({ file: file.path, lines: file.lines, runs: isTestFile(file.path) })
  for (const [, name] of masked.bare.matchAll(/["'`](?:[^"'`\n]*\/)?([\w@$.-]+)["'`]/g)) seen.named.add(name)
  inspect(seen, file.path, masked)
}

const HANDS_ON = /^[ \t]*export\s*(?:type\s*)?(?:\{[^}]{0,4000}\}|\*)[^\n;]*|^[ \t]*import\b[^\n]*/gm
const TYPES = /^[ \t]*(?:export[ \t]+)?(?:type|interface|from)\b[^\n]*/gm

/** A file that only hands on names, a file of types only, or an empty one needs no test. */
const hasCode = (code) => /[({=]/.test(code.replace(HANDS_ON, '').replace(TYPES, ''))

const CASE =
  /^[ \t]*(?:(?:it|test|specify|scenario)(?:\.\w+)*\s*[(`]|(?:async\s+)?def\s+test_\w*|func\s+Test\w+|#\[(?:\w+::)?test\]|@Test\b)/gm
const FOCUSED = /^[ \t]*(?:it|test|describe|suite|context)(?:\.\w+)*\.only\s*[(.`]|^[ \t]*(?:fit|fdescribe)\s*\(/gm
const SKIPPED =
  /^[ \t]*(?:it|test|describe|suite|context)(?:\.\w+)*\.(?:skip|todo|fixme)\s*[(.`]|^[ \t]*x(?:it|describe|test)\s*\(|^[ \t]*@(?:pytest\.mark\.skip|unittest\.skip|Disabled|Ignore)\b|^[ \t]*t\.Skip(?:Now)?\(|^[ \t]*#\[ignore/gm

/** Counts cases, and finds the ones that are switched off or switch the others off. */
function inspect(seen, file, { code }) {
  seen.cases += (code.match(CASE) ?? []).length
  for (const [kind, pattern] of [
    ['only', FOCUSED],
    ['skip', SKIPPED],
  ]) {
    const lineAt = lineCounter(code)
    for (const found of code.matchAll(pattern)) seen.held.push({ kind, file, line: lineAt(found.index) })
  }
}

function describe(seen, digest) {
  const graph = link(seen.graph)
  const paths = seen.tests.map((test) => test.file)
  const direct = new Set(paths.flatMap((path) => (graph.links.get(path) ?? []).map((one) => one.to)))
  const cuts = []
  const reached = reach(graph, paths)
  const evidence = { ...seen, direct, reached, beside: besideIndex(paths), count: stemCounts(seen.sources) }
  const map = seen.sources.map((source) => ({ ...source, how: howTested(evidence, source.file) }))
  const untested = map.filter((one) => one.how === 'none').sort((a, b) => b.lines - a.lines || byText(a.file, b.file))
  return {
    digest,
    totals: totals(seen, map, untested),
    how: HOW.map((how) => ({ how, ...sum(map.filter((one) => one.how === how)) })),
    folders: folders(map),
    untested: firstOf(untested, KEEP, 'untested files', cuts).map(({ file, lines }) => ({ file, line: 1, lines })),
    focused: firstOf(
      seen.held.filter((one) => one.kind === 'only'),
      KEEP,
      'focused tests',
      cuts,
    ),
    skipped: firstOf(
      seen.held.filter((one) => one.kind === 'skip'),
      KEEP,
      'skipped tests',
      cuts,
    ),
    cuts,
  }
}

const sum = (list) => ({ files: list.length, lines: list.reduce((total, one) => total + one.lines, 0) })

function totals(seen, map, untested) {
  return {
    'test files': seen.tests.filter((test) => test.runs).length,
    'test cases': seen.cases,
    'test lines': sum(seen.tests).lines,
    'source files that tests should know': map.length,
    'untested files': untested.length,
    'untested lines': sum(untested).lines,
    'focused tests': seen.held.filter((one) => one.kind === 'only').length,
    'skipped tests': seen.held.filter((one) => one.kind === 'skip').length,
  }
}

const TEST_WORDS = /(?:[._-](?:test|spec|e2e)(?:-d)?|Tests?|Spec|IT)$|^test_/g

function besideIndex(paths) {
  const names = new Map()
  for (const path of paths) {
    const subject = stemOf(path).replace(TEST_WORDS, '')
    put(names, subject, folderOf(path))
  }
  return { names, goFolders: new Set(paths.filter((path) => path.endsWith('_test.go')).map(folderOf)) }
}

const folderOf = (path) => path.slice(0, path.lastIndexOf('/') + 1)

function stemCounts(sources) {
  const counts = new Map()
  for (const { file } of sources) counts.set(stemOf(file), (counts.get(stemOf(file)) ?? 0) + 1)
  return counts
}

function howTested({ inside, beside, direct, reached, named, count }, file) {
  if (inside.has(file)) return 'inside'
  if (isBeside(beside, count, file)) return 'beside'
  if (direct.has(file)) return 'imported'
  if (reached.has(file)) return 'reached'
  return named.has(baseOf(file)) ? 'named' : 'none'
}

function isBeside({ names, goFolders }, count, file) {
  if (file.endsWith('.go')) return goFolders.has(folderOf(file))
  const folders = names.get(stemOf(file)) ?? []
  if (folders.some((folder) => folder === folderOf(file) || folder === `${folderOf(file)}__tests__/`)) return true
  return folders.length > 0 && count.get(stemOf(file)) === 1
}

function folders(map) {
  const groups = new Map()
  for (const one of map) {
    const above = one.file.split('/').slice(0, -1).slice(0, 2)
    const name = above.length > 0 ? `${above.join('/')}/` : '(top folder)'
    const group = groups.get(name) ?? { name, files: 0, tested: 0, lines: 0, untestedLines: 0 }
    group.files++
    group.lines += one.lines
    if (one.how === 'none') group.untestedLines += one.lines
    else group.tested++
    groups.set(name, group)
  }
  const order = (a, b) => b.untestedLines - a.untestedLines || b.lines - a.lines || byText(a.name, b.name)
  return [...groups.values()].sort(order).slice(0, 40)
}

function outputs({ digest, totals: all }) {
  const known = all['source files that tests should know']
  return {
    digest,
    test_files: all['test files'],
    untested: all['untested files'],
    summary: `${all['test files']} test files, ${all['test cases']} cases\n${known - all['untested files']} of ${known} source files known to tests`,
  }
}
