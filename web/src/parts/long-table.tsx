/** A table of which only the rows in view are drawn, so that ten thousand cost no more than thirty. */
import { Heads, Row, type TableProps } from './table.tsx'
import { useWindow } from './window.ts'

const ROW_PX = 30

interface LongTableProps<Data> extends TableProps<Data> {
  readonly sorting: string | undefined
}

export function LongTable<Data>({ caption, columns, rows, keyOf, sortParam = 'sort', sorting }: LongTableProps<Data>) {
  const { scroller, first, end, above, below } = useWindow(rows.length, ROW_PX)
  return (
    <div class="table-box long" ref={scroller} tabIndex={0} role="region" aria-label={caption}>
      <table aria-rowcount={rows.length + 1}>
        <caption class="unseen">{caption}</caption>
        <Heads columns={columns} sorting={sorting} param={sortParam} />
        <tbody>
          <Gap height={above} />
          {rows.slice(first, end).map((row, i) => (
            <Row key={keyOf(row)} columns={columns} row={row} place={first + i + 2} />
          ))}
          <Gap height={below} />
        </tbody>
      </table>
    </div>
  )
}

export const Gap = ({ height }: { readonly height: number }) =>
  height > 0 ? (
    <tr class="gap" aria-hidden="true">
      <td style={{ height: `${height}px` }} />
    </tr>
  ) : null
