import * as z from 'zod/mini'
import { amount, byId, count, heap, maybe, millis, moment, positive, text, texts } from '../../kernel/state/shapes.ts'

const edgeType = z.enum(['blocks', 'enables', 'requires'])

const task = z.object({
  id: text,
  type: z.enum(['feature', 'bug', 'tech_debt', 'documentation', 'testing']),
  title: text,
  status: z.enum(['pending', 'assigned', 'in_progress', 'review', 'completed', 'blocked', 'cancelled']),
  priority: z.enum(['critical', 'high', 'medium', 'low']),
  assignee: z.nullable(text),
  dependencies: texts,
  blocking: texts,
  created_at: moment,
  updated_at: moment,
  completed_at: z.nullable(moment),
  estimated_effort: maybe(positive),
  actual_effort: z.nullable(count),
  artifacts: texts,
  context: z.object({
    epic_id: z.nullable(text),
    sprint_id: z.nullable(text),
    project_id: z.nullable(text),
    team: maybe(text),
    requirements: maybe(text),
    acceptance_criteria: texts,
  }),
  ordinal: count,
  waits: count,
  attempts: count,
  token: z.nullable(positive),
  claim: z.nullable(z.object({ holder: text, claimed_at: moment, expires: millis })),
  block: z.nullable(z.object({ kind: z.enum(['held', 'failed']), reason: text, at: moment, actor: text })),
})

export const tasksSchema = byId(/^task-[a-z0-9-]+$/, task)

export const taskIndexSchema = z.object({
  added: count,
  ready: heap,
  facets: z.record(text, heap),
  leases: heap,
  held: z.record(text, z.record(text, positive)),
  edges: z.record(text, z.record(text, z.object({ type: edgeType, seq: positive, at: moment }))),
  outside: z.record(text, z.object({ type: z.enum(['agent', 'resource']), status: text, blocking: texts })),
  put_away: maybe(z.record(text, z.record(text, z.object({ completed: count, points: amount })))),
})

const dependency_graph = z.object({
  nodes: z.record(text, z.object({ type: z.enum(['task', 'agent', 'resource']), status: text })),
  edges: z.array(z.object({ from: text, to: text, type: edgeType })),
})

const dependency_block = z.object({
  blocked_item: text,
  blocking_items: texts,
  reason: text,
  detected_at: moment,
  estimated_resolution: z.nullable(moment),
})

/** Derived. */
export const dependenciesSchema = z.object({ graph: dependency_graph, blocks: z.array(dependency_block) })

export const tasksParts = { task, dependency_graph, dependency_block }
