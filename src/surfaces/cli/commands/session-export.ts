/** A session in the forms of others. */
import * as os from 'node:os'
import { EngineError } from '../../../kernel/error.ts'
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
    const seq = await session.resolve(at ?? '@')
    if (seq === 0) throw nothingYet()
    if (format === 'checkpoint') return document(accepted(await session.run('workflow.export', {}, { at })).value)
    const last = await commitAt(session, seq)
    const around = { updated_at: last?.at ?? session.updatedAt, project: context.dir, device: os.hostname() }
    if (format !== 'craft@1.0.0') return report(context, session, { seq, hash: last?.hash ?? '', ...around })
    return document(
      context.app.exports.craft(await session.stateAt(seq), { ...around, sync: await syncOf(session, at) }),
    )
  },
}

async function report(
  context: Context<App>,
  session: Session,
  of: { readonly seq: number; readonly hash: string; readonly updated_at: string },
): Promise<Result> {
  const { seq, hash, updated_at } = of
  const current = await session.get('$.workflow.current', { at: seq })
  const begun = (await session.get('$.workflow.history', { at: seq })) as readonly unknown[] | undefined
  const markdown = context.app.exports.markdown(await session.stateAt(seq), {
    updated_at,
    seq,
    hash,
    current: typeof current === 'string' && (begun?.length ?? 0) > 0 ? current : undefined,
  })
  return { data: { markdown }, text: markdown }
}

const nothingYet = (): EngineError =>
  new EngineError('POINT_NOT_FOUND', 'there is no session before its first commit', { hint: 'export it at 1 or later' })

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
