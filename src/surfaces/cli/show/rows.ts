/** Lists of like things as aligned columns under the names of their members; what is empty everywhere is left out. */
import { isMembers, type Members } from '../../../kernel/json/members.ts'
import { fit, leftOut, type Column } from './fit.ts'
import type { Paint } from './paint.ts'
import { ago, brief, momentOf, plain } from './text.ts'

const LONGEST_CELL = 60
const NARROW = 12
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** What names a thing, or says how it is: shown whole and always. */
const NAMES = /^(id|name|key|resource|agent|holder|task|status|token)$/

/** Commands that answer it: one that is cut cannot be given. */
const COMMANDS = /^(next|resume)$/

/** What people read a list for. */
const SAYS = /^(title|payload|reason|why|note|summary|message|description|goal)$/

/** What text is laid out for. */
export interface Page {
  readonly paint: Paint
  readonly io: { readonly width: number }
  readonly now: () => number
}

/** Undefined for what is no list of objects. `members`: those that people see, in this order; all when left out. */
export function rowsText({ paint, io, now }: Page, value: unknown, members?: readonly string[]): string | undefined {
  if (!Array.isArray(value) || !value.every(isMembers)) return undefined
  if (value.length === 0) return 'none'
  const names = members ?? [...new Set(value.flatMap((row) => Object.keys(row)))]
  const used = names.filter((name) => value.some((row) => !isEmpty(row[name])))
  const time = now()
  const cells = value.map((row) => used.map((name) => cellOf(momentOf(name, row[name]) ?? row[name], time)))
  const all = used.map((name, at) => columnOf(name, at, value))
  const { lines, missing } = fit([used.map(said), ...cells], all, io.width)
  const [head = '', ...rest] = lines
  return [paint.dim(head), ...rest, ...leftOut(missing.map(said)).map(paint.dim)].join('\n')
}

const said = (name: string): string => name.replaceAll('_', ' ')

/** The first column says what the row is; of the others, those that most rows have nothing in go first. */
function columnOf(name: string, at: number, rows: readonly Members[]): Column {
  const right = rows.every((row) => isNumber(row[name])) ? { right: true } : {}
  if (at === 0 || NAMES.test(name) || COMMANDS.test(name)) return { name, ...right }
  const isText = rows.some((row) => typeof row[name] === 'string' && !TIME.test(row[name]))
  const share = rows.filter((row) => isEmpty(row[name]) || row[name] === false).length / rows.length
  const isTime = rows.some((row) => typeof row[name] === 'string' && TIME.test(row[name]))
  const rank = SAYS.test(name) ? 0 : 1 + share + (isTime ? 2 : isText ? 0 : 1)
  return { name, ...right, rank, ...(name.endsWith('_id') ? {} : { least: NARROW }) }
}

const isNumber = (value: unknown): boolean => typeof value === 'number' || value === null || value === undefined

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

function cellOf(value: unknown, now: number): string {
  if (isEmpty(value)) return ''
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return plain(value.join(', '))
  if (typeof value !== 'string') return brief(value, LONGEST_CELL)
  return TIME.test(value) ? timeText(value, now) : plain(value)
}

const timeText = (at: string, now: number): string =>
  Date.parse(at) > now ? `in ${ago(new Date(now).toISOString(), Date.parse(at)).replace(' ago', '')}` : ago(at, now)
