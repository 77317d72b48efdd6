/** Who works on a session. What the log says of a runner, evidence may know better: its lease goes on after it. */
import type { ProcessRef } from '../../../kernel/care/recovery.ts'
import { isMembers, membersOf, type Members } from '../../../kernel/json/members.ts'
import type { Session } from '../../../kernel/session.ts'
import type { App } from '../context/app.ts'
import { rowsText } from '../show/rows.ts'
import type { Command } from '../syntax/command.ts'
import { readAt } from './workflow.ts'

export const runnerList: Command<App> = {
  name: 'runner list',
  summary: 'who works on the session: the runner that drives it, and those who take steps',
  examples: ['runner list', 'runner list --session build-auth --json'],
  notes:
    'GONE says why a process is known to run no more: its lease lasts until it is over, or `recover` is given. Of one on another host nothing is known.',
  parameters: [],
  flags: [],
  shares: ['session', 'at'],
  run: async (context) => {
    const { session, at } = await context.sessionAt('read')
    const data = await readAt(context, 'runner.list', {})
    const rows = Array.isArray(data) ? data.map((row) => membersOf(row)) : []
    const processes = at === undefined ? processesOf(session) : new Map<unknown, ProcessRef>()
    const value = await Promise.all(
      rows.map(async (row) => ({ ...row, gone: await goneOf(context.app, processes.get(row['token'])) })),
    )
    return { data: { value, seq: at ?? session.seq }, text: () => rowsText(context, value) ?? '' }
  },
}

/** By token. */
function processesOf(session: Session): ReadonlyMap<unknown, ProcessRef> {
  const runners = Object.values(membersOf(session.get('$.steps.runners')))
  const all = [session.get('$.session.lease'), ...runners].filter(isMembers)
  return new Map(all.flatMap(({ token, process }) => (isProcess(process) ? [[token, process] as const] : [])))
}

/** As it was told by `runner.join` and `session.acquire`, which take nothing else. */
const isProcess = (value: unknown): value is Members & ProcessRef =>
  isMembers(value) && typeof value['pid'] === 'number'

async function goneOf({ recovery }: App, process: ProcessRef | undefined): Promise<string | null> {
  if (process === undefined) return null
  const { kind, reasons } = await recovery.evidence(process)
  return kind === 'dead' ? reasons.join('; ') : null
}
