import * as z from 'zod/mini'
import { refuse } from '../../kernel/decision.ts'
import { EngineError } from '../../kernel/error.ts'
import { given } from '../../kernel/json/members.ts'
import { readOperation, writeOperation, type Context } from '../../kernel/operation/operation.ts'
import { isForbiddenKey } from '../../kernel/path/path.ts'
import { agentIn, agentsOf, poolIn } from './agents.ts'
import { decideRemovePool, decideScale, decideSetPool } from './decide-pool.ts'
import { decideAssign, decideHeartbeat, decideLeave, decideReap, decideStop, orphans } from './decide.ts'
import type { AgentEvent, AgentLimits, Sampled } from './events.ts'
import { healthOf } from './health.ts'
import { decideRegister } from './limits.ts'
import { agentRows, agentRow, goneRows, missing, poolRow, poolRows } from './views.ts'

const DEFAULT_TTL_MS = 120_000
const LONGEST_TTL_MS = 86_400_000

const id = z.string().check(
  z.maxLength(100),
  z.regex(/^[a-z][a-z0-9-]*$/, 'must be a-z, 0-9 and -, beginning with a letter'),
  z.refine<string>((text) => !isForbiddenKey(text), 'is never stored'),
)
const text = z.string().check(z.minLength(1), z.maxLength(1000))
const count = z.int().check(z.nonnegative())
const positive = z.int().check(z.positive())
const token = z.optional(positive)
const reason = z.optional(text)
const resources = z.array(text)

const registration = {
  agent: id,
  type: id,
  ttl_ms: z._default(z.int().check(z.positive(), z.maximum(LONGEST_TTL_MS)), DEFAULT_TTL_MS),
  worktree: z.optional(text),
  resources: z._default(resources, []),
  max_memory_mb: z.optional(positive),
  max_tokens_per_hour: z.optional(positive),
  max_tokens: z.optional(positive),
  max_children: z.optional(count),
  resume: z._default(z.boolean(), false),
}

const registered = (events: readonly AgentEvent[]) =>
  events.findLast((event) => event.type === 'agent.registered' || event.type === 'agent.resumed')?.data

export const agentOperations = [
  writeOperation({
    name: 'agent.register',
    summary: 'Join as an agent; the answer holds the token to work with',
    input: () => z.object(registration),
    positional: ['agent', 'type'],
    decide: (state, input, context) => decideRegister(state, { ...input, ...limitsOf(input), parent: null }, context),
    answer: registered,
  }),
  writeOperation({
    name: 'agent.spawn',
    summary: 'Register an agent under another, which is the one that asks when left out',
    input: () => z.object({ ...registration, parent: z.optional(id) }),
    positional: ['agent', 'type'],
    decide: (state, input, context) => {
      const parent = input.parent ?? askingAgent(context)
      return parent === null
        ? refuse('INPUT_INVALID', `whose child "${input.agent}" is was not said`, {
            hint: 'add --parent AGENT, or ask as one: --as agent:NAME',
          })
        : decideRegister(state, { ...input, ...limitsOf(input), parent }, context)
    },
    answer: registered,
  }),
  writeOperation({
    name: 'agent.heartbeat',
    summary: 'Keep the lease of an agent, and say how it does',
    input: () =>
      z.object({
        agent: id,
        token,
        status: z.optional(z.enum(['idle', 'busy', 'blocked'])),
        reason,
        task: z.optional(z.nullable(text)),
        tokens: z._default(count, 0),
        errors: z._default(count, 0),
        memory_mb: z.optional(count),
      }),
    positional: ['agent'],
    decide: decideHeartbeat,
    answer: (events) => events.findLast((event) => event.type === 'agent.heartbeat-received')?.data,
  }),
  writeOperation({
    name: 'agent.assign',
    summary: 'Say which task and resources an agent has',
    input: () => z.object({ agent: id, task: z.optional(z.nullable(text)), resources: z.optional(resources) }),
    positional: ['agent'],
    decide: decideAssign,
  }),
  writeOperation({
    name: 'agent.stop',
    summary: 'Ask an agent, and all below it, to end',
    input: () => z.object({ agent: id, now: z._default(z.boolean(), false), reason }),
    positional: ['agent'],
    decide: decideStop,
  }),
  writeOperation({
    name: 'agent.leave',
    summary: 'Take an agent out of the session; its tasks are free again',
    input: () =>
      z.object({
        agent: id,
        token,
        cause: z._default(z.enum(['finished', 'crashed', 'quota', 'timeout', 'stopped', 'waiting']), 'finished'),
        reason,
        children: z._default(z.enum(['refuse', 'adopt', 'remove']), 'refuse'),
      }),
    positional: ['agent'],
    decide: decideLeave,
  }),
  writeOperation({
    name: 'agent.reap',
    summary: 'Remove agents whose parent is gone; their tasks are free again',
    input: () => z.object({}),
    tells: true,
    decide: (state) => decideReap(state),
  }),
  readOperation({
    name: 'agent.list',
    summary: 'The agents of a session, or the last ones that went',
    input: () =>
      z.object({
        status: z.optional(z.enum(['initializing', 'idle', 'busy', 'blocked', 'terminating'])),
        type: z.optional(id),
        gone: z._default(z.boolean(), false),
        orphaned: z._default(z.boolean(), false),
      }),
    read: (state, { status, type, gone, orphaned }, { now }) => {
      if (gone) return goneRows(state).filter((row) => type === undefined || row.agent_type === type)
      const lost = new Set(orphaned ? orphans(agentsOf(state)) : [])
      return agentRows(state, now).filter(
        (row) =>
          (status === undefined || row.status === status) &&
          (type === undefined || row.type === type) &&
          (!orphaned || lost.has(row.id)),
      )
    },
  }),
  readOperation({
    name: 'agent.show',
    summary: 'Everything that is known of an agent',
    input: () => z.object({ agent: id }),
    positional: ['agent'],
    read: (state, { agent: name }, { now }) => {
      const agent = agentIn(agentsOf(state), name)
      if (agent === undefined)
        throw new EngineError('NOT_FOUND', `no agent "${name}"`, { hint: 'steadfold agent list' })
      return { ...agentRow(state, name, agent, now), health: healthOf(agent, now), record: agent }
    },
  }),
]

