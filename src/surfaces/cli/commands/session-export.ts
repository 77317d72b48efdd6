/** A session in the forms of others. */
import * as os from 'node:os'
import { accepted } from '../../../kernel/operation/answer.ts'
import type { Session } from '../../../kernel/session.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { textOf } from '../context/input.ts'
import type { Result } from '../context/result.ts'
import type { Command } from '../syntax/command.ts'

const FORMATS = ['markdown', 'cloudevents', 'events', 'checkpoint', 'craft@1.0.0']

export const exporting: Command<App> = {
  name: 'session export',
  summary: 'print a session as a report, as events, or as a document that others read',
  examples: [
    'session export --format markdown > report.md',
    'session export build-auth --format cloudevents > events.ndjson',
    'session export build-auth --format craft@1.0.0 > session.json',
    'session export --format checkpoint --at draft-done',
  ],
  notes:
    'markdown: a report for a pull request. cloudevents: CloudEvents 1.0, one a line. events: an event log of JSON lines. checkpoint: the workflow, version 2.1. craft@1.0.0: a craft session; its schema is printed by schema craft-session.',
  parameters: [
    {
      name: 'SESSION',
      field: 'named',
      type: 'text',
      required: false,
      summary: 'id or name; the only active one when left out',
    },
  ],
  flags: [
    {
      name: 'format',
      field: 'format',
      type: 'text',
      value: 'FORMAT',
      choices: FORMATS,
      summary: `one of ${FORMATS.join(', ')}; markdown when left out`,
    },
  ],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const { session, at } = await context.sessionAt('read', textOf(input, 'named'))
    const format = textOf(input, 'format') ?? 'markdown'
    if (format === 'cloudevents' || format === 'events') return lines(context, session, { format, at })
    if (format === 'checkpoint') return document(accepted(await session.run('workflow.export', {}, { at })).value)
    const seq = await session.resolve(at ?? '@')
    const last = await commitAt(session, seq)
    const [state, current] = [await session.stateAt(seq), await session.get('$.workflow.current', { at: seq })]
    const { exports } = context.app
    const around = { updated_at: last?.at ?? session.updatedAt, project: context.dir, device: os.hostname() }
    if (format === 'craft@1.0.0') return document(exports.craft(state, { ...around, sync: await syncOf(session, at) }))
    const begun = (await session.get('$.workflow.history', { at: seq })) as readonly unknown[] | undefined
    const report = exports.markdown(state, {
      updated_at: around.updated_at,
      seq,
      hash: last?.hash ?? '',
      current: typeof current === 'string' && (begun?.length ?? 0) > 0 ? current : undefined,
    })
    return { data: { markdown: report }, text: report }
  },
}

/** How it stands with a place is known of now alone. */
const syncOf = async (session: Session, at: string | undefined): Promise<unknown> =>
  at === undefined ? session.get('$.session.sync') : undefined

const document = (data: unknown): Result => ({ data, text: () => JSON.stringify(data, null, 2) })

interface Asked {
  readonly format: 'cloudevents' | 'events'
  readonly at: string | undefined
}

/** Written as they are read: a log may be longer than memory. */
async function lines(context: Context<App>, session: Session, { format, at }: Asked): Promise<Result> {
  const until = await session.resolve(at ?? '@')
  const made = context.app.exports[format]
  const all: object[] = []
  for await (const commit of session.commits()) {
    if (commit.seq > until || context.isStopped) break
    for (const event of made(commit, session.id)) {
      if (context.json) all.push(event)
      else context.io.out(`${JSON.stringify(event)}\n`)
    }
  }
  return { data: all, text: '' }
}

async function commitAt(session: Session, seq: number) {
  for await (const commit of session.commits({ after: seq - 1 })) return commit
  return undefined
}
