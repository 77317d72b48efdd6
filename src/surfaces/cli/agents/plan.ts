/*
 * What is put into the settings of each agent CLI, and where.
 *
 * P1. A hook whose program is gone does nothing: a shell that cannot open a file may answer 2, which would block the agent.
 * P2. Only where a session begins or a context was cut is Node started; all else goes through hook.sh.
 * P3. Every entry carries the mark, by which it is known again.
 */
import * as path from 'node:path'
import type { App } from '../app.ts'
import type { Context } from '../context.ts'
import { quoted } from '../scope.ts'

export const AGENTS = ['claude', 'codex', 'gemini'] as const
export type Agent = (typeof AGENTS)[number]
export type Scope = 'user' | 'project'

/** Behind a command for a shell this is a comment. */
export const MARK = '# steadfold'
export const SERVER = 'steadfold'

export interface Hook {
  readonly event: string
  readonly command: string
}

/** A file, and what goes into it. */
export interface Target {
  readonly file: string
  readonly format: 'json' | 'toml'
  readonly hooks: readonly Hook[]
  /** Seconds, or milliseconds where the CLI counts so. */
  readonly timeout: number
  /** Command line of the MCP server, where that belongs into this file. */
  readonly server: readonly string[] | undefined
  /** Command of the status line; set only where there is none. */
  readonly statusLine: string | undefined
}

interface Wish {
  readonly agent: Agent
  readonly scope: Scope
  readonly gate: boolean
}

interface Events {
  /** With an answer. */
  readonly asks: readonly string[]
  readonly tells: readonly string[]
  /** Before a tool runs. */
  readonly gate: string
}

const EVENTS: Readonly<Record<Agent, Events>> = {
  claude: {
    asks: ['SessionStart'],
    tells: [
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'Notification',
      'SubagentStart',
      'SubagentStop',
      'Stop',
      'StopFailure',
      'SessionEnd',
    ],
    gate: 'PreToolUse',
  },
  codex: {
    asks: ['SessionStart'],
    tells: ['UserPromptSubmit', 'PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostCompact', 'Stop'],
    gate: 'PreToolUse',
  },
  gemini: {
    asks: ['SessionStart', 'BeforeAgent'],
    tells: ['BeforeTool', 'AfterTool', 'AfterAgent', 'Notification', 'PreCompress', 'SessionEnd'],
    gate: 'BeforeTool',
  },
}

export function targetsOf(context: Context<App>, wish: Wish): readonly Target[] {
  const home = homeOf(context, wish)
  const hooks = hooksOf(context, wish)
  const server = ['node', context.app.program, 'mcp']
  const none = { format: 'json', hooks: [], timeout: 0, server: undefined, statusLine: undefined } as const
  if (wish.agent === 'gemini')
    return [{ ...none, file: path.join(home, 'settings.json'), hooks, timeout: 10_000, server }]
  if (wish.agent === 'codex')
    return [
      { ...none, file: path.join(home, 'hooks.json'), hooks, timeout: 10 },
      { ...none, file: path.join(home, 'config.toml'), format: 'toml', server },
    ]
  const statusLine = guarded(context.app.program, `node ${quoted(context.app.program)} statusline`)
  // Paths of this machine do not belong into a file that a team shares.
  const name = wish.scope === 'user' ? 'settings.json' : 'settings.local.json'
  return [{ ...none, file: path.join(home, name), hooks, timeout: 10, statusLine }]
}

function hooksOf({ app }: Context<App>, { agent, gate }: Wish): readonly Hook[] {
  const { asks, tells, gate: before } = EVENTS[agent]
  const script = path.join(path.dirname(app.program), 'hook.sh')
  const node = (more: string) => guarded(app.program, `node ${quoted(app.program)} hook ${agent}${more}`)
  const told = tells.map((event) => ({
    event,
    command: gate && event === before ? node(' --gate') : guarded(script, `sh ${quoted(script)} ${agent}`),
  }))
  return [...asks.map((event) => ({ event, command: node('') })), ...told]
}

/** P1, P3 */
const guarded = (program: string, command: string): string => `test ! -r ${quoted(program)} || ${command} ${MARK}`

/** Where the CLI looks for its settings; each has a variable that says so. */
function homeOf(context: Context<App>, { agent, scope }: Wish): string {
  if (scope === 'project') return path.join(context.dir, `.${agent}`)
  const { env } = context
  const named = agent === 'claude' ? env['CLAUDE_CONFIG_DIR'] : agent === 'codex' ? env['CODEX_HOME'] : undefined
  return named === undefined || named === '' ? path.join(homeFolder(env), `.${agent}`) : named
}

export const homeFolder = (env: Context['env']): string => env['HOME'] ?? env['USERPROFILE'] ?? '/'

/** What is kept for a person, in no workspace. */
export function stateFolder(env: Context['env']): string {
  const named = env['XDG_STATE_HOME'] ?? ''
  return path.join(named === '' ? path.join(homeFolder(env), '.local/state') : named, 'steadfold')
}
