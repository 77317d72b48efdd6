/** Lists of like things as aligned columns under the names of their members; what is empty everywhere is left out. */
import type { Context } from './context.ts'
import { brief, columns, plain } from './text.ts'

type Row = Readonly<Record<string, unknown>>

const LONGEST_CELL = 60

/** Undefined for what is no list of objects. */
export function rowsText({ paint, io }: Pick<Context, 'paint' | 'io'>, value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every(isRow)) return undefined
  if (value.length === 0) return 'none'
  const names = [...new Set(value.flatMap((row) => Object.keys(row)))]
  const used = names.filter((name) => value.some((row) => !isEmpty(row[name])))
  const right = used.flatMap((name, i) => (value.every((row) => isNumber(row[name])) ? [i] : []))
  const cells = value.map((row) => used.map((name) => cellOf(row[name])))
  const [head = '', ...lines] = columns([used.map((name) => name.replaceAll('_', ' ')), ...cells], {
    right,
    width: io.width,
  })
  return [paint.dim(head), ...lines].join('\n')
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

const isNumber = (value: unknown): boolean => typeof value === 'number' || value === null || value === undefined

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

function cellOf(value: unknown): string {
  if (isEmpty(value)) return ''
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return plain(value.join(', '))
  return typeof value === 'string' ? plain(value) : brief(value, LONGEST_CELL)
}
