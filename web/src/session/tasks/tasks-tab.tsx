/** What is to be done: as a board, as what waits for what, and as a list. */
import type { EdgeRow, TaskRow } from '../../../../src/domain/tasks/views.ts'
import { useOperation } from '../../api/session.ts'
import { counted } from '../../parts/counted.ts'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Switch } from '../../parts/switch.tsx'
import { useParam } from '../../route/route.ts'
import { useViewed } from '../session.ts'
import { Board } from './board.tsx'
import { Dependencies } from './dependencies.tsx'
import { TaskDialog } from './task-dialog.tsx'
import { TaskTable } from './task-table.tsx'

const VIEWS = [
  ['board', 'Board'],
  ['needs', 'Dependencies'],
  ['list', 'List'],
] as const

export function TasksTab() {
  const { id: session, at } = useViewed()
  const tasks = useOperation<readonly TaskRow[]>(session, 'task.list', {}, at)
  const edges = useOperation<readonly EdgeRow[]>(session, 'dependency.list', {}, at)
  const [words = '', search] = useParam('q')
  const [chosen, choose] = useParam('task')
  return (
    <Loaded of={tasks}>
      {(all) => {
        if (all.length === 0) return <NoTasks />
        const rows = all.filter((task) => fits(task, words))
        return (
          <>
            <div class="tools">
              <Switch name="as" label="Show tasks as" options={VIEWS} />
              <label>
                <span class="unseen">Filter tasks</span>
                <input
                  type="search"
                  placeholder="title, id, who"
                  value={words}
                  onInput={(e) => search(e.currentTarget.value)}
                />
              </label>
              <span class="faint" role="status">
                {rows.length === all.length
                  ? counted(all.length, 'task')
                  : `${rows.length} of ${counted(all.length, 'task')}`}
              </span>
            </div>
            <Fitting rows={rows} edges={edges.data ?? []} open={choose} />
            {chosen === undefined ? null : <TaskDialog id={chosen} onClose={() => choose(undefined)} />}
          </>
        )
      }}
    </Loaded>
  )
}

interface FittingProps {
  readonly rows: readonly TaskRow[]
  readonly edges: readonly EdgeRow[]
  readonly open: (id: string) => void
}

function Fitting({ rows, edges, open }: FittingProps) {
  const [view] = useParam('as')
  if (rows.length === 0) return <p class="faint">None fits.</p>
  if (view === 'list') return <TaskTable rows={rows} open={open} />
  if (view === 'needs') return <Dependencies tasks={rows} edges={edges} open={open} />
  return <Board rows={rows} open={open} />
}

const fits = ({ id, title, assignee, epic_id }: TaskRow, words: string): boolean =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => [id, title, assignee, epic_id].some((text) => text?.toLowerCase().includes(word) === true))

const NoTasks = () => (
  <Empty title="No tasks yet" commands={COMMANDS}>
    Tasks wait for each other, and one agent at a time claims one.
  </Empty>
)

const COMMANDS = [
  ['steadfold task add "hash passwords" --priority high', 'writes a task down'],
  ['steadfold task add "sign in" --needs task-1', 'one that waits for another'],
  ['steadfold task claim --any', 'takes the first that is ready'],
] as const
