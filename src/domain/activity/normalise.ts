/*
 * From the JSON that an agent CLI hands its hooks to one vocabulary.
 *
 * Claude Code and Codex name their events alike; Gemini CLI has names of its own, Codex an older notification, and opencode
 * is told of by the plugin that is put into it (opencode-plugin.ts).
 * A payload that was cut on the way is still known by its first members (Y2 for all else).
 */
import { isMembers, membersOf, type Members } from '../../kernel/json/members.ts'
import { bounded, line } from './bounded.ts'
import type { ActivityKind, AgentCli, Raw, Recorded } from './events.ts'

const SHARED: Readonly<Record<string, ActivityKind>> = {
  SessionStart: 'started',
  UserPromptSubmit: 'prompted',
  PreToolUse: 'tool-started',
  PostToolUse: 'tool-finished',
  PostToolUseFailure: 'tool-failed',
  PermissionRequest: 'asked',
  Notification: 'asked',
  Elicitation: 'asked',
  SubagentStart: 'subagent-started',
  SubagentStop: 'subagent-ended',
  PostCompact: 'compacted',
  Stop: 'turn-ended',
  StopFailure: 'turn-failed',
  SessionEnd: 'ended',
}

const KINDS: Readonly<Record<AgentCli, Readonly<Record<string, ActivityKind>>>> = {
  claude: SHARED,
  codex: { ...SHARED, Interrupt: 'turn-ended', 'agent-turn-complete': 'turn-ended' },
  gemini: {
    SessionStart: 'started',
    BeforeAgent: 'prompted',
    BeforeTool: 'tool-started',
    AfterTool: 'tool-finished',
    Notification: 'asked',
    PreCompress: 'compacted',
    AfterAgent: 'turn-ended',
    SessionEnd: 'ended',
  },
  opencode: {
    'session.started': 'started',
    'chat.message': 'prompted',
    'tool.execute.before': 'tool-started',
    'tool.execute.after': 'tool-finished',
    'tool.error': 'tool-failed',
    'permission.asked': 'asked',
    'question.asked': 'asked',
    'subagent.created': 'subagent-started',
    'subagent.idle': 'subagent-ended',
    'session.compacted': 'compacted',
    'session.idle': 'turn-ended',
    'session.error': 'turn-failed',
    'session.deleted': 'ended',
    dispose: 'ended',
  },
}

const ID = /^[\w][\w.:-]{0,127}$/
const LONGEST_DETAIL = 200
const LONGEST_PATH = 4096
/** Where the first members of a payload stand. */
const HEAD = 4000

export type Told =
  | { readonly type: 'activity.recorded'; readonly data: Recorded }
  | { readonly type: 'agent.raw'; readonly data: Raw }

export function normalise(agent: AgentCli, payload: string): Told {
  const parsed = parse(payload)
  const members = parsed ?? salvaged(payload)
  const told = {
    name: textAt(members, 'hook_event_name') ?? textAt(members, 'type'),
    run: textAt(members, 'session_id') ?? textAt(members, 'thread-id'),
  }
  const base = { agent, raw: bounded(parsed ?? payload), size: payload.length }
  const { name = '', run = '' } = told
  const known = Object.hasOwn(KINDS[agent], name) ? KINDS[agent][name] : undefined
  if (known === undefined || !ID.test(run)) return { type: 'agent.raw', data: { ...base, ...unknown(told, parsed) } }
  const kind = known === 'tool-finished' && hasFailed(members) ? 'tool-failed' : known
  return { type: 'activity.recorded', data: { ...base, run, kind, name, ...said(kind, members) } }
}

interface Named {
  readonly name: string | undefined
  readonly run: string | undefined
}

function unknown({ name, run }: Named, parsed: Members | undefined): Pick<Raw, 'run' | 'name' | 'why'> {
  const isId = run !== undefined && ID.test(run)
  const why = parsed === undefined && name === undefined ? 'no-json' : isId ? 'unknown-event' : 'no-session'
  return { run: isId ? run : null, name: name === undefined ? null : line(name, 100), why }
}

function said(kind: ActivityKind, members: Members): Pick<Recorded, 'cwd' | 'tool' | 'detail'> {
  const cwd = textAt(members, 'cwd')
  const tool = textAt(members, 'tool_name')
  const detail = detailOf(kind, members)
  return {
    cwd: cwd === undefined || cwd.length > LONGEST_PATH ? null : line(cwd, LONGEST_PATH),
    tool: tool === undefined ? null : line(tool, 100),
    detail: detail === undefined || detail === '' ? null : line(detail, LONGEST_DETAIL),
  }
}

const SAYS: Readonly<Partial<Record<ActivityKind, readonly string[]>>> = {
  started: ['source'],
  prompted: ['prompt'],
  asked: ['message', 'tool_name'],
  'subagent-started': ['agent_type'],
  'subagent-ended': ['agent_type'],
  compacted: ['trigger'],
  'turn-failed': ['error', 'error_details'],
  ended: ['reason'],
}

/** Gemini CLI puts what hooks said before the words of the person. */
const HOOKED = /^<hook_context>.*?<\/hook_context>\s*/s

const OF_TOOLS = ['command', 'file_path', 'filePath', 'path', 'absolute_path', 'pattern', 'query', 'url', 'description']

function detailOf(kind: ActivityKind, members: Members): string | undefined {
  if (kind.startsWith('tool-')) return firstText(membersOf(members['tool_input']), OF_TOOLS)
  return firstText(members, SAYS[kind] ?? [])?.replace(HOOKED, '')
}

function firstText(members: Members, names: readonly string[]): string | undefined {
  return names.map((name) => textAt(members, name)).find((text) => text !== undefined)
}

/** Gemini CLI tells of both with one event. */
function hasFailed(members: Members): boolean {
  const response = membersOf(members['tool_response'])
  return Boolean(response['error']) || response['is_error'] === true || response['success'] === false
}

function parse(payload: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(payload)
    return isMembers(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Inside a text of JSON the quotes of a name would be escaped, so what is found is a member. */
function salvaged(payload: string): Members {
  const head = payload.slice(0, HEAD)
  const names = ['session_id', 'hook_event_name', 'cwd', 'tool_name']
  const found = names.flatMap((name) => {
    const [, text] = new RegExp(`"${name}"\\s*:\\s*"([^"\\\\]{1,${LONGEST_PATH}})"`).exec(head) ?? []
    return text === undefined ? [] : [[name, text] as const]
  })
  return Object.fromEntries(found)
}

function textAt(members: Members, name: string): string | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined
  return typeof value === 'string' ? value : undefined
}
