/** Checkpoint files: in, out, and whether the work they tell of may go on by itself. */
import { statSync } from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../../kernel/error.ts'
import { pathHere, rootsOf } from '../../../kernel/exchange/roots.ts'
import { membersOf } from '../../../kernel/json/members.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import { keepBlob } from '../../../kernel/operation/texts.ts'
import { written } from '../answer/answer.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { needed } from '../context/input.ts'
import { columns, plain } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import type { Command } from '../syntax/command.ts'
import { jsonIn, readBytes } from '../syntax/value.ts'

const importing: Command<App> = {
  name: 'workflow import',
  summary: 'take up the work of a checkpoint file, version 1.0 to 2.1',
  examples: ['workflow import checkpoint.json', 'workflow import checkpoint.json --dry-run'],
  notes: 'The session must have no work under way. The file is kept as it is, as a blob of the session.',
  parameters: [
    { name: 'FILE', field: 'file', type: 'text', required: true, summary: 'a checkpoint as JSON; - is stdin' },
  ],
  flags: [],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const { options } = context
    const session = await context.session('write')
    const bytes = readBytes(context, needed(input, 'file'))
    const checkpoint = parsed(bytes, needed(input, 'file'))
    const tried = await session.run('workflow.import', { checkpoint }, { ...options, dryRun: true })
    if (options.dryRun === true || tried.kind === 'refused') return written(context, tried)
    // It is kept before anything says so.
    const original = (await keepBlob((await context.workspace()).kernel, session.id, bytes)) ?? undefined
    const answer = await session.run('workflow.import', { checkpoint, original }, options)
    return written(context, answer, ([event]) => {
      const { current, version } = membersOf(event?.data)
      return `checkpoint ${textAt(version) ?? ''}, stands in ${textAt(current) ?? ''}`
    })
  },
}

function parsed(bytes: Uint8Array, file: string): unknown {
  try {
    return jsonIn(new TextDecoder('utf-8', { fatal: true }).decode(bytes), file)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new EngineError('JSON_INVALID', `${file} is not UTF-8`, {
      hint: 'write it as UTF-8, then try again',
      cause: error,
    })
  }
}

const exporting: Command<App> = {
  name: 'workflow export',
  summary: 'the workflow as a checkpoint file of version 2.1',
  examples: ['workflow export > checkpoint.json', 'workflow export --session build@draft-done'],
  parameters: [],
  flags: [],
  shares: ['session', 'at'],
  run: async (context) => {
    const { session, at } = await context.sessionAt('read')
    const data = accepted(await session.run('workflow.export', {}, { at })).value
    return { data, text: () => JSON.stringify(data, null, 2) }
  },
}

const resumeCheck: Command<App> = {
  name: 'workflow resume-check',
  summary: 'whether and where work would go on, and whether that is safe',
  examples: ['workflow resume-check', 'workflow resume-check --json'],
  notes:
    'Safe: tests pass (output tests_passing), no last error, in progress, worked on in the last 7 days, plan unchanged. The first that does not hold is named.',
  parameters: [],
  flags: [],
  shares: ['session'],
  run: async (context) => {
    const session = await context.session('read')
    const plan = textAt(session.get('$.workflow.checkpoint.notes.plan'))
    const roots = rootsOf(session.stored)
    const asked = plan === null ? {} : { plan_modified: modifiedOf(context, pathHere(roots, plan)) }
    const { value } = accepted(await session.run('workflow.resume-check', asked))
    return { data: value, text: () => checkText(context, membersOf(value)) }
  },
}

/** Seconds since 1970; null when it cannot be seen. */
function modifiedOf({ dir }: Context<App>, plan: string): number | null {
  return (statSync(path.resolve(dir, plan), { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN) / 1000 || null
}

function checkText(context: Context<App>, data: Readonly<Record<string, unknown>>): string {
  const { safe, condition, why } = membersOf(data['safety'])
  const rows = [
    ['state', textAt(data['state']) ?? ''],
    ['next', context.kept(textAt(data['next']) ?? (data['finished'] === true ? 'finished' : ''))],
    ['safe', safe === true ? context.paint.green('yes') : `no: ${String(condition)}: ${plain(String(why))}`],
  ]
  // Whole, at any width: the next step is there to be pasted.
  return columns(rows).join('\n')
}

export const checkpointCommands: readonly Command<App>[] = [importing, exporting, resumeCheck]
