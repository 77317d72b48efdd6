/** The workspace as a place: make it, look whether it is well, count what is in it. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError, exitStatus } from '../../../kernel/error.ts'
import type { Check } from '../answer/check.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { EXIT_INTEGRITY, EXIT_UNAVAILABLE, type Result } from '../context/result.ts'
import { FOLDER, isAddress, quoted } from '../context/scope.ts'
import { columns, cut, plain } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { workspaceCopy } from './copy.ts'
import { examine } from './examine.ts'
import { stats } from './stats.ts'

const init: Command = {
  name: 'init',
  summary: 'make a workspace: the folder .steadfold',
  examples: ['init', 'init --dir ~/src/app', 'init --dir postgres://app@db.example/app?namespace=team'],
  parameters: [],
  flags: [],
  shares: [],
  run: async (context) => {
    if (context.namedDir !== undefined && isAddress(context.namedDir)) return initAt(context)
    const given = path.resolve(context.cwd, context.namedDir ?? '.')
    const dir = path.basename(given) === FOLDER ? path.dirname(given) : given
    if (!fs.existsSync(dir))
      throw new EngineError('FILE_NOT_FOUND', `there is no folder ${dir}`, { hint: `mkdir -p ${quoted(dir)}` })
    const folder = path.join(dir, FOLDER)
    const made = !fs.existsSync(folder)
    await (await context.app.openWorkspace({ dir, create: true })).close()
    const next = context.paint.dim(context.kept('next: steadfold session create NAME'))
    return {
      data: { dir, created: made },
      text: made ? `made ${folder}\n${next}` : `${folder} is there already\n${next}`,
    }
  },
}

/** The tables, where they are missing or old. */
async function initAt(context: Context): Promise<Result> {
  const { dir } = context
  const workspace = await context.app.openWorkspace({ dir, create: true })
  const { shown = '' } = workspace.kernel.store ?? {}
  await workspace.close()
  const next = context.paint.dim(`next: export STEADFOLD_DIR=${quoted(shown)}; steadfold session create NAME`)
  return { data: { dir, store: shown }, text: `ready: ${shown}\n${next}` }
}

const doctor: Command<App> = {
  name: 'doctor',
  summary: 'whether this machine and this workspace are fit for it',
  notes:
    'Exit 3: there is no workspace here; 8: something is bad; 9: a log is damaged, or what is here is of another version.',
  examples: ['doctor', 'doctor --json'],
  parameters: [],
  flags: [],
  shares: [],
  run: async (context) => {
    const checks = await examine(context)
    const bad = checks.filter(({ status }) => status === 'bad')
    return {
      data: { ok: bad.length === 0, checks },
      text: () => doctorText(context, checks),
      exit: exitOf(bad),
    }
  },
}

function exitOf(bad: readonly Check[]): number {
  if (bad.some(({ damaged = 0, unknown }) => damaged > 0 || unknown)) return EXIT_INTEGRITY
  if (bad.length > 0 && bad.every(({ missing }) => missing)) return exitStatus('WORKSPACE_NOT_FOUND')
  return bad.length > 0 ? EXIT_UNAVAILABLE : 0
}

function doctorText(context: Context<App>, checks: readonly Check[]): string {
  const { paint, io } = context
  const lines = columns(checks.map(({ status, name, found }) => [status, name, plain(found)]))
  const dye = { ok: paint.green, warn: paint.yellow, bad: paint.red }
  return lines
    .flatMap((line, i) => {
      const check = checks[i]
      if (check === undefined) return []
      // What is wrong is said whole: why comes last in it.
      const kept = check.status === 'ok' ? cut(line, io.width) : line
      const shown = dye[check.status](check.status) + kept.slice(check.status.length)
      return check.hint === undefined ? [shown] : [shown, `      ${paint.dim(context.kept(`next: ${check.hint}`))}`]
    })
    .join('\n')
}

export const placeCommands: readonly Command<App>[] = [init, doctor, stats, workspaceCopy]
