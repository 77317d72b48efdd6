import * as z from 'zod/mini'
import { accept, refuse } from '../../kernel/decision.ts'
import { EngineError } from '../../kernel/error.ts'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import { processRef } from '../../kernel/state/shapes.ts'
import { isActor } from '../../kernel/text/actor.ts'
import { activityOf, byCliSession, keyOf, runIn } from './activity.ts'
import { AGENT_CLIS } from './events.ts'
import { normalise } from './normalise.ts'
import { recentRows, runRows } from './views.ts'

const agent = z.enum(AGENT_CLIS)
const run = z.string().check(z.regex(/^\w[\w.:-]{0,127}$/))
const count = z.int().check(z.minimum(0))
const who = z.optional(z.string().check(z.refine(isActor, 'must be an actor')))
const reason = z.optional(z.string().check(z.maxLength(500)))

export const activityOperations = [
  writeOperation({
    name: 'activity.record',
    summary: 'Keep what an agent CLI told its hook',
    input: () => z.object({ agent, payload: z.string(), process: z.optional(processRef), who }),
    positional: ['agent', 'payload'],
    decide: (_state, { process: owner, who: actor, ...handed }) => {
      const told = normalise(handed.agent, handed.payload)
      const known = { ...(owner && { process: owner }), ...(actor && { who: actor }) }
      return accept(told.type === 'activity.recorded' ? { ...told, data: { ...told.data, ...known } } : told)
    },
  }),
  writeOperation({
    name: 'activity.launch',
    summary: 'Say that a run of an agent CLI begins; written before its process starts',
    input: () =>
      z.object({
        agent,
        run,
        cwd: z.string(),
        assigned: z._default(z.boolean(), false),
        process: z.optional(processRef),
        who,
      }),
    positional: ['agent', 'run'],
    decide: (_state, { process: owner, ...data }) =>
      accept({ type: 'activity.launched', data: { ...data, process: owner ?? null } }),
  }),
  writeOperation({
    name: 'activity.meter',
    summary: 'Say what a run has used so far, and by which id its CLI knows it',
    input: () =>
      z.object({
        agent,
        run,
        cli_session: z.optional(run),
        tokens: z._default(count, 0),
        cost_usd: z._default(z.number().check(z.minimum(0)), 0),
        tools: z._default(count, 0),
      }),
    positional: ['agent', 'run'],
    decide: (state, { cli_session, ...used }) => {
      const known = runIn(activityOf(state), keyOf(used.agent, used.run))
      if (known === undefined) return unknownRun(used.run)
      const { tokens, cost_usd } = known
      const isNew = cli_session !== undefined && cli_session !== known.cli_session
      const hasMore = used.tokens !== tokens || used.cost_usd !== cost_usd || used.tools > known.tools
      return accept(
        ...(isNew
          ? [{ type: 'activity.identified', data: { agent: used.agent, run: used.run, cli_session } } as const]
          : []),
        ...(hasMore ? [{ type: 'activity.metered', data: used } as const] : []),
      )
    },
  }),
  writeOperation({
    name: 'activity.close',
    summary: 'Say how a run ended',
    input: () =>
      z.object({
        agent,
        run,
        cause: z.enum(['finished', 'failed', 'crashed', 'quota', 'timeout', 'stopped']),
        reason,
        exit: z.optional(z.int()),
      }),
    positional: ['agent', 'run', 'cause'],
    decide: (state, { reason: why, exit, ...data }) => {
      if (runIn(activityOf(state), keyOf(data.agent, data.run)) === undefined) return unknownRun(data.run)
      return accept({ type: 'activity.closed', data: { ...data, reason: why ?? null, exit: exit ?? null } })
    },
  }),
  readOperation({
    name: 'activity.list',
    summary: 'Runs of agent CLIs, the latest first',
    input: () => z.object({}),
    read: (state) => runRows(state),
  }),
  readOperation({
    name: 'activity.recent',
    summary: 'What agent CLIs did last',
    input: () => z.object({}),
    read: (state) => recentRows(state),
  }),
  readOperation({
    name: 'activity.show',
    summary: 'A run of an agent CLI, and how to take it up again',
    input: () => z.object({ agent, run: z.string() }),
    positional: ['agent', 'run'],
    read: (state, asked) => {
      const found = byCliSession(activityOf(state), asked)
      const row = found && runRows(state).find((each) => each.run === found.run && each.agent === found.agent)
      if (row === undefined)
        throw new EngineError('NOT_FOUND', `no ${asked.agent} run "${asked.run}"`, { hint: 'steadfold activity list' })
      return row
    },
  }),
]

const unknownRun = (id: string) => refuse('NOT_FOUND', `no run "${id}"`, { hint: 'steadfold activity list' })
