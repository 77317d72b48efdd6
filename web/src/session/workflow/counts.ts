import { read, sessionPath } from '../../api/request.ts'
import { useResource } from '../../api/resource.ts'
import type { LogCommit } from '../log/rows.ts'
import { useViewed } from '../session.ts'

interface Move {
  readonly from: string
  readonly to: string
}

const TYPE = 'workflow.transitioned'

/** Every move that was made, up to the point that is viewed. */
export function useMoves(): readonly Move[] {
  const { id, at, point } = useViewed()
  const query = { type: TYPE, limit: 10_000, ...(at === undefined ? {} : { until: point }) }
  const load = async () => (await read<readonly LogCommit[]>(sessionPath(id, 'log'), query)).data
  const name = at !== undefined && point === undefined ? undefined : `${id} moves ${at === undefined ? '' : point}`
  const { data } = useResource(name, load, at === undefined ? id : undefined)
  // Events of this type have this data.
  return (data ?? []).flatMap(({ events }) =>
    events.filter(({ type }) => type === TYPE).map((event) => event.data as Move),
  )
}

/** How often each move was made, under `from → to`. */
export function countsOf(moves: readonly Move[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { from, to } of moves) counts.set(moveName(from, to), (counts.get(moveName(from, to)) ?? 0) + 1)
  return counts
}

export const moveName = (from: string, to: string): string => `${from} → ${to}`
