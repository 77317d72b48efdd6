import { useDaemon } from '../api/daemon.ts'
import { Badge } from '../parts/badge.tsx'

/** Says that a file is shown, and that nothing here can change. */
export function SourceBadge() {
  const source = useDaemon().data?.source ?? null
  if (source === null) return null
  return (
    <Badge icon="lock" title={source}>
      read only: {source.split(/[/\\]/).at(-1)}
    </Badge>
  )
}
