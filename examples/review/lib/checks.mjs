// The three checks of a report. Each answers { checked, faults }: how much was looked at, and a line for every fault.
// C1 form: the sections of the plan, each once, in order; every table well formed.
// C2 citations: every file that is cited is a regular file of the tree, every line lies within it.
// C3 numbers: what is listed adds up to what is counted, and the summary says what its sections say.
import { lstatSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { citationsOf, figuresOf, parseReport, tablesOf } from './report.mjs'
import { POINTS, SECTION_LIMIT, SEVERITIES } from './rules.mjs'
import { countLines, readContent } from './tree.mjs'

export function checkForm(text, plan) {
  const wanted = plan.sections.filter((one) => one.included).map((one) => one.title)
  const found = parseReport(text).sections.map((one) => one.title)
  const faults = wanted.filter((title) => !found.includes(title)).map((title) => `section “${title}” is missing`)
  for (const title of new Set(found)) {
    if (!wanted.includes(title)) faults.push(`section “${title}” is not in the plan`)
    if (found.filter((one) => one === title).length > 1) faults.push(`section “${title}” stands twice`)
  }
  if (faults.length === 0 && found.join('\n') !== wanted.join('\n'))
    faults.push('the sections are not in the order of the plan')
  if (!text.startsWith('# Review of ')) faults.push('line 1: the title is missing')
  const tables = tablesOf(text.split('\n'))
  faults.push(...tables.flatMap(tableFaults), ...leftovers(text))
  return { checked: wanted.length + tables.length, faults }
}

function tableFaults({ line, rows }) {
  const [head, rule] = rows
  if (!rule?.every((cell) => /^:?-{3,}:?$/.test(cell))) return [`line ${line}: the table has no rule below its head`]
  return rows.flatMap((row, index) =>
    row.length === head.length ? [] : [`line ${line + index}: ${row.length} cells where the head has ${head.length}`],
  )
}

/** Signs of a value that was never there. */
function leftovers(text) {
  return text.split('\n').flatMap((row, index) => {
    const found = /\b(?:undefined|NaN)\b|\[object \w+\]/.exec(row.replace(/`[^`]*`|“[^”]*”/g, ''))
    return found && !row.startsWith('# ') ? [`line ${index + 1}: “${found[0]}”`] : []
  })
}

export function checkCitations(text, input) {
  const citations = citationsOf(text)
  const lengths = new Map()
  const faults = citations.flatMap(({ line, file, at }) => {
    if (!lengths.has(file)) lengths.set(file, lengthOf(input, file))
    const length = lengths.get(file)
    const name = JSON.stringify(file)
    if (length === undefined) return [`line ${line}: ${name} is no file of the tree`]
    if (at === undefined || (at >= 1 && at <= length)) return []
    return [`line ${line}: ${name} has ${length} lines, not ${at}`]
  })
  return { checked: citations.length, faults }
}

const LARGEST = 64 * 1024 * 1024

/** Lines of a file, at least 1; undefined for what is not a regular file inside the tree. */
function lengthOf(input, file) {
  const path = join(input, file)
  if (!path.startsWith(input.endsWith(sep) ? input : input + sep) || file.includes('\0')) return undefined
  try {
    if (!lstatSync(path).isFile() || realpathSync(path) !== path) return undefined
  } catch {
    return undefined
  }
  const { bytes } = readContent(path, LARGEST)
  return bytes ? Math.max(1, countLines(bytes.toString('latin1'))) : 1
}

export function checkNumbers(text, plan) {
  const { lead, sections } = parseReport(text)
  const counted = plan.sections.filter((one) => one.included && one.letter)
  const summary = sections.find((one) => one.title === 'Summary')
  const faults = []
  const totals = counted.map((section) => {
    const part = sections.find((one) => one.title === section.title)
    return part ? sectionNumbers(section, part, summary, faults) : emptyCounts()
  })
  leadFaults(lead, totals, plan, faults)
  const all = summaryRow(summary, 'All')
  SEVERITIES.forEach((severity, index) => {
    const sum = totals.reduce((count, one) => count + one[severity], 0)
    if (toNumber(all?.[index + 1]) !== sum)
      faults.push(`Summary: ${all?.[index + 1]} ${severity} in all, the sections have ${sum}`)
  })
  return { checked: counted.length * 6 + figuresOf((summary?.lines ?? []).join('\n')).size + 7, faults }
}

const emptyCounts = () => Object.fromEntries(SEVERITIES.map((severity) => [severity, 0]))
const toNumber = (cell) => (cell === undefined ? Number.NaN : Number(cell.replaceAll(',', '')))

function summaryRow(summary, title) {
  return tablesOf(summary?.lines ?? [])
    .flatMap((one) => one.rows)
    .find((row) => row[0] === title)
}

/** Says each fault of one section; answers the counts the section gives. */
function sectionNumbers(section, part, summary, faults) {
  const { title } = section
  const figuresAt = (start) => figuresOf(part.lines.find((line) => line.startsWith(start)) ?? '')
  const said = figuresAt('Findings: ')
  const hidden = figuresAt('Not listed: ')
  const rows = part.lines
    .filter((line) => new RegExp(`^\\| ${section.letter}\\d+ \\| `).test(line))
    .map((line) => line.split(' | ')[1])
  const row = summaryRow(summary, title)
  SEVERITIES.forEach((severity, index) => {
    const listed = rows.filter((one) => one === severity).length + (hidden.get(severity) ?? 0)
    if (said.get(severity) !== listed)
      faults.push(`${title}: ${said.get(severity)} ${severity} announced, ${listed} listed`)
    const repeated = toNumber(row?.[index + 1])
    if (repeated !== said.get(severity))
      faults.push(`Summary: ${repeated} ${severity} for “${title}”, the section has ${said.get(severity)}`)
  })
  const order = rows.map((one) => SEVERITIES.indexOf(one))
  if (order.some((rank, index) => index > 0 && rank < order[index - 1])) faults.push(`${title}: not sorted by severity`)
  const own = figuresOf(part.lines.join('\n'))
  for (const [label, value] of figuresOf(row?.[4] ?? '')) {
    if (own.get(label) !== value)
      faults.push(`Summary: ${value} ${label}, the section “${title}” has ${own.get(label)}`)
  }
  return Object.fromEntries(SEVERITIES.map((severity) => [severity, said.get(severity) ?? 0]))
}

/** The score is made anew from the counts, by the rule that the report states. */
function leadFaults(lead, totals, plan, faults) {
  if (plan.score === null) return
  const found = /^Score (\d+) of 100: ([\d,]+) high, ([\d,]+) medium, ([\d,]+) low\./m.exec(lead.join('\n'))
  if (!found) return void faults.push('the line with the score is missing')
  const points = totals.map((one) => SEVERITIES.reduce((sum, severity) => sum + one[severity] * POINTS[severity], 0))
  const score = Math.max(0, Math.round(100 - points.reduce((sum, one) => sum + Math.min(SECTION_LIMIT, one), 0)))
  if (Number(found[1]) !== score) faults.push(`the score is ${found[1]}, the findings give ${score}`)
  SEVERITIES.forEach((severity, index) => {
    const sum = totals.reduce((count, one) => count + one[severity], 0)
    if (toNumber(found[index + 2]) !== sum)
      faults.push(`the title says ${found[index + 2]} ${severity}, the sections have ${sum}`)
  })
}
