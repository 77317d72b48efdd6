/** Everything about a task, and what holds it up. */
import type { Task } from '../../../../src/domain/tasks/events.ts'
import type { TaskRow } from '../../../../src/domain/tasks/views.ts'
import { useOperation } from '../../api/session.ts'
import { Status } from '../../parts/badge.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useViewed } from '../session.ts'
import { groupOf } from './groups.ts'

interface TaskDialogProps {
  readonly id: string
  readonly onClose: () => void
}

interface Why {
  readonly because: string
}

export function TaskDialog({ id, onClose }: TaskDialogProps) {
  const { id: session, at } = useViewed()
  const shown = useOperation<TaskRow & { readonly task: Task }>(session, 'task.show', { task: id }, at)
  const why = useOperation<Why>(session, 'task.why', { task: id }, at)
  return (
    <Dialog title={id} wide onClose={onClose}>
      <Loaded of={shown}>
        {({ task, ...row }) => (
          <>
            <p>
              <Status status={groupOf(row)} /> {row.title}
            </p>
            {why.data === undefined ? null : <p class="why">{why.data.because}</p>}
            <JsonTree value={task} name="task" open={1} />
          </>
        )}
      </Loaded>
    </Dialog>
  )
}
