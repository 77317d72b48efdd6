/** A whole workspace elsewhere: from folder to database, and back. */
import * as path from 'node:path'
import { countArchived } from '../../../kernel/care/put-away.ts'
import { EngineError } from '../../../kernel/error.ts'
import { copyWorkspace, type Copied } from '../../../kernel/exchange/copy-workspace.ts'
import { errnoOf } from '../../../kernel/system-error.ts'
import { kept } from '../../../kernel/text/kept.ts'
import { quoted } from '../../../kernel/text/shell-word.ts'
import type { Workspace } from '../../../kernel/workspace.ts'
import type { Context } from '../context/context.ts'
import { needed } from '../context/input.ts'
import { makeFolders } from '../context/landing.ts'
import { EXIT_PARTIAL } from '../context/result.ts'
import { isAddress, workspaceDir } from '../context/scope.ts'
import { columns, count, plain } from '../show/text.ts'
import type { Command, Parameter } from '../syntax/command.ts'

const place = (name: string, field: string, summary: string): Parameter => ({
  name,
  field,
  type: 'text',
  required: true,
  summary,
})

export const workspaceCopy: Command = {
  name: 'workspace copy',
  summary: 'copy all sessions to another folder or database, byte for byte',
  examples: ['workspace copy . postgres://db/app?namespace=team', 'workspace copy nats://one:4222 ~/copy'],
  notes:
    'It goes on where it was cut short: what is there already is compared and left as it is. Each copy is read again and must end with the same hash. Archived sessions stay behind, which is told, and so does what bundles carried beside a log. The copy of a session that has moved is only read: it belongs to where it moved to. Exit 10 when some could not be copied.',
  parameters: [
    place('FROM', 'from', 'folder or address; it is only read'),
    place('TO', 'to', 'folder or address; made when it is missing'),
  ],
  flags: [],
  shares: [],
  run: async (context, input) => {
    const named = needed(input, 'from')
    const from = await opened(context, named, false)
    let to: Workspace | undefined
    try {
      to = await opened(context, needed(input, 'to'), true)
      const done: Copied[] = []
      for await (const copied of copyWorkspace(from, to)) done.push(copied)
      const failed = done.filter(({ error }) => error !== undefined)
      const archived = await countArchived(from)
      const over = to.kernel.store?.shown ?? needed(input, 'to')
      const left = leftLine(context, archived, from.kernel.store?.shown ?? named)
      return {
        data: { sessions: done, archived },
        text: () => [textOf(context, done, over), ...left].join('\n'),
        exit: failed.length > 0 ? EXIT_PARTIAL : 0,
      }
    } finally {
      await Promise.all([from.close(), to?.close()])
    }
  },
}

async function opened({ app, cwd }: Context, named: string, create: boolean): Promise<Workspace> {
  const dir = isAddress(named)
    ? app.folderFor(named)
    : create
      ? made(path.resolve(cwd, named))
      : workspaceDir(named, cwd)
  return app.openWorkspace({ dir, create })
}

function made(dir: string): string {
  try {
    makeFolders(dir)
    return dir
  } catch (cause) {
    const why = errnoOf(cause) ?? 'unknown error'
    const isFile = why === 'EEXIST' || why === 'ENOTDIR'
    throw new EngineError(isFile ? 'FILE_NOT_FOUND' : 'STORE_UNAVAILABLE', `cannot make the folder ${dir}: ${why}`, {
      hint: isFile
        ? 'a file stands there or on the way; name another folder'
        : 'check the owner and mode of the folder above',
      cause,
    })
  }
}

/** Whoever gives up the old place needs them first. */
const leftLine = ({ paint }: Context, archived: number, from: string): readonly string[] =>
  archived === 0
    ? []
    : [
        `left behind: ${count(archived, 'archived session')}; ${paint.dim(`steadfold session list --archived --dir ${quoted(from)}`)}`,
      ]

function textOf(context: Context, done: readonly Copied[], over: string): string {
  const { io, paint } = context
  if (done.length === 0) return 'nothing to copy'
  const rows = done.map(({ name, seq, commits, error }) => [
    plain(name),
    error === undefined ? `seq ${seq}` : error.code,
    error !== undefined ? 'not copied' : commits === 0 ? 'was there' : `${count(commits, 'commit')} copied`,
  ])
  const why = done.flatMap(({ name, error }) =>
    error === undefined
      ? []
      : [
          `${plain(name)}: ${plain(error.message)}`,
          ...(error.hint === undefined ? [] : [paint.dim(`next: ${plain(hintOf(context, error, over))}`)]),
        ],
  )
  return [...columns(rows, { width: io.width }), ...why].join('\n')
}

/** Over there somebody has the name, and gives it up. */
const hintOf = (context: Context, { code, hint = '' }: NonNullable<Copied['error']>, over: string): string =>
  code === 'NAME_TAKEN' ? kept(hint, { dir: over, session: undefined }) : context.kept(hint)
