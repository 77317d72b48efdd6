/*
 * What is put into the settings of each agent CLI, and where.
 *
 * P1. A hook whose program is gone does nothing: a shell that cannot open a file may answer 2, which would block the agent.
 * P2. Only where a session begins or a context was cut is Node started; all else goes through hook.sh.
 * P3. Every entry carries the mark, by which it is known again.
 */
import * as os from 'node:os'
import * as path from 'node:path'
import { homeIn } from '../../../kernel/text/home.ts'
import type { App } from '../app.ts'
import type { Context } from '../context.ts'
import { quoted } from '../scope.ts'
import type { Agent } from './names.ts'
import { pluginText } from './plugin-file.ts'

export type Scope = 'user' | 'project'

/** Behind a command for a shell this is a comment. */
export const MARK = '# steadfold'
export const SERVER = 'steadfold'

export interface Hook {
  readonly event: string
  readonly command: string
  /** Of which of them; of all, where it is left out. */
  readonly matcher?: string
}

/** A file, and what goes into it. */
export interface Target {
  readonly file: string
  readonly format: 'json' | 'toml' | 'plugin'
  readonly hooks: readonly Hook[]
  /** Seconds, or milliseconds where the CLI counts so. */
  readonly timeout: number
  /** Command line of the MCP server, where that belongs into this file. */
  readonly server: readonly string[] | undefined
  /** Command of the status line; set only where there is none. */
  readonly statusLine: string | undefined
  /** The whole text of the file, where it is a program of ours. */
  readonly plugin?: string
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

/** opencode has no commands for events: its plugin hears them all. */
const EVENTS: Readonly<Record<Exclude<Agent, 'opencode'>, Events>> = {
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
  const none = { format: 'json', hooks: [], timeout: 0, server: undefined, statusLine: undefined } as const
  if (wish.agent === 'opencode') {
    const plugin = pluginText(path.join(path.dirname(context.app.program), 'opencode.js'), wish.gate)
    return [{ ...none, file: path.join(home, 'plugins/steadfold.js'), format: 'plugin', plugin }]
  }
  const hooks = hooksOf(context, wish.agent, wish.gate)
  const server = ['node', context.app.program, 'mcp']
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

function hooksOf({ app }: Context<App>, agent: keyof typeof EVENTS, gate: boolean): readonly Hook[] {
  const { asks, tells, gate: before } = EVENTS[agent]
  const script = path.join(path.dirname(app.program), 'hook.sh')
  const node = (more: string) => guarded(app.program, `node ${quoted(app.program)} hook ${agent}${more}`)
  const told = tells.map((event) => ({
    event,
    command: gate && event === before ? node(' --gate') : guarded(script, `sh ${quoted(script)} ${agent}`),
    // An automatic one is told at each turn, whether anything is cut or not.
    ...(event === 'PreCompress' ? { matcher: 'manual' } : {}),
  }))
  return [...asks.map((event) => ({ event, command: node('') })), ...told]
}

/** P1, P3 */
const guarded = (program: string, command: string): string => `test ! -r ${quoted(program)} || ${command} ${MARK}`

/** Where the CLI looks for its settings; each has a variable that says so. */
function homeOf(context: Context<App>, { agent, scope }: Wish): string {
  if (scope === 'project') return path.join(context.dir, `.${agent}`)
  const { env } = context
  const named = env[HOMES[agent]] ?? ''
  return named === '' ? path.join(agent === 'opencode' ? configFolder(env) : homeFolder(env), FOLDERS[agent]) : named
}

const HOMES: Readonly<Record<Agent, string>> = {
  claude: 'CLAUDE_CONFIG_DIR',
  codex: 'CODEX_HOME',
  gemini: '',
  opencode: 'OPENCODE_CONFIG_DIR',
}
const FOLDERS: Readonly<Record<Agent, string>> = {
  claude: '.claude',
  codex: '.codex',
  gemini: '.gemini',
  opencode: 'opencode',
}

function configFolder(env: Context['env']): string {
  const named = env['XDG_CONFIG_HOME'] ?? ''
  return named === '' ? path.join(homeFolder(env), '.config') : named
}

export const homeFolder = (env: Context['env']): string => homeIn(env, () => os.userInfo().homedir)

/** What is kept for a person, in no workspace. */
export function stateFolder(env: Context['env']): string {
  const named = env['XDG_STATE_HOME'] ?? ''
  return path.join(path.isAbsolute(named) ? named : path.join(homeFolder(env), '.local/state'), 'steadfold')
}
