/** What supervision saves: tokens of whole reports against those of the summaries that are handed on. */
import { useOperation } from '../../api/session.ts'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useViewed } from '../session.ts'
import { Meter } from './meter.tsx'

interface SupervisorRow {
  readonly supervisor: string
  readonly kind: string
  readonly status: string
}

export function ContextTab() {
  const { id, at } = useViewed()
  const supervisors = useOperation<readonly SupervisorRow[]>(id, 'supervise.list', {}, at)
  return (
    <Loaded of={supervisors}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty title="No reports yet" commands={COMMANDS}>
            Reports stay where they are; what goes up is their title, summary and findings.
          </Empty>
        ) : (
          rows.map((row) => <Meter key={row.supervisor} {...row} />)
        )
      }
    </Loaded>
  )
}

const COMMANDS = [
  ['steadfold supervise start research hashing sessions', 'plans who looks into what'],
  ['steadfold supervise report hashing report.md', 'hands a report in'],
  ['steadfold supervise meter', 'counts what was saved'],
] as const
