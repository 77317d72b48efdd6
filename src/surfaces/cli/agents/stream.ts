/*
 * What an agent CLI writes while it works without a terminal, one JSON object a line, in one vocabulary.
 *
 * R1. A line that is no JSON, or tells of something unknown, is passed over: it neither ends a run nor stops the reading.
 * R2. Figures are totals: what a CLI tells in parts is summed, and where it tells a total, that counts instead: of a turn,
 *     or of all turns.
 * R3. An end by a limit of the provider is `quota`, told from other failures by the provider's words.
 */
import { membersOf, type Members } from '../../../kernel/json/members.ts'
import { whole } from '../../../kernel/text/whole.ts'
import type { Agent } from '../context/agent-names.ts'
import { textAt } from '../show/view.ts'

export type EndCause = 'finished' | 'failed' | 'quota'

export type Told =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool'; readonly name: string; readonly detail: string }
  | { readonly kind: 'used'; readonly tokens: number; readonly cost_usd: number }
  | { readonly kind: 'end'; readonly cause: EndCause; readonly reason: string | null }

type Line = Members
type Reader = (line: Line) => readonly Told[]

/** Made for one run: it remembers what was counted (R2). */
export function streamReader(agent: Agent): (line: string) => readonly Told[] {
  const read = READERS[agent]()
  return (line) => parse(line).flatMap(read)
}

/** Its tokens are those of its session since that began, also where it was taken up again. */
export const tellsAll = (agent: Agent): boolean => agent === 'codex'

/** R3 */
export const isQuota = (message: string): boolean => LIMITS.some((limit) => limit.test(message))

const LIMITS = [
  /usage (limit|exceeded)|(hit|reached) (your|the) .{0,40}\b(limit|cap|budget)\b|hit your limit|limit reached|spend(ing)? (limit|cap)/i,
  /rate.?limit|quota|too many requests|\b429\b|resource.?exhausted/i,
  /credit balance|out of (extra )?(usage|credits)|(include|requires) (extra )?usage|usage allocation/i,
]

const READERS: Readonly<Record<Agent, () => Reader>> = {
  claude: claudeReader,
  codex: codexReader,
  gemini: geminiReader,
  opencode: opencodeReader,
}

function claudeReader(): Reader {
  /** Of the turn that goes on. */
  const messages = new Map<string, number>()
  let ended = 0
  let cost_usd = 0
  const used = (): Told => ({ kind: 'used', tokens: ended + sum([...messages.values()]), cost_usd })
  return (line) => {
    if (line['type'] === 'system' && line['subtype'] === 'init') return sessionOf(line['session_id'])
    if (line['type'] === 'assistant') {
      const message = membersOf(line['message'])
      const id = textAt(message['id']) ?? String(messages.size)
      // Parts of one message repeat its figures.
      messages.set(id, tokensOf(membersOf(message['usage']), CLAUDE_TOKENS))
      return [...listOf(message['content']).flatMap(claudeBlock), used()]
    }
    if (line['type'] !== 'result') return []
    const turn = tokensOf(membersOf(line['usage']), CLAUDE_TOKENS)
    const all = sum(Object.values(membersOf(line['modelUsage'])).map((of) => tokensOf(membersOf(of), OF_A_MODEL)))
    if (turn + all > 0) messages.clear()
    ended = all > 0 ? all : ended + turn
    cost_usd = Math.max(cost_usd, numberOf(line['total_cost_usd']))
    return [used(), claudeEnd(line)]
  }
}

const CLAUDE_TOKENS = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']
/** Of the whole process, subagents included; `usage` is of one turn. */
const OF_A_MODEL = ['inputTokens', 'outputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens']

function claudeBlock(block: Line): readonly Told[] {
  if (block['type'] === 'text') return textOf(block['text'])
  if (block['type'] !== 'tool_use') return []
  return [{ kind: 'tool', name: textAt(block['name']) ?? 'tool', detail: detailOf(membersOf(block['input'])) }]
}

function claudeEnd(line: Line): Told {
  const subtype = textAt(line['subtype']) ?? 'error'
  if (subtype === 'success' && line['is_error'] !== true) return FINISHED
  return failed(textAt(line['result']) ?? textAt(line['error']) ?? subtype)
}

function codexReader(): Reader {
  let tokens = 0
  return (line) => {
    switch (line['type']) {
      case 'thread.started':
        return sessionOf(line['thread_id'])
      case 'item.started':
      case 'item.completed':
        return codexItem(membersOf(line['item']), line['type'] === 'item.started')
      case 'turn.completed':
        // Of all turns of its session.
        tokens = Math.max(tokens, tokensOf(membersOf(line['usage']), ['input_tokens', 'output_tokens']))
        return [{ kind: 'used', tokens, cost_usd: 0 }, FINISHED]
      case 'turn.failed':
        return [failed(textAt(membersOf(line['error'])['message']) ?? 'the turn failed')]
      case 'error':
        return [failed(textAt(line['message']) ?? 'error')]
      default:
        return []
    }
  }
}

