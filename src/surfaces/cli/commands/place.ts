/** The workspace as a place: make it, look whether it is well, count what is in it. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../../kernel/error.ts'
import type { Command } from '../command.ts'
import type { App } from '../app.ts'
import type { Context } from '../context.ts'
import { examine, type Check } from '../doctor.ts'
import { FOLDER, nameOf, quoted } from '../scope.ts'
import { bytes, columns, count, plain, thousands } from '../text.ts'

const init: Command = {
  name: 'init',
  summary: 'make a workspace: the folder .steadfold',
  examples: ['init', 'init --dir ~/src/app'],
  parameters: [],
  flags: [],
  shares: [],
  run: async (context) => {
    const given = path.resolve(context.cwd, context.namedDir ?? '.')
    const dir = path.basename(given) === FOLDER ? path.dirname(given) : given
    if (!fs.existsSync(dir))
      throw new EngineError('FILE_NOT_FOUND', `there is no folder ${dir}`, { hint: `mkdir -p ${quoted(dir)}` })
    const folder = path.join(dir, FOLDER)
    const made = !fs.existsSync(folder)
    await (await context.app.openWorkspace({ dir, create: true })).close()
    const next = context.paint.dim('next: steadfold session create NAME')
    return {
      data: { dir, created: made },
      text: made ? `made ${folder}\n${next}` : `${folder} is there already\n${next}`,
    }
  },
}

const doctor: Command<App> = {
  name: 'doctor',
  summary: 'whether this machine and this workspace are fit for it',
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
      ...(bad.length > 0 ? { exit: 8 } : {}),
    }
  },
}

function doctorText(context: Context<App>, checks: readonly Check[]): string {
  const { paint, io } = context
  const lines = columns(
    checks.map(({ status, name, found }) => [status, name, plain(found)]),
    { width: io.width },
  )
  const dye = { ok: paint.green, warn: paint.yellow, bad: paint.red }
  return lines
    .flatMap((line, i) => {
      const check = checks[i]
      if (check === undefined) return []
      const shown = dye[check.status](check.status) + line.slice(check.status.length)
      return check.hint === undefined ? [shown] : [shown, `      ${paint.dim(`next: ${check.hint}`)}`]
    })
    .join('\n')
}

const stats: Command = {
  name: 'stats',
  summary: 'how much a session holds: commits, events, bytes, actors',
  examples: ['stats', 'stats --session build-auth --json'],
  parameters: [],
  flags: [],
  shares: ['session'],
  run: async (context) => {
    const session = await context.session('read')
    const tally = { op: new Map<string, number>(), event: new Map<string, number>(), actor: new Map<string, number>() }
    const add = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)
    const span: string[] = []
    for await (const { op, actor, events, at } of session.commits()) {
      add(tally.op, op)
      add(tally.actor, actor)
      for (const { type } of events) add(tally.event, type)
      span[span.length === 0 ? 0 : 1] = at
    }
    const sorted = (map: Map<string, number>) => Object.fromEntries([...map].toSorted(([, a], [, b]) => b - a))
    const data = {
      session: session.id,
      name: nameOf(session),
      commits: session.seq,
      first_at: span[0] ?? null,
      last_at: span[1] ?? span[0] ?? null,
      disk_bytes: diskBytes(path.join(context.dir, FOLDER, 'sessions', session.id)),
      state_bytes: Buffer.byteLength(JSON.stringify(session.stored)),
      actors: sorted(tally.actor),
      operations: sorted(tally.op),
      events: sorted(tally.event),
    }
    return { data, text: () => statsText(context, data) }
  },
}

interface Stats {
  readonly name: string
  readonly commits: number
  readonly first_at: string | null
  readonly last_at: string | null
  readonly disk_bytes: number
  readonly state_bytes: number
  readonly actors: Readonly<Record<string, number>>
  readonly operations: Readonly<Record<string, number>>
}

function statsText({ paint, io }: Context, data: Stats): string {
  const head = `${paint.bold(plain(data.name))}  ${count(data.commits, 'commit')}  ${bytes(data.disk_bytes)} on disk  ${bytes(data.state_bytes)} of state`
  const span = paint.dim(`${data.first_at ?? ''} to ${data.last_at ?? ''}`)
  const table = (title: string, counts: Readonly<Record<string, number>>) => {
    const rows = Object.entries(counts)
      .slice(0, 12)
      .map(([key, n]) => [thousands(n), plain(key)])
    return ['', paint.dim(title), ...columns(rows, { right: [0], width: io.width, indent: '  ' })]
  }
  return [head, span, ...table('actors', data.actors), ...table('operations', data.operations)].join('\n')
}

function diskBytes(folder: string): number {
  let sum = 0
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) sum += fs.lstatSync(path.join(entry.parentPath, entry.name)).size
  }
  return sum
}

export const placeCommands: readonly Command<App>[] = [init, doctor, stats]
