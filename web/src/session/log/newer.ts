import { useEffect } from 'preact/hooks'
import { onCommit } from '../../api/live.ts'

const PACE_MS = 250

/** Calls `task` when the session has grown, at most four times a second. */
export function useNewer(live: boolean, session: string, task: () => void): void {
  useEffect(() => {
    if (!live) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onCommit((commit) => {
      if (commit !== undefined && commit.session !== session) return
      timer ??= setTimeout(() => {
        timer = undefined
        task()
      }, PACE_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [live, session, task])
}
