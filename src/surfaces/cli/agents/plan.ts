/*
 * What is put into the settings of each agent CLI, and where.
 *
 * P1. A hook whose program is gone does nothing: a shell that cannot open a file may answer 2, which would block the agent.
 * P2. Only where a session begins or a context was cut is Node started; all else goes through hook.sh.
 * P3. Every entry carries the mark, by which it is known again.
 * P4. An agent that a desktop or an editor starts may have no Node on its PATH: then the one that made the entry is used.
 */
import * as path from 'node:path'
import type { Agent } from '../context/agent-names.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { homeFolder } from '../context/home.ts'
import { configFolder } from '../context/home.ts'
import { quoted } from '../context/scope.ts'
import { pluginText } from './plugin-file.ts'
import { MARK, type Hook, type Target } from './target.ts'
import { throughNode } from './through-node.ts'

export type Scope = 'user' | 'project'

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
    tells: [
      'UserPromptSubmit',
      'PreToolUse',
      'PermissionRequest',
      'PostToolUse',
      'SubagentStart',
      'SubagentStop',
      'PostCompact',
      'Interrupt',
      'Stop',
      'SessionEnd',
    ],
    gate: 'PreToolUse',
  },
  gemini: {
    asks: ['SessionStart', 'BeforeAgent'],
    tells: ['BeforeTool', 'AfterTool', 'AfterAgent', 'Notification', 'PreCompress', 'SessionEnd'],
    gate: 'BeforeTool',
  },
}

/** Codex gives them no more than three seconds, and warns at each start of what asks for more. */
const SHORT: ReadonlySet<string> = new Set(['Interrupt', 'SessionEnd'])

export function targetsOf(context: Context<App>, wish: Wish): readonly Target[] {
  const home = homeOf(context, wish)
  const none = { format: 'json', hooks: [], timeout: 0, server: undefined, statusLine: undefined } as const
  if (wish.agent === 'opencode') {
    const plugin = pluginText(path.join(path.dirname(context.app.program), 'opencode.js'), {
      gate: wish.gate,
      node: NODES,
    })
    return [{ ...none, file: path.join(home, 'plugins/steadfold.js'), format: 'plugin', plugin }]
  }
  const hooks = hooksOf(context, wish.agent, wish.gate)
  const server = [...throughNode(context.app.program, NODES), 'mcp']
  if (wish.agent === 'gemini')
    return [{ ...none, file: path.join(home, 'settings.json'), hooks, timeout: 10_000, server }]
  if (wish.agent === 'codex')
    return [
      { ...none, file: path.join(home, 'hooks.json'), hooks, timeout: 10 },
      { ...none, file: path.join(home, 'config.toml'), format: 'toml', server },
    ]
  const statusLine = guarded(context.app.program, `${NODE} ${quoted(context.app.program)} statusline`)
  // Paths of this machine do not belong into a file that a team shares.
  const name = wish.scope === 'user' ? 'settings.json' : 'settings.local.json'
  return [{ ...none, file: path.join(home, name), hooks, timeout: 10, statusLine }]
}

function hooksOf({ app }: Context<App>, agent: keyof typeof EVENTS, gate: boolean): readonly Hook[] {
  const { asks, tells, gate: before } = EVENTS[agent]
  const script = path.join(path.dirname(app.program), 'hook.sh')
  const node = (more: string) => guarded(app.program, `${NODE} ${quoted(app.program)} hook ${agent}${more}`)
  const told = tells.map((event) => ({
    event,
    command: gate && event === before ? node(' --gate') : guarded(script, `sh ${quoted(script)} ${agent}`),
    ...(agent === 'codex' && SHORT.has(event) ? { timeout: 3 } : {}),
    // An automatic one is told at each turn, whether anything is cut or not.
    ...(event === 'PreCompress' ? { matcher: 'manual' } : {}),
  }))
  return [...asks.map((event) => ({ event, command: node('') })), ...told]
}

/** P4 */
const NODES = path.dirname(process.execPath)
const NODE = `PATH="$PATH":${quoted(NODES)} node`

/** P1, P3 */
const guarded = (program: string, command: string): string => `test ! -r ${quoted(program)} || ${command} ${MARK}`

/** Where the CLI looks for its settings; each has a variable that says so. */
function homeOf(context: Context<App>, { agent, scope }: Wish): string {
  if (scope === 'project') return path.join(context.project, `.${agent}`)
  const { env } = context
  const named = env[HOMES[agent]] ?? ''
  const home = agent === 'opencode' ? configFolder(env) : homeFolder(env)
  // A file is known again by its whole path.
  return path.resolve(context.cwd, named === '' ? path.join(home, FOLDERS[agent]) : named)
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
