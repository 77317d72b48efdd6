/** The commits of a session as they come. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Commit } from '../../../kernel/log/commit.ts'
import { commitData } from '../../../kernel/log/filter.ts'
import type { Session } from '../../../kernel/session.ts'
import type { Context } from '../context/context.ts'
import { countOf, type Input } from '../context/input.ts'
import type { Result } from '../context/result.ts'
import { aside, type Outlet } from '../show/aside.ts'
import type { Command } from '../syntax/command.ts'
import { commitLine, countFlag, FILTERS, fits, lastOf } from './log.ts'

/** Whether there is room again for what nobody has read yet. */
const LOOK_MS = 20

const tail: Command = {
  name: 'tail',
  summary: 'the last commits, and every new one as it comes; Ctrl-C ends it',
  examples: ['tail', 'tail -n 50 --op "step.*"', 'tail --json | jq .op'],
  notes: 'With --json one line a commit, {"type":"commit",…}, and a {"type":"result",…} at the end.',
  parameters: [],
  flags: [countFlag('begin with the last N of those that fit; 10 when left out'), ...FILTERS],
  shares: ['session'],
  streams: true,
  run: async (context, input) => {
    const count = countOf(input) ?? 10
    const session = await context.session('read')
    const { result, trouble } = await aside(context.signal, (outlet) =>
      follow(context, input, { session, count, outlet }),
    )
    if (trouble !== undefined) throw trouble
    return result
  },
}

interface Followed {
  readonly session: Session
  readonly count: number
  readonly outlet: Outlet
}

async function follow(context: Context, input: Input, { session, count, outlet }: Followed): Promise<Result> {
  const signal = AbortSignal.any([context.signal, outlet.over])
  let last: Commit | undefined
  let { seq } = session
  const tell = async (commit: Commit): Promise<void> => {
    if (context.json) context.event({ type: 'commit', ...commitData(commit) })
    else context.io.out(`${commitLine(context, commit, last)}\n`)
    last = commit
    while (!outlet.hasRoom && !signal.aborted) await sleep(LOOK_MS)
  }
  for (const commit of await lastOf(session, input, { after: 0, until: seq, most: count })) await tell(commit)
  for await (const commit of session.commits({ after: seq, live: true, signal })) {
    if (signal.aborted) break
    seq = commit.seq
    // Names of steps are read from its state, and at the end how far it came is said. What became of the log, the loop tells.
    if (seq > session.seq) await session.refresh().catch(() => undefined)
    if (fits(input, commit)) await tell(commit)
  }
  return { data: { session: session.id, seq }, text: '' }
}

export const tailCommands: readonly Command[] = [tail]