export const poolOperations = [
  writeOperation({
    name: 'pool.set',
    summary: 'Say how many agents of a type there may be, and who decides how many',
    input: () =>
      z.object({
        type: id,
        min: z._default(count, 0),
        max: z._default(positive, 1),
        policy: z._default(z.enum(['manual', 'demand', 'predictive']), 'manual'),
        tasks_per_agent: z._default(positive, 1),
        max_memory_mb: z.optional(positive),
        max_tokens_per_hour: z.optional(positive),
      }),
    positional: ['type'],
    decide: (state, { type, min, max, policy, tasks_per_agent, ...limits }) =>
      decideSetPool(state, {
        agent_type: type,
        min_instances: min,
        max_instances: max,
        scaling_policy: policy,
        resource_limits: given(limits),
        tasks_per_agent,
      }),
  }),
  writeOperation({
    name: 'pool.remove',
    summary: 'Forget a pool; its agents stay',
    input: () => z.object({ type: id }),
    positional: ['type'],
    decide: (state, { type }) => decideRemovePool(state, type),
  }),
  writeOperation({
    name: 'pool.scale',
    summary: 'Look at the queue and decide how many agents a pool should have',
    input: () => z.object({ type: id, to: z.optional(count), depth: z.optional(count) }),
    positional: ['type'],
    decide: decideScale,
    answer: (events) => {
      // As above; what followed by itself comes behind.
      const sampled = events.find(({ type }) => type === 'pool.sampled')?.data as Sampled | undefined
      return sampled && { ...sampled, ...missing(sampled.running, sampled.target) }
    },
  }),
  readOperation({
    name: 'pool.list',
    summary: 'The pools of a session',
    input: () => z.object({}),
    read: (state) => poolRows(state),
  }),
  readOperation({
    name: 'pool.show',
    summary: 'A pool with what its last decisions rested on',
    input: () => z.object({ type: id }),
    positional: ['type'],
    read: (state, { type }) => {
      const pool = poolIn(agentsOf(state), type)
      if (pool === undefined) throw new EngineError('NOT_FOUND', `no pool "${type}"`, { hint: 'steadfold pool list' })
      return { ...poolRow(state, pool), tasks_per_agent: pool.tasks_per_agent, samples: pool.samples }
    },
  }),
]

const limitsOf = ({
  max_memory_mb,
  max_tokens_per_hour,
  max_tokens,
  max_children,
}: { readonly [K in keyof AgentLimits]?: AgentLimits[K] | undefined }) => ({
  limits: given({ max_memory_mb, max_tokens_per_hour, max_tokens, max_children }),
})

const askingAgent = ({ actor }: Context): string | null => (actor.startsWith('agent:') ? actor.slice(6) : null)
