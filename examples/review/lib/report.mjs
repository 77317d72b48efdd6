// Reads a report back from its Markdown alone: sections, tables, citations, figures. Knows nothing of how it was made.
import { readPath } from './markdown.mjs'

/** { lead, sections: [{ title, line, lines }] }; `line` is where its heading stands. */
export function parseReport(text) {
  const lead = []
  const sections = []
  text.split('\n').forEach((row, index) => {
    if (row.startsWith('## ')) sections.push({ title: row.slice(3), line: index + 1, lines: [] })
    else (sections.at(-1)?.lines ?? lead).push(row)
  })
  return { lead, sections }
}

/** [{ line, rows: [[cell, …], …] }]: every run of lines that begin with a pipe. */
export function tablesOf(lines, first = 1) {
  const tables = []
  let open
  lines.forEach((row, index) => {
    if (!row.startsWith('|')) open = undefined
    else if (open) open.rows.push(cells(row))
    else tables.push((open = { line: first + index, rows: [cells(row)] }))
  })
  return tables
}

/** A row without a closing pipe has one cell too few; an escaped pipe is part of its cell. */
const cells = (row) =>
  row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim())

/** Places the text points to: [{ line, file, at }], `at` undefined where a finding names a whole file. */
export function citationsOf(text) {
  return text.split('\n').flatMap((row, index) => {
    const spans = [...row.matchAll(/`([^`]+)`/g)].map((found) => found[1])
    const cited = spans.map((span) => /^(.+):(\d+)$/.exec(span)).filter(Boolean)
    const places = cited.map(([, file, at]) => ({ line: index + 1, file: readPath(file), at: Number(at) }))
    const where = /^\| [A-Z]\d+ \|/.test(row) ? (cells(row)[2] ?? '') : ''
    const whole = [...where.matchAll(/`([^`]+)`/g)].map((found) => found[1]).filter((span) => !/:\d+$/.test(span))
    return [...places, ...whole.map((file) => ({ line: index + 1, file: readPath(file), at: undefined }))]
  })
}

/** Map from label to value of `**1,234** label` in a text; a label that stands twice with two values is NaN. */
export function figuresOf(text) {
  const found = new Map()
  for (const [, digits, label] of text.matchAll(/\*\*([\d,]+)\*\* ([a-z][a-z -]*[a-z])/g)) {
    const value = Number(digits.replaceAll(',', ''))
    found.set(label, found.has(label) && found.get(label) !== value ? Number.NaN : value)
  }
  return found
}
