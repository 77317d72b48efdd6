/*
 * A table: sorted by what its heads say, which the address keeps. A long one draws only what is in view.
 */
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { useParam } from '../route/route.ts'
import { Icon } from './icon.tsx'
import { LongTable } from './long-table.tsx'

export interface Column<Row> {
  readonly id: string
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** What it is sorted by; a column without it is not sorted. */
  readonly sort?: (row: Row) => string | number | null
  readonly align?: 'end'
  /** Takes the room that is left. */
  readonly grow?: boolean
}

export interface TableProps<Row> {
  /** What it holds, for those who do not see it. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
  /** Name of the parameter that keeps the order; only needed where a page has two tables. */
  readonly sortParam?: string
  /** `-age` sorts by age, the greatest first. */
  readonly order?: string
}

const LONG = 200

export function Table<Row>(props: TableProps<Row>) {
  const { columns, rows, sortParam = 'sort', order } = props
  const [chosen] = useParam(sortParam)
  const sorting = chosen ?? order
  const sorted = useMemo(() => inOrder(columns, rows, sorting), [columns, rows, sorting])
  return sorted.length > LONG ? (
    <LongTable {...props} rows={sorted} sorting={sorting} />
  ) : (
    <div class="table-box">
      <table>
        <caption class="unseen">{props.caption}</caption>
        <Heads columns={columns} sorting={sorting} param={sortParam} />
        <tbody>
          {sorted.map((row) => (
            <Row key={props.keyOf(row)} columns={columns} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface HeadsProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly sorting: string | undefined
  readonly param: string
}

export function Heads<Row>({ columns, sorting, param }: HeadsProps<Row>) {
  const [, sort] = useParam(param)
  const sortOf = (id: string) => (sorting === id ? 'ascending' : sorting === `-${id}` ? 'descending' : undefined)
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column.id} scope="col" class={classOf(column)} aria-sort={sortOf(column.id)}>
            {column.sort === undefined ? (
              column.title
            ) : (
              <button
                type="button"
                class="head"
                onClick={() => sort(sorting === column.id ? `-${column.id}` : column.id)}
              >
                {column.title}
                {sortOf(column.id) === undefined ? null : <Icon name={sorting === column.id ? 'up' : 'down'} />}
              </button>
            )}
          </th>
        ))}
      </tr>
    </thead>
  )
}

interface RowProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly row: Row
  /** Place in the whole list, from 1, where only a part is drawn. */
  readonly place?: number
}

export const Row = <Data,>({ columns, row, place }: RowProps<Data>) => (
  <tr aria-rowindex={place}>
    {columns.map((column) => (
      <td key={column.id} class={classOf(column)} data-title={column.title}>
        {column.cell(row)}
      </td>
    ))}
  </tr>
)

function classOf<Row>({ align, grow }: Column<Row>): string {
  return [align === 'end' ? 'end' : '', grow === true ? 'grow' : ''].join(' ').trim()
}

function inOrder<Row>(columns: readonly Column<Row>[], rows: readonly Row[], sorting: string | undefined) {
  const down = sorting?.startsWith('-') === true
  const sort = columns.find(({ id }) => id === (down ? sorting.slice(1) : sorting))?.sort
  if (sort === undefined) return rows
  return rows.toSorted((a, b) => (down ? compare(sort(b), sort(a)) : compare(sort(a), sort(b))))
}

/** What has no value comes first. */
function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b))
}
