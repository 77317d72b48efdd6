// Research 3 of 4: what was left for later, and what nobody uses. Writes .review/todo.json.
import { join } from 'node:path'
import { addFile, link, newGraph, unimported, unusedExports } from './lib/graph.mjs'
import { firstOf } from './lib/groups.mjs'
import { isSupport, kindOf, languageOf } from './lib/languages.mjs'
import { byText, main, save } from './lib/step.mjs'
import { listTree, readTree } from './lib/tree.mjs'

const KEEP = 1000
const SHORTEST_BLOCK = 4

main(({ input, out, work }) => {
  const tree = listTree({ input, out })
  const seen = { graph: newGraph(tree), markers: [], blocks: [], usage: new Map(), lines: new Map() }
  const digest = readTree(tree, (file, text) => look(seen, file, text))
  const report = describe(seen, digest)
  save(join(work, 'todo.json'), report)
  return outputs(report)
})

function look(seen, file, text) {
  const masked = addFile(seen.graph, file, text)
  if (!masked || kindOf(file.path) === 'fixture') return
  seen.lines.set(file.path, file.lines)
  for (const comment of masked.comments) seen.markers.push(...markersIn(file.path, comment))
  if (kindOf(file.path) !== 'source' && kindOf(file.path) !== 'test') return
  seen.blocks.push(...commentedCode(file.path, masked.comments))
  const module = seen.graph.modules.get(file.path)
  if (module) seen.usage.set(file.path, namesUsedTwice(module, masked.code))
}

const AT_START =
  /^[\s*#/!;@<-]{0,20}\b(TODO|FIXME|XXX|HACK|BUG)\b(?![/,|-])\s*(?:\(([^)\n]{0,80})\)|\[[^\]\n]{0,80}\])?\s*:?\s*([^\n]{0,300})/
const WITH_COLON = /\b(TODO|FIXME|XXX|HACK|BUG)(?:\(([^)\n]{0,80})\))?:\s*([^\n]{0,300})/

/** A marker stands at the start of a comment's line or has a colon: prose that only names one does not count. */
function markersIn(file, { line, text }) {
  if (!/TODO|FIXME|XXX|HACK|BUG/.test(text)) return []
  return text.split('\n').flatMap((row, index) => {
    const found = AT_START.exec(row) ?? WITH_COLON.exec(row.slice(0, 2000))
    if (!found) return []
    const note = found[3].replace(/\s*(?:\*\/|-->)\s*$/, '').trim()
    return [{ file, line: line + index, word: found[1], note, owner: found[2]?.trim() || undefined }]
  })
}

/** Runs of comment lines that read like code; a documentation comment (`/**`) never counts. */
function commentedCode(file, comments) {
  return runs(comments).flatMap(({ line, rows }) => {
    const solid = rows.filter((row) => row !== '')
    const codelike = solid.filter(readsLikeCode).length
    if (solid.length < SHORTEST_BLOCK || codelike * 10 < solid.length * 7) return []
    return [{ file, line, lines: rows.length }]
  })
}

function runs(comments) {
  const found = []
  let open
  for (const { line, text, alone } of comments) {
    if (!alone || /^\/\*\*|^<!--|^#!/.test(text)) continue
    if (text.startsWith('/*')) found.push({ line, rows: text.slice(2, -2).split('\n').map(strip) })
    else if (open && line === open.line + open.rows.length) open.rows.push(strip(text))
    else found.push((open = { line, rows: [strip(text)] }))
  }
  return found
}

const strip = (row) =>
  row
    .replace(/^\s*(?:\/\/+|#+|--|\*)?/, '')
    .trim()
    .slice(0, 300)

const CODE_LIKE = [
  /[;{}]$|^[\])}]+[,;)]*$|=>$/,
  /^(?:const|let|var|return|import|export|from|def|class|await|throw|public|private|static|func|fn|use|package)\s+[^.]*[({=;:'"]/,
  /^(?:if|for|while|switch|else if|elif|try|catch|else|with)\b.*[:{(].*[:{)]$/,
  /^[\w$.[\]'"]+\s*(?:[-+*/|&]?=|\+\+|--)\s*[^=\s]?[^ ]*(?:\s\S+){0,4}$/,
  /^[\w$]+(?:\.[\w$]+)*\([^)]*\)[,;]?$/,
]
const readsLikeCode = (row) => CODE_LIKE.some((pattern) => pattern.test(row))

function namesUsedTwice(module, code) {
  const wanted = new Set(module.exports.map((one) => one.local))
  const counts = new Map()
  if (wanted.size === 0) return counts
  for (const word of code.match(/[A-Za-z_$][\w$]*/g) ?? []) {
    if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

function describe(seen, digest) {
  const graph = link(seen.graph)
  const exports = unusedExports(graph, (path, name) => (seen.usage.get(path)?.get(name) ?? 0) > 1)
  const orphans = unimported(graph).map((file) => ({ file, line: 1, lines: seen.lines.get(file) ?? 0 }))
  const scripts = [...graph.modules].filter(([path, { kind }]) => kind === 'source' && !isSupport(path)).length
  const computed = [...graph.modules.values()].reduce((sum, one) => sum + (one.kind === 'source' ? one.computed : 0), 0)
  const cuts = []
  const order = (a, b) => byText(a.file, b.file) || a.line - b.line
  return {
    digest,
    totals: {
      markers: seen.markers.length,
      'files nobody imports': orphans.length,
      'exports nobody imports': exports.length,
      'blocks of commented-out code': seen.blocks.length,
    },
    words: wordCounts(seen.markers),
    markers: firstOf(seen.markers.sort(order), KEEP, 'markers', cuts),
    orphans: firstOf(
      orphans.sort((a, b) => b.lines - a.lines || order(a, b)),
      KEEP,
      'files nobody imports',
      cuts,
    ),
    exports: firstOf(exports.sort(order), KEEP, 'exports nobody imports', cuts),
    blocks: firstOf(seen.blocks.sort(order), KEEP, 'blocks of commented-out code', cuts),
    followed: scripts,
    computed,
    notFollowed: languagesNotFollowed(seen.lines),
    cuts,
  }
}

function wordCounts(markers) {
  const counts = { FIXME: 0, BUG: 0, XXX: 0, HACK: 0, TODO: 0 }
  for (const { word } of markers) counts[word]++
  return Object.entries(counts).map(([word, count]) => ({ word, count }))
}

function languagesNotFollowed(lines) {
  const names = new Set()
  for (const path of lines.keys()) {
    const language = languageOf(path)
    if (kindOf(path) === 'source' && !language.modules) names.add(language.name)
  }
  return [...names].sort(byText)
}

function outputs({ digest, totals }) {
  return {
    digest,
    markers: totals.markers,
    unused_exports: totals['exports nobody imports'],
    orphans: totals['files nobody imports'],
    summary: Object.entries(totals)
      .map(([label, value]) => `${value} ${label}`)
      .join('\n'),
  }
}
