import * as z from 'zod/mini'
import { amount, count, flag, moment, processRef, text } from '../../kernel/state/shapes.ts'
import { AGENT_CLIS } from './events.ts'

const agent = z.enum(AGENT_CLIS)

const agent_run = z.object({
  agent,
  run: text,
  cli_session: z.nullable(text),
  cwd: z.nullable(text),
  status: z.enum(['starting', 'idle', 'working', 'waiting', 'ended']),
  cause: z.nullable(z.enum(['finished', 'failed', 'crashed', 'quota', 'timeout', 'stopped'])),
  reason: z.nullable(text),
  started_at: moment,
  last_at: moment,
  prompts: count,
  tools: count,
  tools_told: count,
  failed: count,
  compactions: count,
  tokens: count,
  cost_usd: amount,
  tool: z.nullable(text),
  forgot: flag,
  process: z.nullable(processRef),
  cli_process: z.optional(processRef),
  who: z.optional(text),
})

const seen = z.object({
  at: moment,
  agent,
  run: text,
  kind: z.enum([
    'started',
    'prompted',
    'tool-started',
    'tool-finished',
    'tool-failed',
    'asked',
    'subagent-started',
    'subagent-ended',
    'compacted',
    'turn-ended',
    'turn-failed',
    'ended',
  ]),
  tool: z.nullable(text),
  detail: z.nullable(text),
})

export const activityParts = { agent_run }

export const activitySchema = z.object({
  runs: z.record(text, agent_run),
  recent: z.array(seen),
  raw: count,
  spent: z.optional(z.object({ tokens: count, cost_usd: amount })),
})
