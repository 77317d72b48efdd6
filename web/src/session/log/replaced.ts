import { useEffect } from 'preact/hooks'
import { onCommit } from '../../api/live.ts'
import { read, sessionPath } from '../../api/request.ts'
import type { LogCommit } from './rows.ts'

/** What was read of a log. */
export interface Read {
  /** The latest of it. */
  readonly last: () => LogCommit | undefined
  /** Forgets it, and reads what is there now. */
  readonly anew: () => void
}

/** Where a repair or a pull put another log in the place of one, what was read of that is read anew. */
export function useReplaced(session: string, { last, anew }: Read): void {
  useEffect(
    () =>
      onCommit((commit) => {
        const known = commit === undefined ? last() : undefined
        if (known === undefined) return
        // One that cannot be read now is told of when it can be again.
        stands(session, known).then((isThere) => (isThere ? undefined : anew()), ignore)
      }),
    [session, last, anew],
  )
}

/** The hash of a commit stands for all before it. */
async function stands(session: string, { seq, hash }: LogCommit): Promise<boolean> {
  const { data } = await read<readonly LogCommit[]>(sessionPath(session, 'log'), { cursor: seq - 1, limit: 1 })
  return data[0]?.hash === hash
}

const ignore = (): undefined => undefined
