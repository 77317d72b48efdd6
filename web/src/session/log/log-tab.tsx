/** The log of the session, the latest commit first, growing as it grows. */
import { Copy } from '../../parts/copy.tsx'
import { useDraft } from '../../parts/draft.ts'
import { Failure } from '../../parts/failure.tsx'
import { useParam, setParams } from '../../route/route.ts'
import { useViewed, type Viewed } from '../session.ts'
import { CommitDrawer } from './commit-drawer.tsx'
import { commandOf, filterOf, isEmpty, type LogFilter } from './filter.ts'
import { useFilteredLog } from './filtered-log.ts'
import { LogList } from './log-list.tsx'
import type { LogRows } from './rows.ts'
import { useWholeLog } from './whole-log.ts'

export function LogTab() {
  const viewed = useViewed()
  const [words = ''] = useParam('q')
  const [commit] = useParam('commit')
  const filter = filterOf(words)
  return (
    <div class={commit === undefined ? 'log' : 'log beside'}>
      <div>
        <Filter words={words} filter={filter} />
        {viewed.point === undefined ? null : isEmpty(filter) ? (
          <Whole {...viewed} />
        ) : (
          <Filtered {...viewed} filter={filter} />
        )}
      </div>
      {commit === undefined ? null : <CommitDrawer key={commit} seq={Number(commit)} />}
    </div>
  )
}

/** Whether it follows what comes; `hold` is the commit at which it was told to stop. */
function useTail({ at, point = 0 }: Pick<Viewed, 'at' | 'point'>) {
  const [hold = ''] = useParam('hold')
  const isHeld = at === undefined && /^[1-9]\d*$/.test(hold)
  return { live: at === undefined && !isHeld, top: isHeld ? Math.min(Number(hold), point) : point }
}

function Whole(viewed: Viewed) {
  const { live, top } = useTail(viewed)
  return <Rows of={useWholeLog(viewed.id, top, live)} />
}

function Filtered({ filter, ...viewed }: Viewed & { readonly filter: LogFilter }) {
  const { live, top } = useTail(viewed)
  return <Rows of={useFilteredLog(viewed.id, filter, top, live)} />
}

const Rows = ({ of }: { readonly of: LogRows }) => (
  <>
    {of.error === undefined ? null : <Failure error={of.error} />}
    {of.count === 0 ? <p class="faint">{of.complete ? 'No commit fits.' : 'Reading…'}</p> : <LogList rows={of} />}
  </>
)

function Filter({ words, filter }: { readonly words: string; readonly filter: LogFilter }) {
  const { line, at } = useViewed()
  const { live } = useTail({ at, point: line.seq })
  const draft = useDraft(words, (q) => setParams({ q }))
  return (
    <div class="filters" role="search">
      <input
        type="search"
        aria-label="Filter the log"
        placeholder="--op state.* --actor ada --type data.set --since 2h"
        {...draft}
      />
      {at === undefined ? (
        <button type="button" aria-pressed={live} onClick={() => setParams({ hold: live ? line.seq : undefined })}>
          Live tail {live ? 'on' : 'off'}
        </button>
      ) : null}
      <Copy text={commandOf(line.name, filter)} />
    </div>
  )
}
