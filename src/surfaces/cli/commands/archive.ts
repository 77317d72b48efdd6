/** Sessions that are put away, and brought back. */
import { EngineError } from '../../../kernel/error.ts'
import { written } from '../answer/answer.ts'
import { isOn, needed } from '../context/input.ts'
import { nameOf, quoted, statusOf } from '../context/scope.ts'
import { count } from '../show/text.ts'
import type { Command, Parameter } from '../syntax/command.ts'
import { ARCHIVED } from '../syntax/flags.ts'

const SESSION: Parameter = {
  name: 'SESSION',
  field: 'named',
  type: 'text',
  required: true,
  summary: 'whole id or exact name',
}

const archive: Command = {
  name: 'session archive',
  summary: 'put an ended session away, compressed; it stays readable with --archived',
  examples: ['session end build-auth && steadfold session archive build-auth'],
  parameters: [SESSION],
  flags: [{ name: 'dry-run', short: 'n', field: 'dryRun', type: 'boolean', summary: 'say what would be done' }],
  shares: [],
  run: async (context, input) => {
    const session = await context.session('remove', needed(input, 'named'))
    const told = { id: session.id, name: nameOf(session), seq: session.seq }
    const status = statusOf(session)
    if (status !== 'terminated')
      throw new EngineError(
        'LIFECYCLE_INVALID',
        `session ${told.name} is ${status}; only an ended one can be archived`,
        { hint: firstFor(status, quoted(told.name)) },
      )
    const workspace = await context.workspace()
    if (isOn(input, 'dryRun')) {
      await workspace.assertArchivable(session)
      return { data: { ...told, dry_run: true }, text: `would archive ${told.name}, ${count(told.seq, 'commit')}` }
    }
    const path = await workspace.archive(session)
    return { data: { ...told, path }, text: `archived to ${path}` }
  },
}

/** What has to come before. */
function firstFor(status: string, name: string): string {
  if (status === 'damaged') return `steadfold repair ${name}`
  if (status !== 'departed') return `steadfold session end ${name}`
  return `end it where it goes on, then take in what is new; one that was never received: steadfold teleport cancel ${name}`
}

/** One word for what is brought back: the state of a point, or with --archived a session that was put away. */
const restore: Command = {
  name: 'session restore',
  summary: 'set the state back to a point, or bring an archived session back',
  notes:
    'Session, steps and their outputs, supervisors, agents and all that was said (messages, turns, conversations, what agent programs told) stay as they are when the state is set back, and so do locks.',
  examples: [
    'session restore draft-done --dry-run',
    'session restore @-3 --reason "wrong plan"',
    'session restore build-auth --archived',
  ],
  parameters: [
    {
      name: 'TO',
      field: 'to',
      type: 'text',
      required: true,
      summary: 'the point whose state comes back; with --archived the session: whole id or exact name',
    },
  ],
  // Not the flag of commands that read: this one changes the list.
  flags: [{ ...ARCHIVED, field: 'fromArchive', summary: 'the session TO, which gc or session archive put away' }],
  shares: ['session', 'write'],
  run: async (context, input) => {
    const { options } = context
    const to = needed(input, 'to')
    if (!isOn(input, 'fromArchive')) {
      const session = await context.session('remove')
      return written(context, await session.run('session.restore', { to }, options))
    }
    const workspace = await context.workspace()
    const archived = await (await workspace.archived()).session(to)
    const told = { id: archived.id, name: nameOf(archived), seq: archived.seq }
    await archived.close()
    if (to !== told.id && to !== told.name)
      throw new EngineError('SESSION_NOT_FOUND', `"${to}" is the beginning of an id, and a whole one is wanted`, {
        hint: `use ${quoted(told.name)} or ${told.id}`,
      })
    const what = `${told.name}, ${count(told.seq, 'commit')}`
    if (options.dryRun === true) {
      await workspace.assertReturnable(to)
      return { data: { ...told, dry_run: true }, text: `would bring back ${what}` }
    }
    const { id } = await workspace.unarchive(to)
    return { data: { ...told, id }, text: `brought back ${what}` }
  },
}

export const archiveCommands: readonly Command[] = [archive, restore]
