/** How well a workspace is: figures against the limits of config.json, each with the next step. */
import * as path from 'node:path'
import { figureOf, visitAll } from '../../../kernel/care/shut.ts'
import { judge, type Figure, type HealthCheck, type HealthName } from '../../../kernel/health.ts'
import { duration } from '../../../kernel/text/duration.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { EXIT_INTEGRITY, EXIT_UNAVAILABLE } from '../context/result.ts'
import { FOLDER } from '../context/scope.ts'
import { fit, type Column } from '../show/fit.ts'
import { bytes, count, plain } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'

export const health: Command<App> = {
  name: 'health',
  summary: 'whether figures are within limits: logs, spool, leases, disk',
  examples: ['health', 'health --session build-auth', 'health --json'],
  notes:
    'Limits are members of "health" in .steadfold/config.json: {"health":{"disk":{"warning":5e9,"critical":1e9}}}. A limit that is reached as critical is exit 8, a damaged log exit 9.',
  parameters: [],
  flags: [],
  shares: ['session'],
  run: async (context) => {
    const workspace = await context.workspace()
    const folder = path.join(context.dir, FOLDER)
    const { settings } = workspace.kernel
    const figures = [...(await ofSessions(context)), ...(await context.app.overview.folderFigures(folder))]
    const data = judge(figures, settings.health, Date.now())
    return { data, text: () => healthText(context, data.checks), exit: exitOf(data.checks) }
  },
}

async function ofSessions(context: Context<App>): Promise<readonly Figure[]> {
  const workspace = await context.workspace()
  const { figures } = context.app.overview
  if (context.askedSession !== undefined) return figures(await context.session('read'), workspace)
  const all: Figure[] = []
  const shut = await visitAll(workspace, async (session) => {
    all.push(...(await figures(session, workspace)))
  })
  return [...all, ...shut.map(figureOf)]
}

function exitOf(checks: readonly HealthCheck[]): number {
  const failed = checks.filter(({ status }) => status === 'fail')
  if (failed.some(({ name }) => name === 'damage')) return EXIT_INTEGRITY
  return failed.length > 0 ? EXIT_UNAVAILABLE : 0
}

const SAID: Readonly<Record<HealthName, (figure: number) => string>> = {
  log_size: bytes,
  spool_backlog: (n) => count(n, 'fact'),
  lease_lag: (ms) => (ms === 0 ? 'none over' : `over for ${duration(ms)}`),
  disk: (n) => `${bytes(n)} free`,
  clock_skew: (ms) => (ms === 0 ? 'none' : `${duration(ms)} behind the log`),
  damage: (n) => (n === 0 ? 'none' : 'its log is damaged'),
}

function limitText(name: HealthName, limit: number): string {
  if (name === 'damage') return ''
  return `limit ${name === 'lease_lag' || name === 'clock_skew' ? duration(limit) : SAID[name](limit)}`
}

const CHECK: readonly Column[] = [
  { name: 'status' },
  { name: 'name' },
  { name: 'figure' },
  { name: 'limit', rank: 1 },
  { name: 'of', rank: 0, least: 20 },
]

function healthText(context: Context, checks: readonly HealthCheck[]): string {
  const { paint, io } = context
  const dye = { ok: paint.green, warn: paint.yellow, fail: paint.red }
  const rows = checks.map(({ name, status, figure, of, threshold }) => [
    status,
    name.replaceAll('_', ' '),
    SAID[name](figure),
    status === 'ok' ? '' : limitText(name, status === 'fail' ? threshold.critical : threshold.warning),
    status === 'ok' ? '' : plain(of),
  ])
  return fit(rows, CHECK, io.width)
    .lines.flatMap((line, i) => {
      const { status, next } = checks[i] ?? { status: 'ok', next: null }
      const shown = dye[status](status) + line.slice(status.length)
      return next === null ? [shown] : [shown, `      ${paint.dim(`next: ${plain(context.kept(next))}`)}`]
    })
    .join('\n')
}