/** Tools are told when they begin, but for those that are only told when they end. */
function codexItem(item: Line, begins: boolean): readonly Told[] {
  const type = textAt(item['type']) ?? textAt(item['item_type']) ?? ''
  if (type === 'agent_message') return begins ? [] : textOf(item['text'])
  if (begins !== (type === 'command_execution' || type === 'mcp_tool_call')) return []
  if (!/^(command_execution|mcp_tool_call|file_change|web_search)$/.test(type)) return []
  const name = type === 'mcp_tool_call' ? `${String(item['server'])}.${String(item['tool'])}` : type
  return [{ kind: 'tool', name, detail: detailOf(item) }]
}

function geminiReader(): Reader {
  return (line) => {
    switch (line['type']) {
      case 'init':
        return sessionOf(line['session_id'])
      case 'message':
        return line['role'] === 'assistant' ? textOf(line['content']) : []
      case 'tool_use':
        return [
          { kind: 'tool', name: textAt(line['tool_name']) ?? 'tool', detail: detailOf(membersOf(line['parameters'])) },
        ]
      case 'result':
        return [
          { kind: 'used', tokens: wholeOf(membersOf(line['stats'])['total_tokens']), cost_usd: 0 },
          line['status'] === 'success' ? FINISHED : failed(textAt(membersOf(line['error'])['message']) ?? 'error'),
        ]
      default:
        return []
    }
  }
}

/** Every line names the session. A step that ends may be the last: what follows one that calls tools is told by the next. */
function opencodeReader(): Reader {
  let tokens = 0
  let cost_usd = 0
  let session: unknown
  return (line) => {
    const part = membersOf(line['part'])
    const named = session === undefined ? sessionOf((session = line['sessionID'])) : []
    switch (line['type']) {
      case 'text':
        return [...named, ...textOf(part['text'])]
      case 'tool_use': {
        const input = membersOf(membersOf(part['state'])['input'])
        return [...named, { kind: 'tool', name: textAt(part['tool']) ?? 'tool', detail: detailOf(input) }]
      }
      case 'step_finish':
        tokens += opencodeTokens(membersOf(part['tokens']))
        cost_usd += numberOf(part['cost'])
        return [...named, { kind: 'used', tokens, cost_usd }, FINISHED]
      case 'error': {
        return [...named, opencodeFailed(membersOf(line['error']))]
      }
      default:
        return named
    }
  }
}

/** Of version 1 `name` and `data`, of version 2 `type` and `message`: the type says of a limit what the words may not. */
function opencodeFailed({ name, type, data, message }: Line): Told {
  const reason = textAt(membersOf(data)['message']) ?? textAt(message) ?? textAt(name) ?? textAt(type) ?? 'error'
  return isQuota(textAt(type) ?? '') ? { ...failed(reason), cause: 'quota' } : failed(reason)
}

const opencodeTokens = (tokens: Line): number =>
  tokensOf(tokens, ['input', 'output', 'reasoning']) + tokensOf(membersOf(tokens['cache']), ['read', 'write'])

const FINISHED: Told = { kind: 'end', cause: 'finished', reason: null }

const failed = (reason: string): Extract<Told, { kind: 'end' }> => ({
  kind: 'end',
  cause: isQuota(reason) ? 'quota' : 'failed',
  reason: whole(reason, 500),
})

/** Ids go into commands that people copy. */
function sessionOf(id: unknown): readonly Told[] {
  return typeof id === 'string' && /^\w[\w.:-]{0,127}$/.test(id) ? [{ kind: 'session', id }] : []
}

const textOf = (text: unknown): readonly Told[] =>
  typeof text === 'string' && text !== '' ? [{ kind: 'text', text }] : []

const detailOf = (input: Line): string =>
  ['command', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description']
    .map((name) => textAt(input[name]))
    .find((text) => text !== null) ?? ''

const tokensOf = (usage: Line, names: readonly string[]): number => sum(names.map((name) => wholeOf(usage[name])))

/** No part of a token is free. */
const wholeOf = (value: unknown): number => Math.ceil(numberOf(value))

const numberOf = (value: unknown): number => (typeof value === 'number' && value > 0 && value < 1e12 ? value : 0)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

const listOf = (value: unknown): readonly Line[] => (Array.isArray(value) ? value.map(membersOf) : [])

/** Claude Code writes all of them as one list where it is asked for that. */
function parse(line: string): readonly Line[] {
  try {
    const value: unknown = JSON.parse(line)
    return Array.isArray(value) ? listOf(value) : [membersOf(value)]
  } catch {
    return []
  }
}
