// Separates code from strings and comments, keeping every character's place, so that a word in a string is never
// taken for a keyword and a mark in a string never for a comment. One pass, linear, for all languages.

import { lineCounter } from './lines.mjs'

/**
 * { code, bare, comments }: `code` has strings and comments blanked, `bare` only comments; `comments` is a list of
 * { line, text, alone }: one per comment, `alone` when nothing else stands on its first line.
 */
export function mask(text, language) {
  const state = {
    text,
    language,
    code: [],
    bare: [],
    comments: [],
    at: 0,
    tail: '',
    depths: [],
    lineAt: lineCounter(text),
  }
  const token = tokens(language)
  for (;;) {
    token.lastIndex = state.at
    const found = token.exec(text)
    if (!found) break
    plain(state, found.index)
    consume(state, found[0])
  }
  plain(state, text.length)
  return { code: state.code.join(''), bare: state.bare.join(''), comments: state.comments }
}

const compiled = new Map()

function tokens(language) {
  const known = compiled.get(language.name)
  if (known) return known
  const marks = [...language.block.map(([open]) => open), ...language.line, ...language.strings.map((s) => s.open)]
  if (language.template) marks.push('`', '{', '}')
  if (language.regex) marks.push('/')
  const pattern = marks.map((mark) => mark.replace(/[^\w\s]/g, '\\$&')).join('|') || '(?!)'
  const made = new RegExp(pattern, 'g')
  compiled.set(language.name, made)
  return made
}

function plain(state, end) {
  if (end <= state.at) return
  const chunk = state.text.slice(state.at, end)
  state.code.push(chunk)
  state.bare.push(chunk)
  const tail = chunk.trimEnd()
  if (tail) state.tail = tail.slice(-24)
  state.at = end
}

function consume(state, mark) {
  const { language, text, at } = state
  const block = language.block.find(([open]) => open === mark)
  if (block) return comment(state, closing(text, block[1], at + mark.length))
  if (language.line.includes(mark)) return lineComment(state, mark)
  if (language.template && '`{}'.includes(mark)) return templateMark(state, mark)
  if (mark === '/') return regexMark(state)
  const string = language.strings.find((one) => one.open === mark)
  return blank(state, stringEnd(text, at + mark.length, string))
}

const closing = (text, mark, from) => {
  const end = text.indexOf(mark, from)
  return end < 0 ? text.length : end + mark.length
}

function lineComment(state, mark) {
  const before = state.text[state.at - 1] ?? '\n'
  if (mark === '#' && !/\s/.test(before)) return plain(state, state.at + 1)
  const end = state.text.indexOf('\n', state.at)
  return comment(state, end < 0 ? state.text.length : end)
}

function comment(state, end) {
  const { text, at } = state
  const before = text.slice(Math.max(0, at - 200), at)
  const lead = before.slice(before.lastIndexOf('\n') + 1)
  state.comments.push({ line: state.lineAt(at), text: text.slice(at, end), alone: lead.trim() === '' })
  const gap = hide(text.slice(at, end))
  state.code.push(gap)
  state.bare.push(gap)
  state.at = end
}

/** A string: gone from `code`, kept in `bare`. */
function blank(state, end) {
  const chunk = state.text.slice(state.at, end)
  state.code.push(hide(chunk))
  state.bare.push(chunk)
  state.tail = '"'
  state.at = end
}

const hide = (chunk) => chunk.replace(/[^\n]/g, ' ')

function stringEnd(text, from, { close, multi, escape }) {
  for (let i = from; i < text.length; i++) {
    if (escape && text[i] === '\\') i++
    else if (text[i] === '\n' && !multi) return i
    else if (text.startsWith(close, i)) return i + close.length
  }
  return text.length
}

function templateMark(state, mark) {
  const { depths } = state
  if (mark === '`') return templateChunk(state)
  if (mark === '{' && depths.length > 0) depths[depths.length - 1]++
  if (mark === '}' && depths.length > 0 && depths[depths.length - 1]-- === 0) {
    depths.pop()
    return templateChunk(state)
  }
  return plain(state, state.at + 1)
}

function templateChunk(state) {
  const { text } = state
  for (let i = state.at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '`') return blank(state, i + 1)
    else if (text[i] === '$' && text[i + 1] === '{') {
      state.depths.push(0)
      return blank(state, i + 2)
    }
  }
  return blank(state, text.length)
}

const BEFORE_REGEX = /(?:^|[(,=:[!&|?{;+\-*%>~^]|\b(?:return|typeof|case|in|of|delete|void|throw|else|do|await|yield))$/

function regexMark(state) {
  const { text, at } = state
  const end = BEFORE_REGEX.test(state.tail) ? regexEnd(text, at + 1) : -1
  return end < 0 ? plain(state, at + 1) : blank(state, end)
}

/** Nobody writes a longer one; without a limit a hostile line would be scanned again from every slash. */
const LONGEST_REGEX = 1000

function regexEnd(text, from) {
  let inSet = false
  const limit = Math.min(text.length, from + LONGEST_REGEX)
  for (let i = from; i < limit && text[i] !== '\n'; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '[') inSet = true
    else if (text[i] === ']') inSet = false
    else if (text[i] === '/' && !inSet) return i + 1
  }
  return -1
}
