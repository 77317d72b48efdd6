// Functions and their lengths, by a rough measure: braces or indentation in masked code, no grammar.
// Names that cannot be guessed are called "anonymous function".
import { lineCounter } from './lines.mjs'

/** [{ name, line, lines }] in order of appearance. `code` is masked (no strings, no comments). */
export function functionsIn(code, language) {
  if (language.functions === 'indent') return byIndent(code)
  if (language.functions === 'parens') return byParens(code)
  return language.functions ? byKeyword(code, language.functions) : []
}

/** Every `{` that follows `)`, a return type or `=>` opens a body, unless the word before the `(` says otherwise. */
function byParens(code) {
  const scan = { code, line: 1, open: [], parens: [], last: undefined, found: [] }
  const token = /[\n(){};]|=>/g
  for (let m = token.exec(code); m; m = token.exec(code)) step(scan, m[0], m.index)
  return scan.found.sort((a, b) => a.line - b.line || b.lines - a.lines)
}

function step(scan, mark, at) {
  if (mark === '\n') scan.line++
  else if (mark === '(') scan.parens.push({ at, line: scan.line })
  else if (mark === ')') scan.last = { ...scan.parens.pop(), end: at + 1, arrow: false }
  else if (mark === ';') scan.last = undefined
  else if (mark === '=>') scan.last = { ...arrowHead(scan, at), end: at + 2, arrow: true }
  else if (mark === '{') openBrace(scan, at)
  else closeBrace(scan)
}

/** The parameter list of an arrow, when it stands right before it; else the place of the arrow itself. */
function arrowHead({ code, last, line }, at) {
  const near = last && !last.arrow && at - last.end < 200 && /^\s*(?::[^;{}]*)?$/.test(code.slice(last.end, at))
  return near ? last : { at, line }
}

function openBrace(scan, at) {
  const head = scan.last && at - scan.last.end < 200 ? scan.last : undefined
  const between = head && scan.code.slice(head.end, at)
  const name = head && head.at !== undefined ? bodyName(scan.code, head, between) : undefined
  scan.open.push(name === undefined ? undefined : { name, line: head.line })
  scan.last = undefined
}

function closeBrace(scan) {
  const head = scan.open.pop()
  if (head) scan.found.push({ name: head.name, line: head.line, lines: scan.line - head.line + 1 })
  scan.last = undefined
}

const NOT_FUNCTIONS = /^(?:if|for|while|switch|catch|with|synchronized|using|lock|await|return|foreach|elif|match)$/
const BETWEEN = /^\s*(?:(?:const|noexcept|override|final)\s*)*(?:(?:throws\s|:|->)[^;={}]*)?$/

function bodyName(code, head, between) {
  const before = code.slice(Math.max(0, head.at - 160), head.at)
  if (head.arrow) return /^\s*$/.test(between) ? arrowName(before) : undefined
  if (!BETWEEN.test(between) || /:\s*$/.test(between)) return undefined
  const name = withoutGenerics(before)
  const word = lastWord(name)
  const lead = lastWord(name.slice(0, name.length - word.length).replace(/[\s*]+$/, ''))
  if (NOT_FUNCTIONS.test(word) || /^(?:extends|new|class)$/.test(lead)) return undefined
  return word === 'function' || word === '' ? arrowName(before.replace(/\b(?:async\s+)?function\s*\*?\s*$/, '')) : word
}

/** `name<A, B<C>>` → `name`. */
function withoutGenerics(before) {
  const text = before.trimEnd()
  if (!text.endsWith('>')) return text
  let depth = 0
  for (let i = text.length - 1; i >= 0; i--) {
    if (text[i] === '>') depth++
    else if (text[i] === '<' && --depth === 0) return text.slice(0, i).trimEnd()
  }
  return text
}

/** Looked for from the end: this runs for every brace of a tree. */
function lastWord(text) {
  let from = text.length
  while (from > 0 && /[\w$#~]/.test(text[from - 1])) from--
  return text.slice(from)
}

function arrowName(before) {
  const found = /([\w$]+)\s*(?::[^=:;{}]*)?[=:]\s*(?:async\s*)?(?:<[^<>()]{0,80}>)?\s*[\w$]*\s*$/.exec(before)
  return found?.[1] ?? 'anonymous function'
}

function byKeyword(code, keyword) {
  const header = new RegExp(`\\b${keyword}\\b\\s*(?:\\([^()\\n]*\\)\\s*)?([\\w$]+)`, 'g')
  const lineAt = lineCounter(code)
  const found = []
  for (let m = header.exec(code); m; m = header.exec(code)) {
    const end = bodyEnd(code, header.lastIndex)
    if (end < 0) continue
    const line = lineAt(m.index)
    found.push({ name: m[1], line, lines: newlines(code, m.index, end) + 1 })
  }
  return found
}

/** Longer functions than this are cut: it bounds the work on a tree made to be slow. */
const LONGEST_BODY = 200_000

function bodyEnd(code, from) {
  let round = 0
  let depth = 0
  const limit = Math.min(code.length, from + LONGEST_BODY)
  for (let i = from; i < limit; i++) {
    const char = code[i]
    if (char === '(') round++
    else if (char === ')') round--
    else if (round > 0) continue
    else if (char === '{') depth++
    else if (char === '}' && --depth <= 0) return depth === 0 ? i : -1
    else if (char === ';' && depth === 0) return -1
  }
  return -1
}

const newlines = (code, from, to) => code.slice(from, to).split('\n').length - 1

/** Python and Ruby: a body lasts as long as its lines are indented deeper than its header. */
function byIndent(code) {
  const open = []
  const found = []
  let depth = 0
  let last = 0
  const close = (indent) => {
    while (open.length > 0 && open[open.length - 1].indent >= indent) {
      const { name, line } = open.pop()
      found.push({ name, line, lines: last - line + 1 })
    }
  }
  code.split('\n').forEach((text, index) => {
    if (text.trim() === '') return
    const indent = text.search(/\S/)
    if (depth === 0) close(indent)
    const header = depth === 0 && /^\s*(?:async\s+)?def\s+(?:self\.)?([\w?!]+)/.exec(text)
    if (header) open.push({ name: header[1], line: index + 1, indent })
    depth = Math.max(0, depth + balance(text))
    last = index + 1
  })
  close(0)
  return found.sort((a, b) => a.line - b.line)
}

function balance(text) {
  let depth = 0
  for (const char of text) {
    if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth--
  }
  return depth
}
