/** Rows of commits, of which only those in view are drawn. What is looked at stays where it is while new ones come. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useCommands } from '../../commands/commands.ts'
import { Gap } from '../../parts/long-table.tsx'
import { clock, stamp } from '../../parts/time.ts'
import { useWindow } from '../../parts/window.ts'
import { setParams, useParam } from '../../route/route.ts'
import type { LogCommit, LogRows } from './rows.ts'
import { summary } from './summary.ts'

const ROW_PX = 28

export function LogList({ rows }: { readonly rows: LogRows }) {
  const { scroller, first, end, above, below, show } = useWindow(rows.count, ROW_PX)
  const [chosen] = useParam('commit')
  useEffect(() => rows.want(first, end), [first, end, rows.count])
  useAnchor(scroller, rows)
  useChoosing(rows, chosen, show)
  const drawn = Array.from({ length: end - first }, (_, i) => first + i)
  return (
    <div class="table-box long log-box" ref={scroller} tabIndex={0} role="region" aria-label="Commits">
      <table aria-rowcount={rows.complete ? rows.count + 1 : -1}>
        <caption class="unseen">Commits, the latest first</caption>
        <thead>
          <tr>
            <th scope="col" class="seq">
              Seq
            </th>
            <th scope="col" class="at">
              Time
            </th>
            <th scope="col" class="actor">
              Actor
            </th>
            <th scope="col" class="op">
              Operation
            </th>
            <th scope="col">Events</th>
          </tr>
        </thead>
        <tbody>
          <Gap height={above} />
          {drawn.map((row) => {
            const commit = rows.commitAt(row)
            return <CommitRow key={commit?.seq ?? `row ${row}`} place={row + 2} commit={commit} chosen={chosen} />
          })}
          <Gap height={below} />
        </tbody>
      </table>
    </div>
  )
}

interface CommitRowProps {
  readonly commit: LogCommit | undefined
  readonly place: number
  readonly chosen: string | undefined
}

function CommitRow({ commit, place, chosen }: CommitRowProps) {
  if (commit === undefined)
    return (
      <tr aria-rowindex={place}>
        <td class="faint" colSpan={5}>
          …
        </td>
      </tr>
    )
  const { seq, at, actor, op } = commit
  const isChosen = String(seq) === chosen
  const choose = () => setParams({ commit: isChosen ? undefined : seq })
  return (
    <tr aria-rowindex={place} class={isChosen ? 'chosen' : ''} onClick={choose}>
      <td class="seq">
        <button type="button" class="link" aria-expanded={isChosen} aria-label={`Commit ${seq}`}>
          {seq}
        </button>
      </td>
      <td class="at">
        <time dateTime={at} title={stamp(at)}>
          {clock(at)}
        </time>
      </td>
      <td class="actor">{actor}</td>
      <td class="op">
        <code>{op}</code>
      </td>
      <td>
        <code class="soft">{summary(commit)}</code>
      </td>
    </tr>
  )
}

/** New rows come above: who has scrolled down goes on seeing the same. */
function useAnchor(scroller: { readonly current: HTMLDivElement | null }, { count, commitAt }: LogRows): void {
  const top = useRef<number | undefined>(undefined)
  const latest = commitAt(0)?.seq ?? count
  useLayoutEffect(() => {
    const before = top.current
    top.current = latest
    const element = scroller.current
    if (before === undefined || element === null || element.scrollTop === 0 || latest <= before) return
    let added = 0
    while (added < count && (commitAt(added)?.seq ?? Infinity) > before) added++
    element.scrollTop += added * ROW_PX
  }, [latest])
}

/** j and k go down and up from what is chosen, which is in view also when an address chose it. */
function useChoosing(rows: LogRows, chosen: string | undefined, show: (row: number) => void): void {
  const rowOf = (seq: string | undefined) => rows.rowOf(Number(seq))
  useLayoutEffect(() => show(Math.max(0, rowOf(chosen))), [])
  const move = (step: number) => {
    const at = rowOf(chosen)
    const row = at < 0 ? 0 : Math.min(rows.count - 1, Math.max(0, at + step))
    const commit = rows.commitAt(row)
    if (commit === undefined) return
    setParams({ commit: commit.seq })
    show(row)
  }
  useCommands(
    [
      { id: 'log-down', title: 'The commit below', keys: 'j', group: 'Session', run: () => move(1) },
      { id: 'log-up', title: 'The commit above', keys: 'k', group: 'Session', run: () => move(-1) },
      {
        id: 'log-close',
        title: 'Close the commit',
        keys: 'Escape',
        group: 'Session',
        run: () => setParams({ commit: undefined }),
      },
    ],
    [rows, chosen],
  )
}
